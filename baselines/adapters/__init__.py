"""Optimizers of other libraries behind `ask` and `tell`, one library per file; each needs the extra of its name."""
