"""Replay of stopping criteria on recorded runs, with scores and pictures."""
