"""Helpers that optimizers share; no file here is an optimizer."""
