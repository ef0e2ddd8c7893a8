"""Figures of the synthetic study: errors against n, on logarithmic axes as in the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpo_core.errors import MissingExtra
from hpo_leaderboard.stopping.pictures import COLOURS, MARKERS, STYLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINES = (  # key, label, colour, marker, width, opacity
    ("choice", "choice by heuristic 3.1", "#d62728", "", 7.0, 0.35),
    ("always", "f: always train again", COLOURS[0], "^", 1.4, 1.0),
    ("never", "g: never", COLOURS[2], "*", 1.4, 1.0),
)

Rows = Sequence[Mapping[str, Any]]


def grid(n_rows: int, n_columns: int, width: float, height: float) -> tuple[Figure, Any]:
    """A figure with a grid of panels that share their axes; width and height of one, in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report") from None
    figure = Figure(figsize=(width * n_columns + 0.8, height * n_rows + 0.9), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False)


def draw_choices(rows: Rows, down: str, across: Sequence[str]) -> Figure:
    """Errors of f, g and the choice against n: a row of panels per value of `down`, a column per value of `across`."""
    tall = list(dict.fromkeys(row[down] for row in rows))
    wide = list(dict.fromkeys(tuple(row[name] for name in across) for row in rows))
    figure, panels = grid(len(tall), len(wide), 1.5 if len(wide) > 4 else 2.4, 1.5 if len(tall) > 2 else 2.2)
    for i, first in enumerate(tall):
        for j, second in enumerate(wide):
            axes = panels[i, j]
            chosen = [r for r in rows if r[down] == first and tuple(r[name] for name in across) == second]
            for key, label, colour, marker, line, opacity in LINES:
                n, risks = [row["n"] for row in chosen], [row[key] for row in chosen]
                axes.plot(
                    n, risks, marker=marker, color=colour, linewidth=line, alpha=opacity, markersize=4, label=label
                )
            logarithmic(axes)
            if i == 0:
                names = (f"{_name(name)} = {value:g}" for name, value in zip(across, second, strict=True))
                axes.set_title("\n".join(names), fontsize=8)
            if j == 0:
                axes.set_ylabel(f"{_name(down)} = {first:g}\nerror", fontsize=8)
            if i == len(tall) - 1:
                axes.set_xlabel("n", fontsize=8)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def draw_tolerances(readings: Mapping[str, Rows]) -> Figure:
    """Errors and savings against n, a row of panels per reading and a line per gamma; exact training in black."""
    shares = sorted({row["share"] for rows in readings.values() for row in rows})
    figure, panels = _pairs(len(readings), len(shares))
    for i, (title, rows) in enumerate(readings.items()):
        for j, share in enumerate(shares):
            above, below = panels[2 * i, j], panels[2 * i + 1, j]
            chosen = [row for row in rows if row["share"] == share]
            for axes, savings in ((above, False), (below, True)):
                axes.set_visible(bool(chosen))
                _draw_gammas(axes, chosen, savings)
                axes.set_ylabel("saving of epochs" if savings else "excess risk", fontsize=8)
                axes.tick_params(labelbottom=True, labelleft=True)
            above.set_title(f"{title}\nmu/n = {share:g}", fontsize=8)
            below.set_xlabel("n", fontsize=8)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False)
    return figure


def _pairs(n_readings: int, n_shares: int) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.0 * n_shares + 0.8, 4.2 * n_readings + 0.8), layout="constrained")
    return figure, figure.subplots(2 * n_readings, n_shares, sharex=True, sharey="row", squeeze=False)


def _draw_gammas(axes: Axes, rows: Rows, savings: bool) -> None:
    gammas = list(dict.fromkeys(row["gamma"] for row in rows))
    if not savings and rows:
        exact = [row for row in rows if row["gamma"] == gammas[0]]
        axes.plot([r["n"] for r in exact], [r["exact"] for r in exact], color="black", linewidth=1.6, label="exact")
    for k, gamma in enumerate(gammas):
        chosen = [row for row in rows if row["gamma"] == gamma]
        values = [row["exact_epochs"] / row["epochs"] if savings else row["risk"] for row in chosen]
        axes.plot(
            [row["n"] for row in chosen],
            values,
            color=COLOURS[k],
            linestyle=STYLES[2],
            marker=MARKERS[k],
            markersize=4,
            label=f"gamma = {gamma:g}",
        )
    logarithmic(axes)


def logarithmic(axes: Axes) -> None:
    """Logarithmic axes with few words on them."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.grid(alpha=0.3, which="both", linewidth=0.5)
    axes.tick_params(labelsize=7, which="both")


def _name(key: str) -> str:
    return {"share": "mu/n", "ratio": "rho_out / rho_in", "L": "configurations"}.get(key, key)
