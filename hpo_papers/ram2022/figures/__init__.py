"""Figures 2-6 of the synthetic study."""
