"""Models of learning curves, and the optimal stopping of one training."""
