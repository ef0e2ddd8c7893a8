"""Scores of stopping a run early, against going on to its end (Makarova et al., 2022, section 4).

    y_T, y_es   test loss of the incumbent at the end, and when the run is stopped
    RYC = (y_T - y_es) / max(y_T, y_es)     relative change of the test loss, above 0 if stopping made it lower, eq. 11
    RTC = (t_T - t_es) / t_T                share that is saved, eq. 12

`ryc` is by test loss alone. A run counts in it if the test losses of both incumbents were recorded; `ryc_n` is the
number of such runs. `ryc_validation` is the same by validation loss, of all runs; the paper prints none of these.

Eq. 12 speaks of training time; the paper's tables count iterations. Both are here, `rtc` and `rtc_time`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_leaderboard.scores.intervals import LEVEL, mean_interval
from hpo_leaderboard.stopping.trial_tables import with_run_columns

if TYPE_CHECKING:
    import pandas

SCORES = ("ryc", "ryc_validation", "rtc", "rtc_time")


def relative_change(final: float, stopped: float) -> float:
    """RYC of a loss at the end and one at the stop, in [-1, 1]; 0 if they are equal.

    A loss that is unknown (NaN) or negative, such as a log-likelihood's, has no relative change: the result is NaN.
    """
    if final == stopped:
        return 0.0
    if min(final, stopped) < 0.0:
        return float("nan")
    return (final - stopped) / max(final, stopped)


def relative_saving(total: float, used: float) -> float:
    """RTC of a total and the part of it that was used, in [0, 1]; 0 of nothing."""
    return (total - used) / total if total > 0 else 0.0


def summary(stops: pandas.DataFrame, by: Sequence[str], level: float = LEVEL) -> pandas.DataFrame:
    """Mean, standard deviation and bootstrap interval of the scores, a row per criterion and group of runs.

    `stops` has a row per run and criterion, as `hpo_leaderboard.stopping.replay.replay` gives it; `by` are columns of
    it. Columns: those of `by`, criterion, n, stopped (share of runs), stop (mean), and for each score NAME the columns
    NAME, NAME_n (runs that it is known of, over which the others are), NAME_std, NAME_low and NAME_high.
    """
    import pandas as pd

    rows = []
    key: Any
    for key, group in stops.groupby([*by, "criterion"], sort=False):
        row: dict[str, object] = dict(zip([*by, "criterion"], key, strict=True))
        row |= {"n": len(group), "stopped": group["stopped"].mean(), "stop": group["stop"].mean()}
        for score in SCORES:
            row |= _averaged(score, group[score].to_numpy(dtype=float), level)
        rows.append(row)
    return pd.DataFrame(rows)


def _averaged(score: str, values: np.ndarray, level: float) -> dict[str, object]:
    """Columns of a score; a run whose score is unknown does not count."""
    known = values[np.isfinite(values)]
    columns = [score, f"{score}_std", f"{score}_low", f"{score}_high"]
    if not len(known):
        return {f"{score}_n": 0, **dict.fromkeys(columns, float("nan"))}
    low, high = mean_interval(known[:, None], seed=0, level=level)
    return {f"{score}_n": len(known), **dict(zip(columns, (known.mean(), np.std(known), low[0], high[0]), strict=True))}


def std_by_source(table: pandas.DataFrame, sources: Sequence[str]) -> pandas.DataFrame:
    """Standard deviation of the incumbent's losses by source of randomness (Makarova et al., 2021, fig. 3).

    `table` has a row per trial with the columns benchmark, optimizer, step, loss, test (or the other names that
    `hpo_leaderboard.stopping.trial_tables` reads), and one column of seeds per source, such as of the split of the
    data, the optimizer and the training. For each source the variance over its seeds, with the seeds of the others
    held, is averaged over these others. Columns: benchmark, optimizer, evaluation (number of completed trials),
    validation, test, source.
    """
    import pandas as pd

    runs = with_run_columns(table).sort_values("step", kind="stable")
    keys = ["benchmark", "optimizer", *sources]
    best = runs.groupby(keys)["loss"].cummin()
    runs["validation"] = best
    better = best.groupby([runs[key] for key in keys]).diff() != 0.0  # also the first, which has no difference
    runs["test"] = runs["test"].where(better).groupby([runs[key] for key in keys]).ffill()
    runs["evaluation"] = runs["step"] + 1
    parts = []
    shown = ["benchmark", "optimizer", "evaluation"]
    for source in sources:
        held = [*shown, *(other for other in sources if other != source)]
        variances = runs.groupby(held)[["validation", "test"]].var(ddof=0)
        parts.append(variances.groupby(shown).mean().pow(0.5).reset_index().assign(source=source))
    return pd.concat(parts).reset_index(drop=True)
