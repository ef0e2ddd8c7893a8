"""Tables 3, 4 and 5: from the recorded bounds, and with the bounds of this package's model."""
