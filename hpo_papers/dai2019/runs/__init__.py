"""Runs whose epochs, seconds and stopped trainings are followed, and what is computed and drawn from them."""
