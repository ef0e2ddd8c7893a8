"""Incumbent trajectories: what each run would have returned after each of its trials, and the regret of that.

Every score starts from the table made here. Conventions, which hold for all of them:

    incumbent    "highest-budget": the lowest observed loss at the highest budget completed so far;
                 "lowest-loss": the lowest observed loss at any budget; the earlier trial on ties
    failed       a trial that failed, or whose loss is not finite, is an evaluation but never the incumbent
    regret       inf from the start of a run until its first successful trial
    test         of the incumbent, which the observed validation loss chose; NaN while its test loss is not recorded. A
                 score uses the runs where it is: validation and test are never mixed
    seeds        a missing (benchmark, optimizer, seed) is left missing: scores use the runs there are, and give their n
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption, NotRecorded
from hpo_leaderboard.scores.from_runs import tables_of
from hpo_leaderboard.scores.references import references

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source

RUN = ["benchmark", "optimizer", "seed"]


INCUMBENTS = ("highest-budget", "lowest-loss")


def incumbents(
    trials: Source, tasks: pandas.DataFrame | None = None, incumbent: str = "highest-budget"
) -> pandas.DataFrame:
    """Table with a row per completed trial, ordered by run, that describes the run's incumbent from then on.

    `trials` and `tasks` are frames of a store (`hpo_leaderboard.store.frames`). Without `tasks`, `trials` is a list of
    runs, all the frames of a store, or a table of trials: what `tables_of` takes. `incumbent` says which trial a run
    would return, see the module's head: an optimizer that trusts small budgets is judged by "lowest-loss" (Klein,
    2020), one that returns only what it trained in full by "highest-budget".

    benchmark, optimizer, seed   the run
    evaluation                   number of trials completed, 1, 2, ...
    seconds                      simulated seconds from the start of the run to the end of this trial
    budget, observed             budget and observed loss of the incumbent; NaN, inf while there is none
    loss                         its noise-free loss at the full budget; the observed one where `references` says so
    regret                       loss - reference, >= 0
    relative                     regret / median over the benchmark's runs of the regret of their first incumbent
    test, test_regret            recorded test loss of the incumbent, and its distance from the best; NaN where not
                                 recorded

    The incumbent is the first of the run's trials so far in the order (highest budget, lowest loss, earliest), or
    (lowest loss, earliest), so a run of cumulative minima over their positions in that order finds it for all runs at
    once. Incumbents are chosen by the observed validation loss and scored by the noise-free one (Klein, 2020, section
    7.4): with noise, regret may rise.
    """
    import pandas as pd

    if tasks is None or not isinstance(trials, pd.DataFrame):
        trials, _, tasks = tables_of(trials)
    if trials.empty:
        raise InvalidOption("scores need at least one trial, got an empty table; look whether every run broke")
    trials, run = _by_run(trials)
    best = _best_so_far(trials, run, incumbent)
    found = best >= 0
    columns = {name: trials[name].to_numpy(dtype=float) for name in ("budget", "loss", "exact", "test")}
    budget, observed, exact, test = (np.where(found, column[best], np.nan) for column in columns.values())
    frame = trials[RUN].reset_index(drop=True)
    starts = np.flatnonzero(np.diff(run, prepend=-1))
    frame["evaluation"] = np.arange(len(run)) - starts[run] + 1
    frame["seconds"] = trials["end"].to_numpy(dtype=float)
    frame["budget"] = budget
    frame["observed"] = np.where(found, observed, np.inf)
    known = references(trials, tasks).set_index("benchmark")
    task = pd.Index(known.index).get_indexer(frame["benchmark"])
    loss = np.where((known["basis"] == "observed").to_numpy()[task], observed, exact)
    frame["loss"] = np.where(found, loss, np.inf)
    frame["regret"] = np.where(found, loss - known["reference"].to_numpy()[task], np.inf)
    frame["relative"] = frame["regret"] / _first_regrets(frame, task, len(known))[task]
    frame["test"] = np.where(found, test, np.inf)
    test_reference = known["test_reference"].to_numpy()[task]
    frame["test_regret"] = np.where(np.isnan(test_reference), np.nan, frame["test"] - test_reference)
    return frame


def _by_run(trials: pandas.DataFrame) -> tuple[pandas.DataFrame, np.ndarray]:
    """The trials ordered by run, within a run by completion, and the number 0, 1, ... of each one's run."""
    import pandas as pd

    key = np.zeros(len(trials), dtype=np.int64)
    for column in RUN:
        codes, values = pd.factorize(trials[column], sort=True)
        key = key * len(values) + codes
    if (np.diff(key) < 0).any():
        order = np.argsort(key, kind="stable")
        trials, key = trials.iloc[order], key[order]
    new = np.diff(key, prepend=-1) != 0
    ends = trials["end"].to_numpy(dtype=float)
    if (~new[1:] & (np.diff(ends) < 0)).any():
        raise InvalidOption(
            "the trials of a run must stand in their order of completion, got a column `end` that falls within a run; "
            "sort them by (benchmark, optimizer, seed, end)"
        )
    return trials, np.cumsum(new) - 1


def _best_so_far(trials: pandas.DataFrame, run: np.ndarray, incumbent: str) -> np.ndarray:
    """(n,) row of the incumbent after each trial, -1 while there is none.

    Runs are kept apart by an offset that makes every position in a run smaller than all of the run before.
    """
    if incumbent not in INCUMBENTS:
        raise InvalidOption(f"incumbent must be one of {', '.join(INCUMBENTS)}, got {incumbent!r}")
    loss = trials["loss"].to_numpy(dtype=float)
    failed = trials["failed"].to_numpy(dtype=bool) | ~np.isfinite(loss)
    n = len(loss)
    budget = trials["budget"].to_numpy(dtype=float) if incumbent == "highest-budget" else np.zeros(n)
    order = np.lexsort((np.arange(n), loss, -budget, failed))
    position = np.empty(n, dtype=np.int64)
    position[order] = np.arange(n)
    offset = run * np.int64(n)
    best = order[np.minimum.accumulate(position - offset) + offset]
    return np.where(failed[best], -1, best)


def _first_regrets(frame: pandas.DataFrame, task: np.ndarray, n_benchmarks: int) -> np.ndarray:
    """(benchmark,) median over runs of the first finite regret; 1 where that is zero or nothing succeeded."""
    regret = frame["regret"].to_numpy()
    finite = np.isfinite(regret)
    before = np.concatenate([[False], finite[:-1]]) & (frame["evaluation"] != 1).to_numpy()
    first = np.flatnonzero(finite & ~before)
    by_benchmark = [regret[first[task[first] == benchmark]] for benchmark in range(n_benchmarks)]
    scales = np.array([np.median(regrets) if len(regrets) else 0.0 for regrets in by_benchmark])
    return np.where(scales > 0, scales, 1.0)


def run_starts(incumbents: pandas.DataFrame) -> np.ndarray:
    """(run,) first row of each run in a table of incumbents."""
    return np.flatnonzero(incumbents["evaluation"].to_numpy() == 1)


def run_lasts(incumbents: pandas.DataFrame) -> np.ndarray:
    """(run,) last row of each run in a table of incumbents."""
    return np.append(run_starts(incumbents)[1:], len(incumbents)) - 1


def run_index(incumbents: pandas.DataFrame) -> pandas.MultiIndex:
    """(benchmark, optimizer, seed) of each run in a table of incumbents."""
    import pandas as pd

    return pd.MultiIndex.from_frame(incumbents[RUN].iloc[run_starts(incumbents)])


def known_runs(incumbents: pandas.DataFrame, value: str) -> np.ndarray:
    """(run,) whether a column is known for some incumbent on the run's benchmark.

    Raises `NotRecorded` where it is known on none.
    """
    import pandas as pd

    starts = run_starts(incumbents)
    recorded = incumbents[value].notna().to_numpy()
    found = np.isfinite(incumbents["observed"].to_numpy(dtype=float))
    benchmark, names = pd.factorize(incumbents["benchmark"].iloc[starts])
    any_found, any_recorded = (
        np.bincount(benchmark, np.logical_or.reduceat(flags, starts), len(names))[benchmark] > 0
        for flags in (found, recorded & found)
    )
    known = any_recorded | (recorded[starts] & ~any_found)
    if not known.any():
        raise NotRecorded(f"{value!r} is known on none of these benchmarks; score another column, such as 'regret'")
    return known


def final_values(incumbents: Source, value: str = "regret") -> pandas.Series:
    """A column of each run's last incumbent, indexed by (benchmark, optimizer, seed); regret unless told otherwise.

    Runs where it is not recorded are left out.
    """
    import pandas as pd

    table = as_incumbents(incumbents)
    last = table[value].to_numpy(dtype=float)[run_lasts(table)]
    return pd.Series(last, index=run_index(table), name=value)[known_runs(table, value)].dropna()


def as_incumbents(source: Source) -> pandas.DataFrame:
    """The table of incumbents of what `tables_of` takes; such a table itself as it is."""
    import pandas as pd

    return source if isinstance(source, pd.DataFrame) and "evaluation" in source else incumbents(source)


def as_final_values(source: Source | pandas.Series) -> pandas.Series:
    """Final regrets of what `tables_of` takes, or of incumbents; values indexed by run, without the NaN among them."""
    import pandas as pd

    return source.dropna() if isinstance(source, pd.Series) else final_values(source)


def cells(table: pandas.DataFrame | pandas.Series) -> Iterator[tuple[tuple[str, str], np.ndarray]]:
    """(benchmark, optimizer) and the rows of its runs, in order of the names."""
    groups = table.groupby(level=["benchmark", "optimizer"], sort=True, observed=True).indices
    return iter(sorted(groups.items()))  # type: ignore[arg-type]
