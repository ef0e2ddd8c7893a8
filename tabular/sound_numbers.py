"""What the numbers of a table must be, whoever wrote its file."""

from __future__ import annotations

import numpy as np

from tabular.table import MEAN, Table


def check_numbers(table: Table, every: bool = False) -> None:
    """Raise `ValueError` where the numbers of a table break a rule.

    Losses are numbers or, of a training that diverged, infinite; costs are seconds. What was not recorded is NaN: the
    last repetitions of a configuration, which has one at least. A large table, mapped from its file, is looked through
    with `every` alone.
    """
    small = {name: array for name, array in table.columns.items() if every or not isinstance(array, np.memmap)}
    for name, array in small.items():
        if name.startswith(MEAN) and array.ndim != 1:
            raise ValueError(f"column {name!r} must have a number for each configuration, got shape {array.shape}")
    if "loss" in small:
        _check_losses(small["loss"])
    if "cost" in small:
        _check_costs(small["cost"], table)
    _check_optima(table, small)


def _check_losses(losses: np.ndarray) -> None:
    missing = np.isnan(losses) if losses.dtype.kind == "f" else np.zeros(losses.shape, dtype=bool)
    if np.isneginf(losses).any():
        raise ValueError("a loss must not be minus infinity")
    if losses.ndim == 2 and (missing[:, 0].any() or (missing[:, :-1] & ~missing[:, 1:]).any()):
        raise ValueError("every configuration must have a loss, and only its last repetitions may lack one")
    if losses.ndim == 3 and missing[:, :, -1].all():
        raise ValueError("no configuration has a loss at the full budget")


def _check_costs(costs: np.ndarray, table: Table) -> None:
    if (costs < 0).any() or np.isinf(costs).any():
        raise ValueError("costs must be seconds, 0 or more")
    losses = table.columns["loss"]
    lacking = np.isnan(costs)
    if lacking.any():
        full_losses = losses[:, :, -1] if losses.ndim == 3 else losses
        full_costs = lacking[:, :, -1] if costs.ndim == 3 else lacking
        if (full_costs & ~np.isnan(full_losses)).any():
            raise ValueError("an evaluation with a loss must have a cost")


def _check_optima(table: Table, small: dict[str, np.ndarray]) -> None:
    """The optima that a file notes are those of its numbers, as far as these were looked at."""
    for metric, noted in table.provenance.get("optimum", {}).items():
        if metric not in small:
            continue
        means = table.mean(metric)
        known = means[~np.isnan(means)]
        lowest = known.min() if len(known) else np.nan
        if not np.isclose(noted, lowest, rtol=1e-6, atol=1e-12, equal_nan=True):
            raise ValueError(f"the optimum of {metric!r} is noted as {noted:g}, and its numbers have {lowest:g}")
