"""Figures 1 to 11, a file each."""
