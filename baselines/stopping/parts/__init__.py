"""Helpers that stopping criteria share; no file here is a criterion."""
