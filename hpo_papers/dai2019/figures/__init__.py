"""One figure in each file."""
