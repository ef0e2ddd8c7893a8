"""Makarova et al. (2022), on the authors' record: every trial and every bound, see `record`."""

TITLE = "Makarova et al. (2022), Automatic Termination for Hyperparameter Optimization"
ITEMS = {
    "table-3": "tables.table_3",
    "table-4": "tables.table_4",
    "table-5": "tables.table_5",
    "fig-3": "figures.fig_3",
    "fig-4": "figures.fig_4",
    "fig-5": "figures.fig_5",
    "table-3-own": "tables.table_3_own",
}
