"""The store's file: its tables in each version, rows as they come in through the door, seals, changes, verification."""
