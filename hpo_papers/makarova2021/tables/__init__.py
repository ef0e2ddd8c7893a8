"""Tables 1 and 2: search spaces and datasets."""
