"""Model card of a table of classifiers: which data, which split, what the numbers are and are not for."""

from __future__ import annotations

from typing import Any

from fcnet_data.datasets.dataset import Dataset
from fcnet_data.datasets.splits import Split
from tabular.table import WRONG_CLASSES


def classifier_card(dataset: Dataset, parts: Split, *, after: str, cost: str, limits: str) -> dict[str, Any]:
    """Provenance of a table of losses after each of some steps, made by `scripts/collect_curves.py`.

    Parameters
    ----------
    dataset, parts
        The data and their split.
    after
        What a step is, such as "epoch".
    cost
        How it was found.
    limits
        What the table does not hold.
    """
    return {
        "made by": "HPO Foundry, scripts/collect_curves.py",
        "dataset": f"{dataset.name}, {dataset.n_rows} rows x {dataset.n_features} features, "
        f"{dataset.n_classes} classes",
        "source": dataset.source,
        "licence": dataset.licence,
        "split": f"{len(parts.train_target)} rows to train on, {len(parts.valid_target)} to validate, "
        f"{len(parts.test_target)} to test, stratified by class",
        "loss": f"{WRONG_CLASSES} on the validation set, after each {after}",
        "cost": cost,
        "intended use": "comparing hyperparameter optimizers; it says nothing about the dataset's own question",
        "limits": limits,
    }
