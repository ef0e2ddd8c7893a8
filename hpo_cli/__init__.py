"""Subcommands of `hpo`, one module per subject; each has `add(subcommands)`."""
