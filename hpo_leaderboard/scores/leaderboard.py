"""The leaderboard: one row per optimizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.fixed_target.runtimes import ecdf, runtimes
from hpo_leaderboard.scores.fixed_target.targets import quantile_targets
from hpo_leaderboard.scores.from_runs import tables_of
from hpo_leaderboard.scores.incumbents import as_incumbents, final_values
from hpo_leaderboard.scores.intervals import LEVEL, N_SAMPLES
from hpo_leaderboard.scores.overheads import overheads
from hpo_leaderboard.scores.ranks import average_ranks

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source


def leaderboard(
    incumbents: Source,
    runs: pandas.DataFrame | None = None,
    targets: pandas.DataFrame | None = None,
    value: str = "regret",
    seed: int = 0,
    n_samples: int = N_SAMPLES,
    level: float = LEVEL,
) -> pandas.DataFrame:
    """One row per optimizer, by mean rank, from the benchmarks that all of them ran on.

    optimizer
    rank, rank_low, rank_high    mean rank of the final regrets and its interval (`average_ranks`)
    regret                       median over benchmarks of the median final regret
    relative                     the same of the regret relative to a first incumbent's, which benchmarks share
    reached, reached_low, reached_high    share of (benchmark, target) pairs reached in the end (`ecdf`); targets are
                                 `quantile_targets` unless given
    overhead                     median CPU seconds of the optimizer per trial
    wins                         benchmarks where its median final regret is the lowest; k that tie get 1 / k each
    n_runs, n_broken, n_tasks    runs scored, runs that broke, benchmarks

    A run enters with what it had in the end, whenever that was: runs are compared at equal limits, as they were set.

    Parameters
    ----------
    incumbents
        A list of runs, a store's frames or a table of trials (`tables_of`), then without `runs`; or the table of
        `incumbents`.
    runs
        Frame `runs` of a store, with a table of incumbents.
    targets
        Losses to reach; None is `quantile_targets`.
    value
        Column of the incumbents by which optimizers are ranked.
    seed, n_samples, level
        Of the intervals: the seed, the number of samples, the share of them that an interval holds.

    Examples
    --------
    >>> from hpo_core import run
    >>> from hpo_leaderboard.scores.leaderboard import leaderboard
    >>> runs = [run("branin", name, n_trials=20, seed=seed) for name in ("rs", "de") for seed in range(3)]
    >>> leaderboard(runs)[["optimizer", "n_runs"]].to_dict("list")
    {'optimizer': ['rs', 'de'], 'n_runs': [3, 3]}
    """
    incumbents, runs = _tables(incumbents, runs)
    final = final_values(incumbents, value)
    ranks = average_ranks(final.to_frame("end"), seed, n_samples, level).set_index("optimizer")
    medians = final.groupby(level=["benchmark", "optimizer"], observed=True).median().unstack("optimizer")
    common = medians.dropna().index
    used = incumbents[incumbents["benchmark"].isin(common)]
    reached = _reached(used, quantile_targets(used) if targets is None else targets, seed, n_samples, level)
    table = ranks[["rank", "low", "high"]].add_prefix("rank_").rename(columns={"rank_rank": "rank"})
    table["regret"] = medians.loc[common].median()
    relative = final_values(used, "relative").groupby(level=["benchmark", "optimizer"], observed=True).median()
    table["relative"] = relative.unstack("optimizer").median()
    table = table.join(reached)
    started = runs[runs["benchmark"].isin(common)]
    table["overhead"] = overheads(started, seed, n_samples, level).set_index("optimizer")["median"]
    best = medians.loc[common].eq(medians.loc[common].min(axis=1), axis=0)
    table["wins"] = best.div(best.sum(axis=1), axis=0).sum()
    table["n_runs"] = final[final.index.get_level_values("benchmark").isin(common)].groupby(level="optimizer").size()
    table["n_broken"] = started["failure"].notna().groupby(started["optimizer"], observed=True).sum()
    table["n_tasks"] = len(common)
    return table.sort_values("rank", kind="stable").reset_index()


def _tables(source: Source, runs: pandas.DataFrame | None) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """Incumbents and the frame `runs`."""
    import pandas as pd

    if isinstance(source, pd.DataFrame) and "evaluation" in source:
        if runs is None:
            raise InvalidOption(
                "a leaderboard of incumbents needs the frame `runs` beside them, got none; a list of runs or a store's "
                "frames hold both"
            )
        return source, runs
    frames = tables_of(source)
    return as_incumbents(frames), frames.runs


def _reached(
    incumbents: pandas.DataFrame, targets: pandas.DataFrame, seed: int, n_samples: int, level: float
) -> pandas.DataFrame:
    """Shares of targets reached by the end of the runs, with their intervals, by optimizer."""
    times = runtimes(incumbents, targets)
    end = ecdf(times, [np.finfo(float).max], seed, n_samples, level).set_index("optimizer")
    return end[["share", "low", "high"]].set_axis(["reached", "reached_low", "reached_high"], axis=1)
