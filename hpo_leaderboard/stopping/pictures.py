"""Pictures of replayed stopping criteria, after the figures of Makarova et al. (2021, 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import InvalidOption, MissingExtra
from hpo_core.running.incumbent import trajectory
from hpo_core.shown_text import plain_labels
from hpo_core.storage.files import replacing
from hpo_leaderboard.stopping.printed import printed
from hpo_leaderboard.stopping.recorded_runs import RecordedRun

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8c564b")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")
STYLES = ("-", "--", "-.", ":")
MUTED = "#666666"
LOWEST = 1e-7  # regret that is drawn on a logarithmic axis
N_COLUMNS = 3
NARROWEST = 8.0  # inches, for the sake of the legend


def draw_trade_off(summary: pandas.DataFrame, by: Sequence[str]) -> Figure:
    """RYC against RTC: mean and standard deviation of each criterion, and the paper's mean where it prints one.

    A panel is by test loss where a test loss is known of any of its runs, else by validation loss, without the paper's
    means, which are by test loss.
    """
    groups: list[tuple[Any, Any]] = list(summary.groupby(list(by), sort=False))
    figure, panels = panels_of(len(groups), 5.0, 4.2)
    criteria = list(dict.fromkeys(summary["criterion"]))
    for axes, (key, group) in zip(panels, groups, strict=True):
        labels = dict(zip(by, key, strict=True))
        by_test = bool(group["ryc_n"].any())
        score = "ryc" if by_test else "ryc_validation"
        for row in group.to_dict("records"):
            i = criteria.index(row["criterion"])
            colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
            axes.errorbar(
                row["rtc"], row[score], xerr=row["rtc_std"], yerr=row[f"{score}_std"],
                fmt=marker, color=colour, markersize=8, elinewidth=1, alpha=0.9, label=row["criterion"],
            )  # fmt: skip
            paper = printed(row["criterion"], labels.get("benchmark"), labels.get("optimizer", ""))
            if paper is not None and by_test:
                axes.plot(paper.rtc, paper.ryc, marker, markerfacecolor="none", markeredgecolor=colour, markersize=11)
        axes.axhline(0.0, color=MUTED, linewidth=0.8)
        axes.set_xlim(-0.05, 1.05)
        words = "RYC: change of the test loss" if by_test else "RYC (validation): change of the validation loss"
        title = ", ".join(map(str, key)) + _counted(int(group["ryc_n"].min()), int(group["n"].max()))
        tidy(axes, title, "RTC: share of the iterations saved", words)
    legend_below(figure, panels[0])
    figure.suptitle("mean and standard deviation over the runs; hollow: printed in the paper", fontsize=10)
    return figure


def draw_regrets(stops: pandas.DataFrame) -> Figure:
    """Distribution of the true regret when each criterion stopped, over the runs that it stopped (2022, fig. 5)."""
    known = stops[stops["stopped"] & stops["regret"].notna()]
    benchmarks = list(dict.fromkeys(known["benchmark"]))
    figure, panels = panels_of(len(benchmarks), 5.0, 4.0)
    criteria = list(dict.fromkeys(known["criterion"]))
    for axes, benchmark in zip(panels, benchmarks, strict=True):
        here = known[known["benchmark"] == benchmark]
        for i, name in enumerate(criteria):
            values = np.sort(here.loc[here["criterion"] == name, "regret"].to_numpy(dtype=float))
            if not len(values):
                continue
            shares = np.arange(1, len(values) + 1) / len(values)
            shown = np.maximum(values, LOWEST)
            style: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], "linestyle": STYLES[i % len(STYLES)]}
            axes.step([shown[0], *shown], [0.0, *shares], where="post", label=name, linewidth=1.8, **style)
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter("")
        axes.set_ylim(0.0, 1.03)
        tidy(axes, benchmark, f"true regret at the stop ({LOWEST:g}: or less)", "share of the stopped runs")
    legend_below(figure, panels[0])
    return figure


def draw_bounds(bounds: pandas.DataFrame) -> Figure:
    """Bound on the regret and true regret along the runs, medians with quartiles (2022, fig. 2)."""
    known = bounds.dropna(subset=["regret"])
    groups: list[tuple[Any, Any]] = list(known.groupby(["benchmark", "optimizer"], sort=False))
    figure, panels = panels_of(len(groups), 5.0, 3.6)
    for axes, (key, group) in zip(panels, groups, strict=True):
        for column, colour, label in (("bound", COLOURS[0], "bound"), ("regret", COLOURS[1], "true regret")):
            values = group.assign(value=group[column].clip(lower=LOWEST)).groupby("evaluation")["value"]
            middle = values.median()
            axes.plot(middle.index, middle, color=colour, linewidth=1.8, label=label)
            axes.fill_between(middle.index, values.quantile(0.25), values.quantile(0.75), color=colour, alpha=0.2)
        below = float((group["bound"] < group["regret"]).mean())
        axes.set_yscale("log")
        tidy(axes, f"{', '.join(key)}: bound too low in {below:.0%} of the checks", "trials", "units of the loss")
    legend_below(figure, panels[0])
    return figure


def draw_overfitting(runs: Sequence[RecordedRun]) -> Figure:
    """Validation and test loss of the incumbent, mean and standard deviation over the seeds (2021, fig. 1 and 2).

    Both are over the runs all of whose incumbents have a recorded test loss, and the title says how many these are; if
    there is none, the validation loss of all runs is drawn alone.
    """
    groups: dict[tuple[str, str], list[RecordedRun]] = {}
    for run in runs:
        groups.setdefault((run.benchmark, run.optimizer), []).append(run)
    figure, panels = panels_of(len(groups), 4.2, 3.0)
    for axes, (key, members) in zip(panels, groups.items(), strict=True):
        length = min(len(run.trials) for run in members)
        indices = [trajectory(run.trials[:length]).indices for run in members]
        first = max(int((own < 0).sum()) for own in indices)
        steps = np.arange(first + 1, length + 1)
        losses = [trajectory(run.trials[:length]).losses[first:] for run in members]
        tests = [run.test[own[first:]] for run, own in zip(members, indices, strict=True)]
        known = [i for i, values in enumerate(tests) if np.isfinite(values).all()]
        curves = {"validation": [losses[i] for i in known or range(len(members))]}
        curves |= {"test": [tests[i] for i in known]} if known else {}
        for (label, values), colour in zip(curves.items(), COLOURS, strict=False):
            mean, std = np.mean(values, axis=0), np.std(values, axis=0)
            axes.plot(steps, mean, color=colour, linewidth=1.6, label=label)
            axes.fill_between(steps, mean - std, mean + std, color=colour, alpha=0.15)
        late = np.concatenate([np.array(values)[:, len(steps) // 10 :].ravel() for values in curves.values()])
        if late.size:  # else a run has no trial that succeeded
            axes.set_ylim(float(late.min()) - 0.1 * float(np.ptp(late)), float(late.max()) + 0.1 * float(np.ptp(late)))
        title = ", ".join(key) + _counted(len(known), len(members))
        tidy(axes, title, "trials", "loss of the incumbent")
    legend_below(figure, max(panels, key=lambda axes: len(axes.lines)))
    return figure


def draw_stds(stds: pandas.DataFrame) -> Figure:
    """Standard deviation of the incumbent's losses by source of randomness, over the trials (2021, fig. 3)."""
    groups: list[tuple[Any, Any]] = list(stds.groupby(["benchmark", "optimizer"], sort=False))
    figure, panels = panels_of(2 * len(groups), 4.6, 3.2)
    for i, (key, group) in enumerate(groups):
        for axes, loss in zip(panels[2 * i : 2 * i + 2], ("validation", "test"), strict=True):
            for colour, (source, rows) in zip(COLOURS, group.groupby("source", sort=False), strict=False):
                axes.plot(rows["evaluation"], rows[loss], color=colour, linewidth=1.6, label=str(source))
            tidy(axes, f"{', '.join(key)}: {loss}", "trials", "standard deviation")
    legend_below(figure, panels[0])
    return figure


def save(figure: Figure, path: Path) -> Path:
    """The path that the picture was written to."""
    with replacing(path) as temporary:
        plain_labels(figure).savefig(temporary, dpi=130, format=path.suffix.removeprefix("."))
    return path


def panels_of(n: int, width: float, height: float, n_columns: int = N_COLUMNS) -> tuple[Figure, list[Axes]]:
    """A figure of n equal panels, at most `n_columns` in a row; width and height of one, in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report") from None
    if not n:
        raise InvalidOption("there is nothing to draw: no run has the numbers that this picture needs")
    n_columns = min(n, n_columns)
    n_rows = -(-n // n_columns)
    figure = Figure(figsize=(max(width * n_columns, NARROWEST), height * n_rows + 1.0), layout="constrained")
    axes = list(figure.subplots(n_rows, n_columns, squeeze=False).flat)
    for unused in axes[n:]:
        unused.set_axis_off()
    return figure, axes[:n]


def _counted(n_known: int, n_runs: int) -> str:
    """Of how many runs the test loss is known, if not of all."""
    return "" if n_known == n_runs else f" (test loss of {n_known} of {n_runs} runs)"


def tidy(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, color="#e8e8e8", linewidth=0.7)
    axes.set_axisbelow(True)


def legend_below(figure: Figure, axes: Axes) -> Any:
    handles, labels = axes.get_legend_handles_labels()
    longest = max(map(len, labels), default=1)
    n_columns = max(1, min(len(labels), int(figure.get_figwidth() * 10 / (longest + 8))))
    return figure.legend(handles, labels, loc="outside lower center", ncols=n_columns, frameon=False, fontsize=9)
