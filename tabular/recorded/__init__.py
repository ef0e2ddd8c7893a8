"""Families of tables that other people recorded: lists of configurations on many tasks, looked up as they were."""
