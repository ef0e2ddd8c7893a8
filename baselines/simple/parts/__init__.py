"""Helpers that these optimizers share; no file here is an optimizer."""
