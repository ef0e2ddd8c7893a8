"""Robustness: how the final result spreads over the runs of an optimizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.scores.incumbents import cells
from hpo_leaderboard.scores.intervals import LEVEL, check_level

if TYPE_CHECKING:
    import pandas


def robustness(values: pandas.Series, level: float = LEVEL) -> pandas.DataFrame:
    """ECDF of the final regret over the runs of each optimizer on each benchmark (thesis 7.4.2, figure 7.5 right).

    F(v) = #{runs with a value <= v} / n at every value v that occurs. `values` are indexed by (benchmark, optimizer,
    seed): `final_values(incumbents)`, or a column of `curves` for the state after so many seconds. A run that never
    succeeded counts in n and is never reached, so F ends below 1. Columns: benchmark, optimizer, value, share, low,
    high, n. The bootstrap of a share needs no samples: its percentiles are those of Binomial(n, F) / n.
    """
    import pandas as pd
    from scipy.stats import binom

    parts = []
    array = values.to_numpy(dtype=float)
    for (benchmark, optimizer), rows in cells(values):
        n = len(rows)
        distinct, counts = np.unique(array[rows][np.isfinite(array[rows])], return_counts=True)
        share = np.cumsum(counts) / n
        low, high = binom.interval(check_level(level), n, share) if n > 1 else (np.nan, np.nan)
        name = {"benchmark": benchmark, "optimizer": optimizer, "value": distinct, "share": share}
        parts.append(pd.DataFrame({**name, "low": low / n, "high": high / n, "n": n}))
    return pd.concat(parts, ignore_index=True)
