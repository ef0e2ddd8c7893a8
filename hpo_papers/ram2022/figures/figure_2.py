"""Figure 2: heuristic 3.1 with exact training, both spaces."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.ram2022.figures.protocol import DEPARTURES, PROTOCOL, RUNS, cost
from hpo_papers.ram2022.synthetic.choices import Tolerances, choice_rows, right, share_of
from hpo_papers.ram2022.synthetic.drawing import draw_choices
from hpo_papers.ram2022.synthetic.scale import scale_of

EXACT = [Tolerances(0.0, 1.0)]
NOTES = (
    "The heuristic cannot train again here, and no other points with Bayes risk 0 that networks can learn would change "
    "that. It asks for an improvement of the risk on all n points of 7.66 / sqrt(n): 0.34 at n = 2^9, 0.06 at 2^14. A "
    "g that was trained exactly makes errors on the held-out points alone, so the improvement is at most mu / n times "
    "its error: with mu / n = 0.5 the error would have to be above 0.68 at 2^9, worse than guessing, and above 0.12 at "
    "2^14, where it is 0.02 (one trial: improvements from 0.154 at 2^9 to 0.011 at 2^14). So the choice is g "
    "everywhere. With one trial that is right for mu / n = 0.1, where f and g hardly differ; with five, f is better in "
    "94 % of the settings, so the choice is right in the other 6 %."
)


def compute(work: Work) -> Numbers:
    """Means of each setting, of both spaces."""
    scale = scale_of(work.runs)
    return {"rows": [row for L in (36, 18) for row in choice_rows(work, "wide", scale, L, EXACT)]}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    rows = numbers["rows"]
    return [
        Comparison("share of settings in which f is better than g", None, share_of(rows, lambda r: r["gain"] > 0)),
        Comparison("share of settings in which the choice is right", None, share_of(rows, right)),
        Comparison("share of trials in which heuristic 3.1 trains again", None, _mean(rows, "retrained")),
        Comparison("mean error of f (always)", None, _mean(rows, "always"), digits=4),
        Comparison("mean error of g (never)", None, _mean(rows, "never"), digits=4),
        Comparison("mean error of the choice", None, _mean(rows, "choice"), digits=4),
    ]


def _mean(rows: Sequence[Numbers], key: str) -> float:
    return sum(row[key] for row in rows) / len(rows)


def verdict(numbers: Numbers) -> Verdict:
    rows = numbers["rows"]
    f_better, is_right = share_of(rows, lambda r: r["gain"] > 0), share_of(rows, right)
    return claims_hold(
        {
            f"neither is always better: f is in {f_better:.0%} of the settings": 0 < f_better < 1,
            f"the choice is right in many settings: {is_right:.0%}, more than half": is_right > 0.5,
        }
    )


ITEM = Item(
    title="Figure 2: choice by heuristic 3.1 between f and g, exact training",
    printed="Curves without numbers. In words: neither f nor g is always better; the heuristic takes the better one in "
    "many cases; there are cases where it does not.",
    protocol=PROTOCOL + " rho_in = rho_out = 0.",
    departures=DEPARTURES,
    rule="reproduced if f is better than g in some settings (n, mu / n, space) and not in all, and the mean choice is "
    "closer to the better one of the two in more than half of the settings; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_choices(numbers["rows"], "L", ["share"]),
    cost=cost,
    runs=RUNS,
    notes=NOTES,
)
