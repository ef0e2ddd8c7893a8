"""Regression trees of an ensemble, grown all at once: with numpy, or compiled by numba with the same result."""
