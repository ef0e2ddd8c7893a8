"""Probabilistic models as small pure modules."""
