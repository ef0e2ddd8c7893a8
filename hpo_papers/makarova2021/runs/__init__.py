"""Runs behind the figures: those that are made here, and the recorded ones."""
