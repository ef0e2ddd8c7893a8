"""`hpo table`: what looks into tables, and what imports them; `hpo_cli.table_training` makes them."""
