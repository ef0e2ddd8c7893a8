"""Figures of how long it takes to reach targets: their ECDF, expected running times, performance profiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.report.figures.curves import FAIR, POOLED, grid_points, lines_of, tables_joined
from hpo_leaderboard.report.figures.figure import ALL, Figure, Key, Lines, Omitted
from hpo_leaderboard.report.scored.groups import Group
from hpo_leaderboard.scores.fixed_target.expected_running_times import expected_running_times
from hpo_leaderboard.scores.fixed_target.performance_profiles import performance_profiles
from hpo_leaderboard.scores.fixed_target.runtimes import ecdf, runtimes
from hpo_leaderboard.scores.fixed_target.targets import N_TARGETS

if TYPE_CHECKING:
    import pandas

BAND = "95 % intervals"


def target_figure(group: Group) -> Figure:
    """Share of targets reached, the fixed-target ECDF."""
    caption = (
        "Share of (benchmark, target) pairs whose target the incumbent has reached by then. Targets: "
        f"{group.targets.words}. Benchmarks count alike, bands are 95 % bootstrap intervals over runs. A target that a "
        f"run never reaches counts as not reached. {FAIR}"
    )
    views: dict[Key, Lines] = {}
    tables = []
    for over, pooled in POOLED.items():
        parts = {(name, over): table for name, table in group.of.items()}
        if len(group.benchmarks) > 1:
            parts = {(ALL, pooled): group.incumbents, **parts}
        for (name, axis), table in parts.items():
            share = ecdf(runtimes(table, group.targets.table, axis), grid_points(table, axis))
            tables.append(share.assign(benchmark=name, over=axis))
            log_x = axis == "seconds"
            views[name, over] = lines_of(share, "share", "low", "high", axis, "share of targets reached", log_x=log_x)
    return _figure(group, "targets", "Targets reached (ECDF)", caption, tables, views)


def running_time_figure(group: Group) -> Figure:
    """Expected running time to each target of each benchmark."""
    caption = (
        "Expected running time (ERT) to each target, hard ones on the left: the time that all runs spent until they "
        "reached it, or until they ended, divided by the number of runs that did. It is the expected time of "
        "restarting the optimizer until it succeeds (Hansen et al., 2021), so a line ends where no run gets further. "
        f"Targets: {group.targets.words}. Bands are 95 % bootstrap intervals over runs. {FAIR}"
    )
    views: dict[Key, Lines] = {}
    tables = []
    for over in POOLED:
        for name, table in group.of.items():
            times = expected_running_times(table, _thinned(group.targets.table, name), over)
            tables.append(times.assign(over=over))
            times = times.assign(at=np.maximum(times["target"] - _reference(table), 0.0)).sort_values("at")
            positive = bool((times["at"] > 0).any())
            view = lines_of(times, "ert", "low", "high", over, f"expected {over}", log_x=positive, log_y=True)
            views[name, over] = view._replace(x_title="target regret")
    return _figure(group, "running-times", "Expected running times", caption, tables, views)


def _thinned(targets: pandas.DataFrame, benchmark: str) -> pandas.DataFrame:
    """Targets of a benchmark, each once, from the lowest to the highest; of many, evenly chosen ones."""
    own = targets[targets["benchmark"] == benchmark].sort_values("target").drop_duplicates()
    chosen = np.unique(np.linspace(0, len(own) - 1, min(N_TARGETS, len(own))).round().astype(int))
    return own.iloc[chosen]


def _reference(table: pandas.DataFrame) -> float:
    """The loss of regret zero on the benchmark of some incumbents."""
    known = np.isfinite(table["loss"].to_numpy(dtype=float))
    row = table.iloc[int(np.argmax(known))]
    return float(row["loss"] - row["regret"])


def profile_figure(group: Group) -> Figure | Omitted:
    """Performance profiles."""
    name, title = "profiles", "Performance profiles"
    if len(group.optimizers) < 2:
        return Omitted(name, title, "A profile compares the times of two optimizers or more.")
    caption = (
        "Share of (benchmark, target) pairs on which the optimizer's expected running time is at most this many times "
        "that of the fastest (Dolan and Moré, 2002). On the left: how often it is the fastest; on the right: how many "
        f"targets it reaches at all. Targets: {group.targets.words}. Bands are 95 % bootstrap intervals over "
        f"benchmarks. {FAIR}"
    )
    views: dict[Key, Lines] = {}
    tables = []
    for over in POOLED:
        shares = performance_profiles(group.incumbents, group.targets.table, over).rename(columns={"factor": "at"})
        tables.append(shares.assign(over=over))
        view = lines_of(shares, "share", "low", "high", over, "share of targets", log_x=True)
        views[(over,)] = view._replace(x_title="times slower than the fastest")
    sheets = {"": list(views)}
    table = tables_joined(tables).rename(columns={"at": "factor"})
    return Figure(name, title, caption, table, {"over": group.axes}, views, sheets, BAND)


def _figure(
    group: Group, name: str, title: str, caption: str, tables: list[pandas.DataFrame], views: dict[Key, Lines]
) -> Figure:
    """Figure with choices of benchmark and axis; printed is the first benchmark, over both axes.

    Parameters
    ----------
    group
        What it is about.
    name, title, caption
        As of `Figure`.
    tables
        Parts of its table.
    views
        By benchmark and axis.
    """
    benchmarks = list(dict.fromkeys(key[0] for key in views))
    ordered: dict[Key, Lines] = {(each, over): views[each, over] for each in benchmarks for over in group.axes}
    sheets = {"": [(benchmarks[0], over) for over in group.axes]}
    choices = {"benchmark": benchmarks, "over": group.axes}
    return Figure(name, title, caption, tables_joined(tables), choices, ordered, sheets, BAND)


TARGETS: tuple[Callable[[Group], Figure | Omitted], ...] = (target_figure, running_time_figure, profile_figure)
