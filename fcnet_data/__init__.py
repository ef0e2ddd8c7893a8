"""Where real numbers are made: datasets to train on, and the trainers that train on them."""
