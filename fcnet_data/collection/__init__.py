"""Collection: long rows of trainings that can be killed and resumed at any time, into a table or into meta-data."""
