"""`hpo archive`: recorded runs of many optimizers."""
