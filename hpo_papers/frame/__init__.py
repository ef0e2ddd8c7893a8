"""What all papers share: items, how they are found, planned, computed part by part, and shown."""
