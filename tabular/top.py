"""The best configurations of a table, for statistics of them."""

from __future__ import annotations

import numpy as np

from hpo_core.errors import InvalidOption
from tabular.table import MEAN, Table


def final_metric(table: Table) -> str:
    """Metric that configurations are ranked by: `test_loss` as in Klein (2020), or `loss`.

    A test loss must be recorded for every repetition: one that has gaps would rank what is known above what is not.
    """
    tests = table.columns.get("test_loss")
    return "loss" if tests is None or tests.ndim < 2 or f"{MEAN}test_loss" in table.columns else "test_loss"


def final_losses(table: Table, metric: str | None = None) -> np.ndarray:
    """(config,) mean over the repetitions at the full budget, of `final_metric` by default.

    A configuration without a recorded loss has an infinite one: it counts as the worst.
    """
    return worst_for_missing(table.mean(metric or final_metric(table)))


def worst_for_missing(losses: np.ndarray) -> np.ndarray:
    """The losses with infinity for NaN."""
    return np.where(np.isnan(losses), np.inf, losses)


def n_top(n: int, percent: float) -> int:
    """Number of configurations in the best `percent` % of n: rounded, at least one."""
    if not 0 < percent <= 100:
        raise InvalidOption(f"percent of the best configurations must be in (0, 100], got {percent!r}")
    return max(1, round(n * percent / 100))


def top_indices(losses: np.ndarray, percent: float) -> np.ndarray:
    """Indices of the best `percent` % of the losses, best first; of equal losses the one with the lower index."""
    return np.argsort(losses, kind="stable")[: n_top(len(losses), percent)]


def top_label(percent: float) -> str:
    """Name of a share of the configurations in tables and pictures: all, top 10 %."""
    return "all" if percent == 100 else f"top {percent:g} %"
