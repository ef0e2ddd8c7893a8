"""Figures of how the optimizers end: p-values, critical differences, robustness, and what they cost themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.report.figures.figure import ALL, Dot, Dots, Figure, HeatMap, Key, Line, Lines, Omitted
from hpo_leaderboard.report.scored.groups import Group
from hpo_leaderboard.scores.comparisons import mann_whitney, p_matrix, stratified_mann_whitney, task_means
from hpo_leaderboard.scores.critical_difference import critical_difference
from hpo_leaderboard.scores.incumbents import final_values
from hpo_leaderboard.scores.overheads import overheads
from hpo_leaderboard.scores.robustness import robustness, robustness_at

if TYPE_CHECKING:
    import pandas

P_VALUES = "p-values"
TASKS = "averages of tasks"
N_VALUES = 150  # points of an ECDF of final regrets


def p_value_figure(group: Group) -> Figure | Omitted:
    """Heat map of the p-values of all pairs, over all benchmarks and on each."""
    name, title = P_VALUES, "Who is better than whom"
    if len(group.optimizers) < 2:
        return Omitted(name, title, "A comparison needs two optimizers that ran on the same benchmarks.")
    caption = (
        "p-values that the optimizer in the column ends with a lower regret than the one in the row: one-sided "
        "Mann-Whitney U tests of the final regrets on one benchmark; over all benchmarks van Elteren's test, which "
        "compares runs only within a benchmark. Corrected by Holm's method for all pairs in both directions. The "
        "effect is the probability that a run of the column beats a run of the row, ties counting half, with a 95 % "
        f"bootstrap interval.{_averaged(group)}"
    )
    import pandas as pd

    final = final_values(group.incumbents)
    each = mann_whitney(final, "less")
    parts = {str(benchmark): own for benchmark, own in each.groupby("benchmark", observed=True)}
    if len(group.benchmarks) > 1:
        parts = {ALL: stratified_mann_whitney(final, "less"), **_over_tasks(group, final), **parts}
    views: dict[Key, HeatMap] = {(benchmark,): _heat_map(own, group.optimizers) for benchmark, own in parts.items()}
    table = pd.concat([own.assign(benchmark=benchmark) for benchmark, own in parts.items()], ignore_index=True)
    table.insert(0, "benchmark", table.pop("benchmark"))
    first = next(iter(views))
    return Figure(name, title, caption, table, {"benchmark": list(parts)}, views, {"": [first]})


def _over_tasks(group: Group, final: pandas.Series) -> dict[str, pandas.DataFrame]:
    """Tests of the averages of tasks, where the suite asks for them: figure 8.4 of Klein (2020)."""
    n = group.scoring.repetitions
    if n is None:
        return {}
    return {TASKS: mann_whitney(task_means(final, n), "less").drop(columns="benchmark")}


def _averaged(group: Group) -> str:
    n = group.scoring.repetitions
    if n is None or len(group.benchmarks) < 2:
        return ""
    return (
        f" {TASKS.capitalize()}: the final regrets of {n} runs are averaged on each benchmark, and the averages tested "
        "as in figure 8.4 of Klein (2020); that asks for regrets on one scale."
    )


def _heat_map(comparisons: pandas.DataFrame, optimizers: tuple[str, ...]) -> HeatMap:
    matrix = p_matrix(comparisons).reindex(index=optimizers, columns=optimizers)
    notes = {
        (row["a"], row["b"]): (
            f"<b>{row['a']}</b> better than <b>{row['b']}</b><br>p = {row['p_holm']:.2g} ({row['p']:.2g} uncorrected)"
            f"<br>effect {row['effect']:.2f} [{row['effect_low']:.2f}, {row['effect_high']:.2f}]"
        )
        for row in comparisons.to_dict("records")
    }
    texts = [[notes.get((a, b), "") for a in optimizers] for b in optimizers]
    return HeatMap(optimizers, matrix.to_numpy(dtype=float), texts, "this optimizer is better ...", "... than this one")


def critical_difference_figure(group: Group) -> Figure | Omitted:
    """Mean ranks over benchmarks, with bars that join optimizers that do not differ."""
    name, title = "critical-differences", "Critical differences"
    try:
        found = critical_difference(final_values(group.incumbents))
    except InvalidOption as error:
        reason = str(error).partition(";")[0]
        return Omitted(name, title, f"{reason[0].upper()}{reason[1:]}.")
    caption = (
        "Mean rank of the median final regret over benchmarks. Optimizers joined by a bar on the right do not differ "
        "at the 5 % level by Nemenyi's test; the ruler has the length of the critical difference, "
        f"{found.difference:.2f} ranks (Demšar, 2006). Friedman's test that all {len(found.ranks)} are equal on the "
        f"{found.n_tasks} benchmarks: p = {found.p_value:.2g}. Both tests see benchmarks, not runs, "
        "and with fewer than about ten of them few differences can show."
    )
    order = list(found.ranks.index)
    bars = [(order.index(names[0]), order.index(names[-1])) for names in found.groups]
    dots = [Dot(str(name), rank, np.nan, np.nan) for name, rank in found.ranks.items()]
    table = found.p_values.set_axis([f"p, {name}" for name in order], axis=1)
    table.insert(0, "mean rank", found.ranks)
    table.insert(1, "critical difference", found.difference)
    view = Dots(dots, "mean rank over benchmarks, 1 is the best", bars=bars, ruler=found.difference)
    return _single(name, title, caption, table.rename_axis("optimizer").reset_index(), view)


def robustness_figure(group: Group) -> Figure:
    """Share of runs that end at or below each regret, or that have it by the seconds that the suite states."""
    caption = (
        "Share of runs that end with at most this regret, or have it after the seconds that the suite states. A steep "
        "curve is an optimizer that gives much the same result in every run, a long tail to the right is one that "
        "sometimes fails. Bands are 95 % bootstrap intervals. Test: the same of the test regret of the incumbents, "
        "where test losses are recorded; runs whose incumbent has none are left out, and the CSV file has the number "
        "of the others. All benchmarks: final regret relative to the median regret of a run's first incumbent, runs of "
        "all benchmarks together. On a logarithmic axis runs with regret zero lie beyond the left edge."
    )
    import pandas as pd

    tables = _robustness_tables(group)
    views: dict[Key, Lines] = {(name,): _distribution(own, own["over"].iloc[0]) for name, own in tables.items()}
    table = pd.concat(list(tables.values()), ignore_index=True)
    choices = {"benchmark": list(tables)}
    tested = {(name,) for name, own in tables.items() if "test" in own["over"].iloc[0]}
    printed = [key for key in views if (key in tested) == (group.scoring.split == "test" and bool(tested))]
    sheets = {"": printed}
    return Figure("robustness", "Robustness", caption, table, choices, views, sheets, band="95 % intervals")


def _robustness_tables(group: Group) -> dict[str, pandas.DataFrame]:
    """Distributions by what the page calls them: all benchmarks, then each, on the suite's split first."""
    import pandas as pd

    tables = {}
    if len(group.benchmarks) > 1:
        relative = final_values(group.incumbents, "relative")
        together = pd.concat({ALL: relative.droplevel("benchmark")}, names=["benchmark"])
        tables[ALL] = robustness(together).assign(over="final relative regret")
    tested = group.incumbents["test_regret"].notna().any()
    splits = {"regret": "", "test_regret": ", test"} if tested else {"regret": ""}
    for value in sorted(splits, key=lambda value: (value == "test_regret") != (group.scoring.split == "test")):
        found = robustness_at(group.incumbents, group.scoring.cutoffs, value)
        for (name, at), own in found.groupby(["benchmark", "seconds"], observed=True):
            seconds = float(at)  # type: ignore[arg-type]
            after = "" if np.isinf(seconds) else f", {seconds:g} s"
            title = value.replace("_", " ")
            tables[f"{name}{splits[value]}{after}"] = own.assign(over=title if after else f"final {title}")
    return {name: own for name, own in tables.items() if len(own)}


def _distribution(table: pandas.DataFrame, x_title: str) -> Lines:
    """ECDFs at the values that occur, or at quantiles of them where they are many: exact there, constant between."""
    values = np.sort(table["value"].to_numpy(dtype=float))
    distinct = np.unique(values)
    if len(distinct) > N_VALUES:
        distinct = np.unique(np.quantile(values, np.linspace(0, 1, N_VALUES), method="lower"))
    lines = []
    for name, own in table.groupby("optimizer", observed=True):
        reached = np.searchsorted(own["value"].to_numpy(dtype=float), distinct, side="right")
        columns = (np.append(0.0, own[column].to_numpy(dtype=float))[reached] for column in ("share", "low", "high"))
        lines.append(Line(str(name), *columns))
    return Lines(distinct, lines, x_title, "share of runs", log_x=bool((distinct > 0).any()))


def overhead_figure(group: Group) -> Figure | Omitted:
    """CPU time of the optimizers themselves."""
    name, title = "overhead", "Optimizer overhead"
    table = overheads(group.runs)
    table = table[table["optimizer"].isin(group.optimizers)].sort_values("median", kind="stable")
    if table.empty:
        return Omitted(name, title, "No run has a measured overhead.")
    caption = (
        "CPU milliseconds that the optimizer itself takes for a trial, asking and telling: median over runs, whiskers "
        "from the lower to the upper quartile. They depend on the machine, and on the length of the runs where "
        "suggestions get slower with their number. Regret over seconds does not contain them."
    )
    milliseconds = 1e3 * table[["median", "q25", "q75"]].to_numpy(dtype=float)
    dots = [Dot(name, *row) for name, row in zip(table["optimizer"], milliseconds.tolist(), strict=True)]
    view = Dots(dots, "milliseconds of CPU per trial", log_x=bool((milliseconds > 0).all()))
    return _single(name, title, caption, table, view)


def _single(name: str, title: str, caption: str, table: pandas.DataFrame, view: Dots) -> Figure:
    """Figure without choices."""
    views: dict[Key, Dots] = {(): view}
    return Figure(name, title, caption, table, {}, views, {"": list(views)})


COMPARISONS: tuple[Callable[[Group], Figure | Omitted], ...] = (
    p_value_figure,
    critical_difference_figure,
    robustness_figure,
    overhead_figure,
)
