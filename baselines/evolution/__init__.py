"""Evolutionary optimizers."""
