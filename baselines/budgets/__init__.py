"""Bayesian optimization that chooses the budget of each evaluation."""
