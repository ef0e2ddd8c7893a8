"""Theorems 3.1 and 3.2: bounds beside the risks that they bound, in the synthetic study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.stopping.pictures import COLOURS
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.ram2022.figures.protocol import DEPARTURES, PROTOCOL, RUNS, cost
from hpo_papers.ram2022.synthetic.drawing import grid, logarithmic
from hpo_papers.ram2022.synthetic.scale import scale_of
from hpo_papers.ram2022.theory.terms import term_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DELTA = 0.05
PAIRS = {  # what is measured, and its bound
    "excess risk of g": ("excess_of_g", "bound_of_g"),
    "excess risk of f": ("excess_of_f", "bound_of_f"),
    "E_mcm": ("misspecification", "misspecification_bound"),
    "-E_hin": ("minus_hold_in", "hold_in_bound"),
}


def compute(work: Work) -> Numbers:
    """Measured risks and bounds of each sample, 36 configurations, exact training."""
    rows = term_rows(work, "wide", scale_of(work.runs), 36, [(0.0, 0.0)])
    return {"rows": [{**row, "minus_hold_in": -row["hold_in"]} for row in rows]}


def _values(numbers: Numbers, key: str) -> np.ndarray:
    return np.array([row[key] for row in numbers["rows"]])


def compare(numbers: Numbers) -> Sequence[Comparison]:
    found = []
    for name, (measured, bound) in PAIRS.items():
        found.append(Comparison(f"{name}: mean", None, float(_values(numbers, measured).mean()), digits=4))
        found.append(Comparison(f"{name}: mean bound", None, float(_values(numbers, bound).mean()), digits=4))
    return found


def verdict(numbers: Numbers) -> Verdict:
    claims = {}
    for name, (measured, bound) in PAIRS.items():
        beyond = float(np.mean(_values(numbers, measured) > _values(numbers, bound)))
        claims[f"{name} is above its bound in {beyond:.0%} of the samples, at most {DELTA:.0%}"] = beyond <= DELTA
    return claims_hold(claims)


def draw(numbers: Numbers) -> Figure:
    """Means against n of what is measured and of its bound."""
    names = ("excess risk of g", "excess risk of f", "E_mcm")
    figure, panels = grid(1, len(names), 3.0, 2.6)
    sizes = sorted({row["n"] for row in numbers["rows"]})
    for axes, name in zip(panels[0], names, strict=True):
        for key, label, colour in zip(PAIRS[name], ("measured", "bound"), COLOURS, strict=False):
            means = [np.mean([row[key] for row in numbers["rows"] if row["n"] == n]) for n in sizes]
            axes.plot(sizes, means, marker="o", color=colour, label=label)
        logarithmic(axes)
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("n", fontsize=8)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    return figure


ITEM = Item(
    title="Theorems 3.1 and 3.2: bounds beside measured risks",
    printed="Upper bounds on the excess risks of g and f that hold with probability 0.95; no numbers.",
    protocol="Proofs; no experiment.",
    departures="Measured in the synthetic study of figures 2-6, exact training, 36 configurations. "
    + DEPARTURES
    + " The "
    "Rademacher complexities and approximation risks are not known and are left out, so what is compared is a smaller "
    "number than the bound. " + PROTOCOL,
    rule=f"reproduced if each of E(g), E(f), E_mcm and -E_hin exceeds its bound in at most {DELTA:.0%} of the samples; "
    "else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=cost,
    runs=RUNS,
)
