"""Gaussian processes: regression, products of kernels, several tasks, entropy search."""
