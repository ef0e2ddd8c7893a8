"""Figures over evaluations or seconds: regret, test regret, mean rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_leaderboard.report.figures.figure import ALL, Figure, Key, Line, Lines, Omitted
from hpo_leaderboard.report.scored.groups import Group
from hpo_leaderboard.scores.curves import curve_summary, curves, positions
from hpo_leaderboard.scores.ranks import average_ranks

if TYPE_CHECKING:
    import pandas

N_POINTS = 120  # of a curve; more would not be seen
N_RANK_POINTS = 50  # of a rank curve, each of which takes a thousand samples
POOLED = {"evaluations": "evaluations", "seconds": "share"}  # axes that benchmarks share
TITLES = {"evaluations": "evaluations", "seconds": "seconds", "share": "share of the longest run"}
CARRIED = "A run that has ended keeps its last incumbent."
FAIR = "An evaluation may be at any budget, so for multi-fidelity optimizers seconds are the fair axis."


def grid_points(table: pandas.DataFrame, over: str, n: int = N_POINTS) -> np.ndarray:
    """At most n positions on an axis up to the end of the longest run.

    Half of them are evenly spaced and half evenly in their logarithm, so that either kind of axis shows a smooth curve.
    """
    x = positions(table, over)
    last = x.max()
    if last <= 0:
        return np.array([last])
    if over == "evaluations" and last <= n:
        return np.arange(1.0, last + 1)
    first = 1.0 if over == "evaluations" else x[x > 0].min()
    both = np.concatenate([np.geomspace(first, last, n // 2), np.linspace(first, last, n - n // 2)])
    return np.unique(np.round(both) if over == "evaluations" else both)


def regret_figure(group: Group) -> Figure:
    """Regret of each benchmark, and relative regret of all of them together."""
    caption = (
        "Regret of the incumbent: its noise-free loss at the full budget minus the benchmark's optimum (see Methods "
        f"for benchmarks where that is not known). {_rising(group)}Lines are medians over runs, bands go from the "
        f"lower to the upper quartile. {CARRIED} All benchmarks: regret relative to the median regret of a run's first "
        "incumbent there, runs of all benchmarks taken together; their seconds are divided by those of the longest run "
        f"on the benchmark. {FAIR} On a logarithmic axis regret zero is drawn at the lower edge. "
        "The CSV file also has means, standard errors and bootstrap intervals."
    )
    views, tables = _regret_views(group, "regret", "regret")
    pooled: dict[Key, Lines] = {}
    for over, axis in POOLED.items():
        if len(group.benchmarks) > 1:
            grid = grid_points(group.incumbents, axis)
            summary = curve_summary(group.incumbents, axis, grid, "relative", pooled=True)
            tables.append(summary.assign(over=axis, value="relative"))
            pooled[ALL, over] = lines_of(summary, "median", "q25", "q75", axis, "relative regret", log_y=True)
    return _over_benchmarks(group.axes, "regret", "Regret", caption, tables, {**pooled, **views}, "quartiles")


def _rising(group: Group) -> str:
    """Why regret rises, where it does in some run."""
    rising = [name for name, table in group.of.items() if _rises(table)]
    if not rising:
        return ""
    where = "on every benchmark" if len(rising) == len(group.of) else f"on {some(rising)}"
    return (
        f"It may rise, and does {where}: an optimizer sees noisy losses, or losses at small budgets, and keeps the "
        "configuration that looks best; a new one that looks better can be worse in truth, and it is the truth that is "
        "drawn. "
    )


def _rises(table: pandas.DataFrame) -> bool:
    regret, first = table["regret"].to_numpy(dtype=float), table["evaluation"].to_numpy() == 1
    with np.errstate(invalid="ignore"):  # inf - inf before the first incumbent
        return bool((np.diff(regret)[~first[1:]] > 0).any())


def some(names: Sequence[str], n: int = 5) -> str:
    """Names in a sentence, of many the first ones."""
    return ", ".join(names) if len(names) <= n else f"{', '.join(names[:n])} and {len(names) - n} more"


def figure_of_test_regret(group: Group) -> Figure | Omitted:
    """Test regret of each benchmark where it is known."""
    known = [name for name, table in group.of.items() if table["test_regret"].notna().any()]
    if not known:
        return Omitted("test-regret", "Test regret", "The test losses of these benchmarks are not known.")
    caption = (
        "Test regret of the same incumbents, which were chosen by their validation loss: test loss at the full budget "
        f"minus the lowest one. {_recorded(group, known)}Lines are medians over runs, bands quartiles. {CARRIED} "
        "Choosing by validation loss leaves some test regret even in the long run."
    )
    chosen = group._replace(of={name: group.of[name] for name in known})
    views, tables = _regret_views(chosen, "test_regret", "test regret")
    return _over_benchmarks(group.axes, "test-regret", "Test regret", caption, tables, views, "quartiles")


def _recorded(group: Group, benchmarks: Sequence[str]) -> str:
    """How many incumbents have a test loss, where some have none."""
    parts = []
    for name in benchmarks:
        last = group.of[name].groupby(["optimizer", "seed"], observed=True).tail(1)["test_regret"]
        if last.isna().any():
            parts.append(f"{int(last.notna().sum())} of {len(last)} on {name}")
    return f"Not every test loss is recorded; final incumbents that have one: {'; '.join(parts)}. " if parts else ""


def _regret_views(group: Group, value: str, title: str) -> tuple[dict[Key, Lines], list[pandas.DataFrame]]:
    views: dict[Key, Lines] = {}
    tables = []
    for over in POOLED:
        for benchmark, table in group.of.items():
            summary = curve_summary(table, over, grid_points(table, over), value)
            tables.append(summary.assign(over=over, value=value))
            log_x = over == "seconds"
            views[benchmark, over] = lines_of(summary, "median", "q25", "q75", over, title, log_x=log_x, log_y=True)
    return views, tables


def rank_figure(group: Group) -> Figure | Omitted:
    """Mean rank over the course of the runs."""
    title = "Mean rank"
    if len(group.optimizers) < 2:
        return Omitted("ranks", title, "A rank needs two optimizers that ran on the same benchmarks.")
    caption = (
        "Mean rank by regret, 1 being the best: from each benchmark and optimizer one run is drawn, the optimizers are "
        "ranked, ties sharing ranks, and ranks are averaged over benchmarks; the mean of 1,000 such samples (Feurer et "
        f"al., 2015) with a 95 % interval for the average over all runs. {CARRIED} {FAIR}"
    )
    views: dict[Key, Lines] = {}
    tables = []
    for over, axis in POOLED.items():
        ranks = average_ranks(curves(group.incumbents, axis, grid_points(group.incumbents, axis, N_RANK_POINTS)))
        tables.append(ranks.assign(over=axis))
        views[(over,)] = lines_of(ranks, "rank", "low", "high", axis, "mean rank, 1 is the best")
    return Figure(
        "ranks",
        title,
        caption,
        tables_joined(tables),
        {"over": group.axes},
        views,
        sheets={"": list(views)},
        band="95 % intervals",
    )


def _over_benchmarks(
    axes: tuple[str, str],
    name: str,
    title: str,
    caption: str,
    tables: list[pandas.DataFrame],
    views: dict[Key, Lines],
    band: str,
) -> Figure:
    """Figure with choices of benchmark and axis; printed are all benchmarks, a sheet per axis."""
    benchmarks = list(dict.fromkeys(key[0] for key in views))
    ordered: dict[Key, Lines] = {(benchmark, over): views[benchmark, over] for benchmark in benchmarks for over in axes}
    sheets = {f"-{over}": [(benchmark, over) for benchmark in benchmarks] for over in axes}
    choices = {"benchmark": benchmarks, "over": axes}
    return Figure(name, title, caption, tables_joined(tables), choices, ordered, sheets, band)


def lines_of(table: pandas.DataFrame, y: str, low: str, high: str, over: str, y_title: str, **logs: Any) -> Lines:
    """Lines of a table with columns optimizer and at, all optimizers at the same positions."""
    lines = [
        Line(str(name), *(own[column].to_numpy(dtype=float) for column in (y, low, high)))
        for name, own in table.groupby("optimizer", observed=True)
    ]
    grid = table.loc[table["optimizer"] == table["optimizer"].iloc[0], "at"].to_numpy(dtype=float)
    return Lines(grid, lines, TITLES[over], y_title, **logs)


def tables_joined(tables: list[pandas.DataFrame]) -> pandas.DataFrame:
    """One table, with the columns that say what a row is about in front."""
    import pandas as pd

    table = pd.concat(tables, ignore_index=True)
    keys = [name for name in ("benchmark", "optimizer", "value", "over", "at") if name in table.columns]
    return table[keys + [name for name in table.columns if name not in keys]]


CURVES: tuple[Callable[[Group], Figure | Omitted], ...] = (
    regret_figure,
    figure_of_test_regret,
    rank_figure,
)
