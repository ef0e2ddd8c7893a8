"""Figure 11: the bound on naval with beta by the formula and with sqrt(beta) = 0.2."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.figures.differences import own_curve, recorded_curve
from hpo_papers.makarova2022.figures.drawing import draw_differences

FIXED = 0.2  # square root of beta


def compute(work: Work) -> Numbers:
    """A curve of differences for each beta, and that of the recorded bounds, which are by the formula."""
    own = [own_curve(work, "formula", 0.5), own_curve(work, f"sqrt(beta) = {FIXED}", 0.5, FIXED**2)]
    return {"curves": [*own, recorded_curve("formula, recorded", work.runs)]}


def verdict(numbers: Numbers) -> Verdict:
    formula, fixed, recorded = numbers["curves"]
    return claims_hold(
        {
            "sqrt(beta) = 0.2 underestimates more often than the formula": fixed["share_below"]
            > formula["share_below"],
            "its median distance is smaller": fixed["distance"] < formula["distance"],
            "own and recorded bounds by the formula underestimate equally often, to .02": abs(
                formula["share_below"] - recorded["share_below"]
            )
            <= 0.02,
        }
    )


def compare(numbers: Numbers) -> Sequence[Comparison]:
    rows = []
    for curve in numbers["curves"]:
        rows.append(Comparison(f"{curve['name']}: share of underestimates", None, curve["share_below"]))
        rows.append(Comparison(f"{curve['name']}: median of bound less regret", None, curve["distance"], digits=5))
    return rows


ITEM = Item(
    title="Figure 11: the factor of the confidence bounds",
    printed="sqrt(beta) = 0.2 against the formula of section A.2.3, on naval with BORE, with the number of "
    "underestimates in the legend (the text does not repeat it).",
    protocol="50 runs of BORE on naval, 495 checks each.",
    departures="Computed by this package's model (option beta), at 16 checks of a run in place of 495.",
    rule="reproduced if sqrt(beta) = 0.2 underestimates more often and has the smaller median distance, and "
    "own bounds by the formula underestimate as often as the recorded ones, to .02; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_differences(numbers["curves"], "BORE on naval"),
    cost=lambda runs: 2.0 + 1.0 * runs,
    runs=50,
    switch="own-bounds",
)
