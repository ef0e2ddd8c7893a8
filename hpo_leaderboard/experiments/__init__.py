"""Experiments: suites, plans, jobs and their execution."""
