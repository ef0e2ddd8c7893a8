"""RYC against RTC, a panel for each algorithm or dataset, with what is printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpo_leaderboard.stopping.pictures import COLOURS, MARKERS, legend_below, panels_of, tidy
from hpo_papers.makarova2022.tables.printed import Printed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_trade_off(rows: Sequence[Mapping[str, Any]], printed: Printed, columns: Sequence[str]) -> Figure:
    """Means with their intervals; hollow markers are the paper's means."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    figure, panels = panels_of(len(columns), 4.6, 3.6)
    for axes, column in zip(panels, columns, strict=True):
        for row in (row for row in rows if row["group"] == column):
            i = methods.index(row["method"])
            colour, marker = COLOURS[i % len(COLOURS)], MARKERS[(i + i // len(COLOURS)) % len(MARKERS)]
            reach = [
                [[row[score] - row[f"{score}_low"]], [row[f"{score}_high"] - row[score]]] for score in ("rtc", "ryc")
            ]
            axes.errorbar(
                row["rtc"], row["ryc"], xerr=reach[0], yerr=reach[1],
                fmt=marker, color=colour, markersize=7, elinewidth=1, label=row["method"],
            )  # fmt: skip
            cells = printed.get(row["method"])
            if cells is not None:
                at = columns.index(column)
                axes.plot(cells[0][at], cells[1][at], marker, markersize=11, mfc="none", mec=colour)
        axes.axhline(0.0, color="#666666", linewidth=0.8)
        tidy(axes, f"{column} (hollow: printed)", "RTC: share of the evaluations saved", "RYC: change of the test loss")
    legend_below(figure, panels[0])
    return figure
