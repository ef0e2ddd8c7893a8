"""Makarova et al. (2022), on the authors' record: every trial and every bound, see `record`."""

TITLE = "Makarova et al. (2022), Automatic Termination for Hyperparameter Optimization"
ITEMS = {
    "table-3": "tables.table_3",
    "table-4": "tables.table_4",
    "table-5": "tables.table_5",
    "fig-1": "figures.fig_1",
    "fig-2": "figures.fig_2",
    "fig-3": "figures.fig_3",
    "fig-4": "figures.fig_4",
    "fig-5": "figures.fig_5",
    "fig-6": "figures.fig_6",
    "fig-7": "figures.fig_7",
    "fig-8": "figures.fig_8",
    "fig-9": "figures.fig_9",
    "fig-10": "figures.fig_10",
    "fig-11": "figures.fig_11",
    "default-recorded": "beyond.default_recorded",
    "table-3-own": "tables.table_3_own",
    "tail": "beyond.tail",
    "calibration": "beyond.calibration",
    "default-own": "beyond.default_own",
    "table-4-own": "tables.table_4_own",
    "table-5-own": "tables.table_5_own",
    "stops-too-early": "beyond.stops_too_early",
}
