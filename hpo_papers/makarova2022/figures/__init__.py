"""Figures 1 to 11."""
