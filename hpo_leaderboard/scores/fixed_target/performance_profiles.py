"""Performance profiles (Dolan and More, 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.scores.fixed_target.expected_running_times import running_times
from hpo_leaderboard.scores.intervals import LEVEL, N_SAMPLES, mean_interval

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source

FACTORS = np.geomspace(1.0, 100.0, 41)


def performance_profiles(
    incumbents: Source,
    targets: pandas.DataFrame,
    over: str = "evaluations",
    factors: Sequence[float] | np.ndarray = FACTORS,
    seed: int = 0,
    n_samples: int = N_SAMPLES,
    level: float = LEVEL,
) -> pandas.DataFrame:
    """Share of problems on which each optimizer is at most a factor slower than the fastest one there.

    rho_s(tau) = #{p : t_ps <= tau min over s of t_ps} / #{p}, Dolan and More (2002), section 1, where a problem p is a
    (benchmark, target) pair and t_ps the expected running time; benchmarks count alike, however many targets they have.
    rho(1) is the share of problems on which an optimizer is the fastest, ties counting for all; for large tau it is the
    share that it reached. Targets that nobody reached count as problems; benchmarks that the optimizer did not run on
    do not.

    The interval resamples benchmarks, with all their targets; it is NaN for one benchmark. Resampling runs, as
    elsewhere, fails here: the fastest of several resampled times is faster than the fastest itself, so every share
    would come out too small.

    Parameters
    ----------
    factors
        tau, each at least 1.
    incumbents, targets, over, seed, n_samples, level
        As for `expected_running_times`.

    Returns
    -------
    pandas.DataFrame
        Columns: optimizer, factor, share, low, high, n_tasks.
    """
    import pandas as pd

    taus = np.asarray(factors, dtype=float)
    times: dict[str, dict[str, np.ndarray]] = {}
    for own in running_times(incumbents, targets, over):
        times.setdefault(own.benchmark, {})[own.optimizer] = own.times[0]
    shares: dict[str, list[np.ndarray]] = {}
    for of in times.values():
        fastest = np.min(list(of.values()), axis=0)
        for name, own_times in of.items():
            reached = np.isfinite(own_times)
            within = own_times[reached] <= taus[:, None] * fastest[reached]
            shares.setdefault(name, []).append(within.sum(axis=1) / len(own_times))
    parts = []
    for name, of_tasks in sorted(shares.items()):
        share = np.array(of_tasks)
        low, high = mean_interval(share, seed, n_samples, level)
        columns = {"optimizer": name, "factor": taus, "share": share.mean(axis=0), "low": low, "high": high}
        parts.append(pd.DataFrame({**columns, "n_tasks": len(share)}))
    return pd.concat(parts, ignore_index=True)
