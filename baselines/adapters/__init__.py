"""Optimizers of other libraries behind `ask` and `tell`, one library per file; they need the extra `peers`."""
