"""Search for the maximum of an acquisition function."""
