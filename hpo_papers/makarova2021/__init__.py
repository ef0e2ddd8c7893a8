"""Makarova et al. (2021): on the authors' later record, and on runs that this package makes, see `runs`."""

TITLE = "Makarova et al. (2021), Overfitting in Bayesian Optimization: an empirical study and early-stopping solution"
ITEMS = {
    **{f"figure-{i}": f"figures.figure_{i}" for i in range(1, 12)},
    "table-1": "tables.table_1",
    "table-2": "tables.table_2",
}
