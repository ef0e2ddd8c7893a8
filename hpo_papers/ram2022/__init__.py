"""Ram et al. (2022): whether to train again on all rows, and how precisely to train."""

TITLE = (
    "Ram, Gray, Samulowitz, Bramble (2022), Toward Theoretical Guidance for Two Common Questions in Practical "
    "Cross-Validation based Hyperparameter Selection"
)
ITEMS = {
    "section-1": "boosting.section_1",
    "table-2": "boosting.table_2",
    "table-3": "boosting.table_3",
    "table-4": "boosting.table_4",
    "figure-2": "figures.figure_2",
    "figure-3": "figures.figure_3",
    "figure-4": "figures.figure_4",
    "figure-5": "figures.figure_5",
    "figure-6": "figures.figure_6",
    "table-5": "theory.table_5",
    "theorems": "theory.theorems",
}
