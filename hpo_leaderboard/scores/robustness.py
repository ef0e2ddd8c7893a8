"""Robustness: the distribution of the final result over the runs of an optimizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.scores.incumbents import as_final_values, cells
from hpo_leaderboard.scores.intervals import LEVEL, check_level

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source


def robustness(values: Source | pandas.Series, level: float = LEVEL) -> pandas.DataFrame:
    """ECDF of the final regret over the runs of each optimizer on each benchmark.

    Klein (2020), section 7.4.2, figure 7.5 right.

    F(v) = #{runs with a value <= v} / n at every value v that occurs. A run that never succeeded counts in n and is
    never reached, so F ends below 1. The bootstrap of a share needs no samples: its percentiles are those of
    Binomial(n, F) / n.

    `values` are indexed by (benchmark, optimizer, seed): `final_values(incumbents)`, or a column of `curves` for the
    state after a number of seconds; or they are runs or incumbents, whose final regret is taken. Columns: benchmark,
    optimizer, value, share, low, high, n.
    """
    import pandas as pd
    from scipy.stats import binom

    parts = []
    table = as_final_values(values)
    array = table.to_numpy(dtype=float)
    for (benchmark, optimizer), rows in cells(table):
        n = len(rows)
        distinct, counts = np.unique(array[rows][np.isfinite(array[rows])], return_counts=True)
        share = np.cumsum(counts) / n
        low, high = binom.interval(check_level(level), n, share) if n > 1 else (np.nan, np.nan)
        name = {"benchmark": benchmark, "optimizer": optimizer, "value": distinct, "share": share}
        parts.append(pd.DataFrame({**name, "low": low / n, "high": high / n, "n": n}))
    return pd.concat(parts, ignore_index=True)
