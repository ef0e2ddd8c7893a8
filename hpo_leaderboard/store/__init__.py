"""The store: finished runs in one file, read back as data frames."""
