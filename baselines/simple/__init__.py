"""Random search, grid search and REINFORCE: optimizers without a model of the losses."""
