"""Recorded evaluations, a row each: reading them, and what space and conditions their columns show."""
