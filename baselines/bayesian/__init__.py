"""Bayesian optimization at the full budget, one model per file."""
