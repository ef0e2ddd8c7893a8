"""Small tables of trials, tasks and runs for tests of the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

NAN = float("nan")


def trials_table(losses: Mapping[tuple[str, str, int], Sequence[float]], **columns: Mapping) -> pd.DataFrame:
    """Trials of some runs from their observed losses, in order; inf and NaN failed.

    A trial costs a second and is at budget 1 unless `budget`, `cost`, `exact` or `test` say otherwise, each a mapping
    from run to values; `exact` is the observed loss and `test` is NaN unless given.
    """
    parts = []
    for run, values in losses.items():
        n = len(values)
        cost = np.asarray(columns.get("cost", {}).get(run, np.ones(n)), dtype=float)
        loss = np.asarray(values, dtype=float)
        part = {
            "benchmark": run[0],
            "optimizer": run[1],
            "seed": run[2],
            "step": np.arange(n),
            "budget": columns.get("budget", {}).get(run, np.ones(n)),
            "loss": loss,
            "cost": cost,
            "start": np.cumsum(cost) - cost,
            "end": np.cumsum(cost),
            "worker": 0,
            "failed": ~np.isfinite(loss),
            "exact": columns.get("exact", {}).get(run, np.where(np.isfinite(loss), loss, NAN)),
            "test": columns.get("test", {}).get(run, np.full(n, NAN)),
            "config": "{}",
        }
        parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True)


def tasks_table(trials: pd.DataFrame, optimum: float = 0.0, test_optimum: float = NAN) -> pd.DataFrame:
    """A row for each benchmark of the trials, all with the same optimum."""
    return pd.DataFrame(
        {
            "benchmark": sorted(trials["benchmark"].unique()),
            "family": "made-up",
            "optimum": optimum,
            "test_optimum": test_optimum,
            "checksum": "",
            "full_budget": 1.0,
            "n_budgets": 1,
        }
    )


def runs_table(trials: pd.DataFrame, overhead: float = 0.5) -> pd.DataFrame:
    """A row for each run of the trials."""
    runs = trials.groupby(["benchmark", "optimizer", "seed"]).size().rename("n_trials").reset_index()
    return runs.assign(key="", reason="n_trials", overhead=overhead, version="0", failure=None)


def random_losses(
    seed: int, n_tasks: int = 3, n_optimizers: int = 3, n_runs: int = 4, n_trials: int = 6, decimals: int = 1
) -> dict[tuple[str, str, int], np.ndarray]:
    """Losses in [0, 1], rounded so that ties occur, a tenth of them failed; better optimizers come first."""
    rng = np.random.default_rng(seed)
    losses = {}
    for t in range(n_tasks):
        for o in range(n_optimizers):
            for s in range(n_runs):
                values = np.round(rng.random(n_trials) ** (1 + 0.5 * (n_optimizers - o)), decimals)
                values[rng.random(n_trials) < 0.1] = np.inf
                losses[f"task{t}", f"optimizer{o}", s] = values
    return losses
