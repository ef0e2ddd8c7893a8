"""What optimizers themselves cost: CPU seconds of asking and telling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.scores.intervals import LEVEL, N_SAMPLES, mean_interval, quantiles

if TYPE_CHECKING:
    import pandas


def overheads(
    runs: pandas.DataFrame, seed: int = 0, n_samples: int = N_SAMPLES, level: float = LEVEL
) -> pandas.DataFrame:
    """CPU seconds that each optimizer takes for one trial: overhead of a run / its number of trials, over all runs.

    Runs without a trial or without a measured overhead are left out. Times depend on the machine, and on the number of
    trials where the cost of a suggestion grows with it.

    Parameters
    ----------
    runs
        Frame `runs` of a store; a `Run` in memory does not record its overhead.
    seed, n_samples, level
        Of the bootstrap interval: its seed, the number of samples, the share of them that it holds.

    Returns
    -------
    pandas.DataFrame
        Columns: optimizer, median, q25, q75, mean, mean_low, mean_high (bootstrap over the runs of all benchmarks), n.
    """
    import pandas as pd

    measured = runs[(runs["n_trials"] > 0) & runs["overhead"].notna()]
    seconds = (measured["overhead"] / measured["n_trials"]).to_numpy(dtype=float)
    rows = []
    for optimizer, own in sorted(measured.groupby("optimizer", observed=True).indices.items()):
        each = seconds[own]
        q25, median, q75 = quantiles(each, (0.25, 0.5, 0.75))
        low, high = mean_interval(each[:, None], seed, n_samples, level)
        quartiles = {"median": median, "q25": q25, "q75": q75}
        mean = {"mean": np.mean(each), "mean_low": low[0], "mean_high": high[0]}
        rows.append({"optimizer": optimizer, **quartiles, **mean, "n": len(each)})
    return pd.DataFrame(rows, columns=["optimizer", "median", "q25", "q75", "mean", "mean_low", "mean_high", "n"])
