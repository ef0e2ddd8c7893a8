"""Helpers that adapters share."""
