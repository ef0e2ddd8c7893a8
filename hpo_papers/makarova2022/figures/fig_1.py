"""Figure 1: the bound on a smooth function, and a run on naval that is terminated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_core import Benchmark
from hpo_leaderboard.stopping.pictures import COLOURS, MUTED, legend_below, panels_of, tidy
from hpo_models.acquisition import confidence_bounds, confidence_factor
from hpo_models.gp.regression import fit, standardise
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.record.contents import record
from hpo_papers.makarova2022.record.methods import stops_of
from hpo_papers.makarova2022.record.regrets import regrets_by_test

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("Ours_0.01", "Ours_0.001", "Ours_0.0001")
EVALUATED = (0.02, 0.12, 0.25, 0.38, 0.52, 0.65, 0.8, 0.97)  # of the function on the left


def compute(work: Work) -> Numbers:
    """Confidence bounds on a function of one dimension; bound, regret and stops of the first run of BORE on naval."""
    runs = record().runs["fcnet", "bore"]
    stops = {method: int(stops_of(runs, method)[0, 0]) for method in METHODS}
    recorded = {method: int(record().stops["fcnet", "bore"][method][0, 0]) for method in METHODS}
    return {
        "left": _confidence(),
        "bound": runs["bound"][0, 0].tolist(),
        "regret": regrets_by_test(runs)[0, 0].tolist(),
        "stops": stops,
        "recorded": recorded,
    }


def _confidence() -> dict[str, list[float]]:
    b = Benchmark("forrester")
    (hyperparameter,) = b.space
    everywhere = np.linspace(0.0, 1.0, 201)
    at = np.array(EVALUATED)
    losses = np.array([b.objective({hyperparameter.name: float(x)}).loss for x in at])
    y, centre, std = standardise(losses)
    process = fit(at[:, None], y)
    beta = confidence_factor(1, len(at))
    found = {"x": everywhere.tolist(), "at": at.tolist(), "losses": losses.tolist()}
    for name, points in (("everywhere", everywhere), ("evaluated", at)):
        lower, upper = (centre + std * end for end in confidence_bounds(*process.predict(points[:, None]), beta))
        found |= {f"lower_{name}": lower.tolist(), f"upper_{name}": upper.tolist()}
    return found


def verdict(numbers: Numbers) -> Verdict:
    bound, regret = np.array(numbers["bound"]), np.array(numbers["regret"])
    checked = np.isfinite(bound) & np.isfinite(regret)
    return claims_hold(
        {
            "the run stops where the authors recorded it, at all three thresholds": numbers["stops"]
            == numbers["recorded"],
            "the bound is above the true regret at every check": bool((bound[checked] >= regret[checked]).all()),
        }
    )


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return [
        Comparison(f"{m}: evaluation of the stop", numbers["recorded"][m], numbers["stops"][m], digits=0)
        for m in METHODS
    ]


def draw(numbers: Numbers) -> Figure:
    """The gap between the lowest upper and the lowest lower bound; the run with its stops."""
    figure, (left, right) = panels_of(2, 5.6, 3.8)
    shown = numbers["left"]
    left.fill_between(shown["x"], shown["lower_everywhere"], shown["upper_everywhere"], color=COLOURS[0], alpha=0.2)
    left.plot(shown["at"], shown["losses"], "o", color="black", markersize=5)
    for name, value, colour in (
        ("lowest upper bound of an evaluated point", min(shown["upper_evaluated"]), COLOURS[2]),
        ("lowest lower bound of the space", min(shown["lower_everywhere"]), COLOURS[1]),
    ):
        left.axhline(value, color=colour, linewidth=1.6, label=name)
    tidy(left, "the bound is the gap between the lines", "x", "loss")
    left.legend(fontsize=8, frameon=False)
    steps = np.arange(len(numbers["bound"]))
    right.plot(steps, numbers["bound"], color=COLOURS[0], label="bound")
    right.plot(steps, np.maximum(numbers["regret"], 1e-8), color=COLOURS[1], label="true regret")
    for method, stop in numbers["stops"].items():
        right.axvline(stop, color=MUTED, linewidth=0.8, linestyle=":")
        right.annotate(method[5:], (stop, 1e-8), fontsize=8, color=MUTED, rotation=90)
    right.set_yscale("log")
    tidy(right, "BORE on naval, first run", "evaluations", "units of the loss")
    legend_below(figure, right)
    return figure


ITEM = Item(
    title="Figure 1: the bound, and a run that is terminated",
    printed="Left: the gap between the lowest upper and the lowest lower confidence bound. Right: a run of BORE"
    " on naval with bound, regret and stops.",
    protocol="The authors' recorded bounds of the first run of BORE on naval.",
    departures="Which run is drawn in the paper is not said. Left: our own process on the Forrester function.",
    rule="reproduced if the run stops where the authors recorded it at 0.01, 0.001 and 0.0001, and the bound"
    " is nowhere below the true regret; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
)
