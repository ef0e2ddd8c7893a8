"""Runs in few bytes: what an archive keeps of a store, its file, and the way back."""
