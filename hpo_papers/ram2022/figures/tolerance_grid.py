"""What figures 4 and 5 have in common: heuristic 3.1 for fixed tolerances, on one of the two spaces."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.ram2022.figures.protocol import DEPARTURES, PROTOCOL, RUNS, cost
from hpo_papers.ram2022.synthetic.choices import Tolerances, choice_rows, clear, right, share_of
from hpo_papers.ram2022.synthetic.drawing import draw_choices
from hpo_papers.ram2022.synthetic.scale import scale_of

RHOS = (0.0001, 0.001, 0.01, 0.1)
RATIOS = (0.1, 1.0, 2.0, 10.0)
NOTES = (
    "As in figure 2, the bound is out of reach: the heuristic trains again in one of 288 settings (one trial, all "
    "sizes), n = 2^14, mu / n = 0.5, rho_in = 0.1, rho_out = 0.01, where the improvement is 0.084 and the bound 0.060; "
    "there it is right. Otherwise it takes g. That is right in all 63 of 144 settings with rho_out > rho_in in which g "
    "is better, as in the paper, and wrong where rho_out <= rho_in, where f is better in 87 % of the settings. So it "
    "protects from a careless final training, and never loses to never training again; the abstract's claim that it "
    "does as well as always training again does not hold. The settings of make_classification, which the paper does "
    "not give, cannot be the reason: an improvement of 0.34 at n = 2^9 needs a rho_in of that order, or errors near "
    "those of guessing. Five trials agree: f is clearly better in 109 settings with rho_out <= rho_in, and the choice "
    "is f in one of them."
)


def compute(work: Work, L: int) -> Numbers:
    """Means of each setting."""
    tolerances = [Tolerances(rho, ratio) for ratio in RATIOS for rho in RHOS]
    return {"rows": choice_rows(work, "wide", scale_of(work.runs), L, tolerances)}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    found = []
    for ratio in RATIOS:
        rows = [row for row in numbers["rows"] if row["ratio"] == ratio]
        for key, label in (("always", "f"), ("never", "g"), ("choice", "choice"), ("retrained", "share trained again")):
            mean = sum(row[key] for row in rows) / len(rows)
            found.append(Comparison(f"rho_out = {ratio:g} rho_in: {label}", None, mean, digits=4))
    return found


def verdict(numbers: Numbers) -> Verdict:
    precise = [row for row in numbers["rows"] if row["ratio"] <= 1]
    rough = [row for row in numbers["rows"] if row["ratio"] > 1]
    usual = share_of(precise, lambda row: row["gain"] > 0)
    f_clear = [row for row in precise if clear(row) and row["gain"] > 0]
    g_clear = [row for row in rough if clear(row) and row["gain"] < 0]
    f_right, g_right = (sum(right(row) for row in rows) for rows in (f_clear, g_clear))
    f_holds = bool(f_clear) and f_right >= 0.5 * len(f_clear)
    g_holds = bool(g_clear) and g_right >= 0.9 * len(g_clear)
    return claims_hold(
        {
            f"where rho_out <= rho_in, f is usually better: in {usual:.0%} of {len(precise)} settings": usual > 0.5,
            f"the choice is right in {f_right} of the {len(f_clear)} of these in which f is clearly better": f_holds,
            f"where rho_out > rho_in, g is clearly better in {len(g_clear)} of {len(rough)} settings, and the choice "
            f"is right in {g_right} of these": g_holds,
        }
    )


def item_of(L: int, name: str) -> Item:
    """The figure of a space of L configurations."""
    return Item(
        title=f"{name}: choice by heuristic 3.1 for fixed tolerances, {L} configurations",
        printed="Curves without numbers. In words: where rho_out <= rho_in, f is usually better, and the choice is "
        "right when the difference is significant; where rho_out > rho_in, g is significantly better in some "
        "situations, and the choice is right there.",
        protocol=PROTOCOL + " rho_in is 0.0001, 0.001, 0.01 and 0.1; rho_out is 0.1, 1, 2 and 10 times that.",
        departures=DEPARTURES,
        rule="reproduced if, over all settings, f is better in more than half of those with rho_out <= rho_in; the "
        "mean choice is closer to f in at least half of those of them in which f is better by more than two standard "
        "errors; and it is closer to g in at least 90 % of the settings with rho_out > rho_in in which g is better by "
        "more than two standard errors; else differs",
        compute=lambda work: compute(work, L),
        verdict=verdict,
        compare=compare,
        draw=lambda numbers: draw_choices(numbers["rows"], "rho_in", ["ratio", "share"]),
        cost=cost,
        runs=RUNS,
        notes=NOTES,
    )
