"""Archived runs run again: which code made them, which bits are bound, and the verdict."""
