"""Area under the curve of the logarithm of the regret: one number for the whole course of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.scores.curves import as_curves

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source


def areas(curves: Source, floor: float | None = None) -> pandas.Series:
    """Mean of log10 regret over the grid, for each (benchmark, optimizer, seed); lower is better.

    a = mean over grid positions x of log10 max(regret(x), floor): one less means a tenth of the regret throughout, in
    the geometric mean. Logarithms need a floor, since a run on a table can reach regret zero: the smallest positive
    regret in the curves of the benchmark, unless `floor` is given. Positions at which some run on the benchmark has no
    incumbent yet are left out for all runs there, so all are averaged over the same stretch; a run that never has one
    is inf and holds back no others; one whose last value is not recorded is NaN. The grid should be evenly spaced.
    """
    import pandas as pd

    table = as_curves(curves)
    result = pd.Series(np.inf, index=table.index, name="area")
    for rows in table.groupby(level="benchmark", observed=True).indices.values():
        regret = table.to_numpy(dtype=float)[rows]
        result.iloc[rows[np.isnan(regret[:, -1])]] = np.nan
        succeeded = np.isfinite(regret[:, -1])
        finite = regret[succeeded]
        common = np.isfinite(finite).all(axis=0)
        positive = finite[np.isfinite(finite) & (finite > 0)]
        lowest = floor if floor is not None else positive.min() if len(positive) else 1.0
        if len(finite):
            result.iloc[rows[succeeded]] = np.log10(np.maximum(finite[:, common], lowest)).mean(axis=1)
    return result
