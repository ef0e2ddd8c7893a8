"""Speed-ups: how much sooner one optimizer reaches a loss than another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.fixed_target.expected_running_times import RunningTimes, running_times
from hpo_leaderboard.scores.intervals import LEVEL, N_SAMPLES, percentile_interval

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source


def speedups(
    incumbents: Source,
    targets: pandas.DataFrame,
    reference: str,
    over: str = "evaluations",
    seed: int = 0,
    n_samples: int = N_SAMPLES,
    level: float = LEVEL,
) -> pandas.DataFrame:
    """Speed-up of each optimizer over a reference to each target of each benchmark.

    s = ERT of the reference / ERT of the optimizer, the quantitative statement of Klein (2020, section 8.3.2: "method A
    is twice as fast"): 2 is twice as fast, inf if only the optimizer ever gets there, 0 if only the reference does, NaN
    if neither.
    `final_targets(incumbents, reference)` asks for what the reference reaches in half of its runs. The interval
    resamples the runs of both, bootstrap samples in which neither gets there being left out.

    Parameters
    ----------
    reference
        Name of the optimizer to compare with.
    incumbents, targets, over, seed, n_samples, level
        As for `expected_running_times`.

    Returns
    -------
    pandas.DataFrame
        Columns: benchmark, optimizer, target, speedup, low, high, n_success, n.
    """
    import pandas as pd

    table: dict[str, dict[str, RunningTimes]] = {}
    for own in running_times(incumbents, targets, over, seed, n_samples):
        table.setdefault(own.benchmark, {})[own.optimizer] = own
    if not any(reference in of for of in table.values()):
        known = sorted({name for of in table.values() for name in of})
        raise InvalidOption(f"the reference must be one of {', '.join(known)}, got {reference!r}")
    parts = []
    for benchmark, of in table.items():
        for name, own in of.items() if reference in of else ():
            with np.errstate(invalid="ignore"):  # inf / inf, where neither gets there
                ratios = of[reference].times / own.times
            ends = _interval(ratios[1:], level) if min(own.n, of[reference].n) > 1 else (np.nan, np.nan)
            statistics = {"target": own.targets, "speedup": ratios[0], "low": ends[0], "high": ends[1]}
            counts = {"n_success": own.n_success, "n": own.n}
            parts.append(pd.DataFrame({"benchmark": benchmark, "optimizer": name, **statistics, **counts}))
    return pd.concat(parts, ignore_index=True)


def _interval(ratios: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """(target,) ends of the interval of (sample, target) ratios that are not NaN; NaN where all of them are."""
    ends = np.full((2, ratios.shape[1]), np.nan)
    for target, column in enumerate(ratios.T):
        known = column[~np.isnan(column)]
        if len(known):
            ends[:, target] = percentile_interval(known, level)
    return ends[0], ends[1]
