"""`hpo table`: what looks into tables, imports and trains them."""
