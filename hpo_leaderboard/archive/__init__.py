"""Archives: recorded runs in few bytes each, that can be ranked against, run again and compared bit by bit."""
