"""Datasets, trainers of real models on them, and collection of their results into tables and meta-data."""
