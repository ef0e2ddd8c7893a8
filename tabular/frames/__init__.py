"""Recorded evaluations as frames, a row each: read them, infer their space, make a table of them."""
