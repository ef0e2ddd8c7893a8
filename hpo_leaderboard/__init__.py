"""Experiments over benchmarks and optimizers, and the command line `hpo`."""
