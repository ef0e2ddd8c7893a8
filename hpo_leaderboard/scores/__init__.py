"""Scores: pure functions of the tables trials, runs and tasks, each with its formula and source; see docs/scores.md."""
