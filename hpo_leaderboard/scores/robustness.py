"""Robustness: the distribution of the result over the runs of an optimizer, at the end or at stated seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.scores.curves import curves
from hpo_leaderboard.scores.incumbents import as_final_values, as_incumbents, cells, final_values
from hpo_leaderboard.scores.intervals import LEVEL, check_level

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source


def robustness(values: Source | pandas.Series, level: float = LEVEL) -> pandas.DataFrame:
    """ECDF of the final regret over the runs of each optimizer on each benchmark.

    Klein (2020), section 7.4.2, figure 7.5 right.

    F(v) = #{runs with a value <= v} / n at every value v that occurs. A run that never succeeded counts in n and is
    never reached, so F ends below 1; one without a recorded value does not count. The bootstrap of a share needs no
    samples: its percentiles are those of Binomial(n, F) / n.

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


def robustness_at(
    incumbents: Source,
    cutoffs: Mapping[str, Sequence[float]],
    value: str = "regret",
    level: float = LEVEL,
) -> pandas.DataFrame:
    """ECDF of the result over runs after stated seconds, at the end of the runs where none are stated.

    Klein (2020, section 7.4.2) cuts runs at stated seconds and takes the test regret. A run that had ended by then
    counts with its last incumbent; one without an incumbent is never reached. Benchmarks where the value is not known
    are left out.

    Parameters
    ----------
    incumbents
        Table of `incumbents`, or runs.
    cutoffs
        Seconds on a run's clock by benchmark; a benchmark without an entry is measured at the end of its runs.
    value
        "regret", or "test_regret" where test losses are recorded.
    level
        Share of samples that the interval holds.

    Returns
    -------
    pandas.DataFrame
        Columns: benchmark, optimizer, seconds (inf for the end), value, share, low, high, n (runs with a recorded
        value).
    """
    import pandas as pd

    table = as_incumbents(incumbents)
    ends = final_values(table, value)
    parts = []
    for benchmark in ends.index.unique(level="benchmark"):
        own = table[table["benchmark"] == benchmark]
        cut = sorted(cutoffs.get(benchmark, ()))
        at = curves(own, "seconds", cut, value) if cut else ends[[benchmark]].to_frame(np.inf)
        for seconds in at.columns.to_numpy(dtype=float):
            if at[seconds].notna().any():
                part = robustness(at[seconds], level)
                part.insert(2, "seconds", seconds)
                parts.append(part)
    return pd.concat(parts, ignore_index=True)
