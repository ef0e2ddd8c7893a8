"""Pictures that several figures share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpo_leaderboard.stopping.pictures import COLOURS, MARKERS, legend_below, panels_of, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_scatter(rows: Sequence[Mapping[str, Any]], ryc_words: str = "RYC: change of the test loss") -> Figure:
    """RYC against RTC, mean and standard deviation of each method, a panel for each group."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    figure, panels = panels_of(len(groups), 4.6, 3.6)
    for axes, group in zip(panels, groups, strict=True):
        for row in (row for row in rows if row["group"] == group):
            i = methods.index(row["method"])
            colour, marker = COLOURS[i % len(COLOURS)], MARKERS[(i + i // len(COLOURS)) % len(MARKERS)]
            axes.errorbar(
                row["rtc"], row["ryc"], xerr=row["rtc_std"], yerr=row["ryc_std"],
                fmt=marker, color=colour, markersize=7, elinewidth=1, alpha=0.9, label=row["method"],
            )  # fmt: skip
        axes.axhline(0.0, color="#666666", linewidth=0.8)
        tidy(axes, group, "RTC: share of the evaluations saved", ryc_words)
    legend_below(figure, panels[0])
    return figure


def draw_differences(curves: Sequence[Mapping[str, Any]], title: str) -> Figure:
    """Bound less true regret over the evaluations: median, 20 % and 80 % quantile of each way to compute the bound."""
    figure, (axes,) = panels_of(1, 8.0, 4.0)
    for curve, colour in zip(curves, COLOURS, strict=False):
        label = f"{curve['name']}: {curve['below']:,} of {curve['n']:,} below 0"
        axes.plot(curve["evaluations"], curve["median"], color=colour, linewidth=1.8, label=label)
        axes.plot(curve["evaluations"], curve["low"], color=colour, linewidth=1.0, linestyle="--")
        axes.plot(curve["evaluations"], curve["high"], color=colour, linewidth=1.0, linestyle=":")
    axes.set_yscale("symlog", linthresh=1e-5)
    axes.axhline(0.0, color="#666666", linewidth=0.8)
    tidy(axes, title, "evaluations", "bound less true regret")
    legend_below(figure, axes)
    return figure
