"""Makarova et al. (2022), on the authors' record: every trial and every bound, see `record`."""

TITLE = "Makarova et al. (2022), Automatic Termination for Hyperparameter Optimization"
ITEMS = {
    "table-3": "tables.table_3",
}
