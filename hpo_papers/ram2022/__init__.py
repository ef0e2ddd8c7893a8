"""Ram et al. (2022): whether to train again on all rows, and how precisely to train."""

TITLE = (
    "Ram, Gray, Samulowitz, Bramble (2022), Toward Theoretical Guidance for Two Common Questions in Practical "
    "Cross-Validation based Hyperparameter Selection"
)
ITEMS: dict[str, str] = {}
