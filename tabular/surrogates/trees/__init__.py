"""Ensembles of regression trees: how they are fitted, written down and evaluated."""
