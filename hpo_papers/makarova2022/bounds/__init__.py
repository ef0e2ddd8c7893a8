"""Bounds on the regret by this package's model, along recorded runs."""
