"""Bayesian Gaussian process latent variable model: the encoder of tasks."""
