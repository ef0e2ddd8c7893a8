"""Successive halving and what is built on it."""
