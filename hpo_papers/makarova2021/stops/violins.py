"""RTC and RYC of several methods or budgets: what the figures 6 to 9 compute, print and draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_leaderboard.stopping.pictures import COLOURS, panels_of, tidy
from hpo_papers.frame.item import Comparison
from hpo_papers.makarova2022.record.methods import averaged

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = Sequence[Mapping[str, Any]]


def score_row(group: str, label: str, rtc: np.ndarray, ryc: np.ndarray) -> dict[str, Any]:
    """Scores (dataset, run) as a row: all values, means with intervals over the datasets, and standard deviations."""
    row: dict[str, Any] = {"group": group, "label": label}
    for name, values in (("rtc", rtc), ("ryc", ryc)):
        known = values[np.isfinite(values)]
        row |= {f"{name}_values": known.tolist(), f"{name}_std": float(known.std()), **averaged(name, values)}
    return row


def found(rows: Rows, group: str, label: str, score: str) -> float:
    """A number of the row of a group and a label."""
    return float(next(row[score] for row in rows if row["group"] == group and row["label"] == label))


def beside_printed(rows: Rows, printed: Mapping[tuple[str, str, str], float]) -> list[Comparison]:
    """Mean RTC and RYC of each row beside what is printed for (group, label, score)."""
    return [
        Comparison(
            f"{row['group']}, {row['label']}: {score.upper()}",
            printed.get((row["group"], row["label"], score)),
            row[score],
            row[f"{score}_low"],
            row[f"{score}_high"],
        )
        for row in rows
        for score in ("rtc", "ryc")
    ]


def draw_violins(rows: Rows) -> Figure:
    """Violins of RTC and RYC, a line of two panels for each group; the bars are means, which the labels repeat."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    figure, panels = panels_of(2 * len(groups), 4.6, 2.6, n_columns=2)
    words = {"rtc": "RTC: share saved", "ryc": "RYC: change of the test loss"}
    for i, group in enumerate(groups):
        own = [row for row in rows if row["group"] == group]
        for axes, score in zip(panels[2 * i : 2 * i + 2], ("rtc", "ryc"), strict=True):
            for at, row in enumerate(own):
                _violin(axes, at, row[f"{score}_values"], row[score])
            labels = [f"{row['label']}\n({row[score]:.3f})" for row in own]
            axes.set_xticks(range(len(own)), labels, fontsize=8)
            tidy(axes, group, "", words[score])
    return figure


def _violin(axes: Any, at: int, values: Sequence[float], mean: float) -> None:
    if len(set(values)) > 1:
        for body in axes.violinplot([values], positions=[at], widths=0.8, showextrema=False)["bodies"]:
            body.set_facecolor(COLOURS[0])
            body.set_alpha(0.35)
    spread = np.linspace(-0.12, 0.12, len(values)) if len(values) > 1 else np.zeros(len(values))
    axes.plot(at + spread, sorted(values), ".", color=COLOURS[0], markersize=2.5, alpha=0.6)
    axes.hlines(mean, at - 0.35, at + 0.35, color=COLOURS[1], linewidth=1.8)
