"""Bayesian neural networks, sampled by scale-adapted SGHMC, and linear regression on a network's features."""
