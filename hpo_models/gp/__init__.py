"""Gaussian processes: regression, products of kernels, several tasks, latent variables, entropy search."""
