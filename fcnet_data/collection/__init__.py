"""Collection: many trainings, which can be killed and resumed at any time, into a table or into meta-data."""
