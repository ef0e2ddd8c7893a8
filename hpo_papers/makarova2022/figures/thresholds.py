"""Studies of one parameter of a method, for figures 8 and 9: curves of RTC and RYC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hpo_leaderboard.stopping.pictures import COLOURS, MARKERS, legend_below, panels_of, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def monotone(rows: Sequence[Mapping[str, Any]], slack: float = 0.0) -> bool:
    """Whether from row to row less is saved and less is lost, up to some slack of RYC."""
    return all(a["rtc"] >= b["rtc"] and a["ryc"] <= b["ryc"] + slack for a, b in pairwise(rows))


def draw_study(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """RYC against RTC along the parameter, a panel for each group and a line for each kind of method."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    figure, panels = panels_of(len(groups), 4.2, 3.4)
    for axes, group in zip(panels, groups, strict=True):
        kinds = list(dict.fromkeys(row["method"].partition("_")[0] for row in rows))
        for i, kind in enumerate(kinds):
            own = [row for row in rows if row["group"] == group and row["method"].startswith(kind)]
            style: dict[str, Any] = {"color": COLOURS[i], "marker": MARKERS[i], "markersize": 5}
            axes.plot([row["rtc"] for row in own], [row["ryc"] for row in own], label=kind, **style)
            for row in own:
                axes.annotate(row["method"].partition("_")[2], (row["rtc"], row["ryc"]), fontsize=7, alpha=0.8)
        axes.axhline(0.0, color="#666666", linewidth=0.8)
        tidy(axes, group, "RTC: share of the evaluations saved", "RYC: change of the test loss")
    legend_below(figure, panels[0])
    return figure
