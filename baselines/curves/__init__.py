"""Optimizers that follow learning curves."""
