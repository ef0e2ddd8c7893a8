"""Figure 3: heuristic 3.2, tolerance of the compared networks."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.ram2022.figures.protocol import DEPARTURES, PROTOCOL, RUNS, cost
from hpo_papers.ram2022.synthetic.drawing import draw_tolerances
from hpo_papers.ram2022.synthetic.scale import Scale, scale_of
from hpo_papers.ram2022.synthetic.tolerances import inner_rows, summary

GAMMAS = (0.1, 1.0, 10.0)
PRINTED_SAVINGS = {0.1: 2.0}
MAIN = "50 features, tolerance in errors"
READINGS = {  # points, and what the tolerance is measured in
    MAIN: ("wide", "error"),
    "50 features, tolerance in cross-entropy": ("wide", "loss"),
    "20 features, tolerance in errors": ("narrow", "error"),
    "50 features, 10 % of the labels flipped, tolerance in errors": ("noisy", "error"),
}
NO_LOSS = 0.05  # relative change of the error that counts as none
SMALL = 0.25  # tolerance as a share of the error
NOTES = (
    "The printed result holds where the tolerance is small beside the error, and not elsewhere. rho_in is a tenth "
    "of a bound that falls as 1 / sqrt(n); with Bayes risk 0 the error itself falls faster. One trial, all sizes: "
    "at n = 2^9 and 2^10 rho_in is 0.23 of the error of exact training, and gamma = 0.1 saves 2.3 times the epochs "
    "at + 4 %; at 2^11 and 2^12 0.33, 1.7 times, + 22 %; at 2^13 and 2^14 0.64, 1.5 times, + 51 %. Over the "
    "settings the logarithms of rho_in / error and of the change have a correlation of 0.85. Where rho_in is below "
    "a quarter of the error, the change is + 4 % in errors and + 2 % in cross-entropy. Three trials at n = 2^9 and "
    "2^10 agree: 2.3 times at + 4 % in errors, 2.0 times at + 1 % in cross-entropy.\n\n"
    "The other points say the same (one trial, n = 2^9 to 2^11, mu / n = 0.3). With 10 % of the labels flipped, "
    "where exact training learns wrong labels by heart, gamma = 0.1 saves 2.0 times the epochs at + 3 %: what is "
    "printed. With 20 features, where rho_in is nine tenths of the error, it saves 3.8 times at + 25 %; an earlier "
    "version of this study, with such points alone, found 4.4 times and an error of 0.128 rather than 0.102, and "
    "took that for a contradiction.\n\n"
    "gamma = 1 stops every training after an epoch or two up to n = 2^12 (rho_in is 0.9 to 0.25), which saves far "
    "more than 4-8 times and doubles the error. With the tolerance in cross-entropy it saves 3.6-9.6 times from n = "
    "2^12 on, at 1.5-2.7 times the error."
)


def compute(work: Work) -> Numbers:
    """Means of each setting, for each reading of the heuristic."""
    scale = scale_of(work.runs)
    rows = {}
    for name, (cloud, risk) in READINGS.items():
        size = scale if cloud == "wide" else _smaller(scale)
        rows[name] = inner_rows(work, cloud, size, GAMMAS, risk)
    return {"rows": rows}


def _smaller(scale: Scale) -> Scale:
    """For points that are not those of the study: one share, at most two trials, n up to 2^12."""
    return scale._replace(sizes=scale.sizes[:4], shares=(0.3,), trials=min(2, scale.trials))


def compare(numbers: Numbers) -> Sequence[Comparison]:
    found = []
    for name, rows in numbers["rows"].items():
        for gamma in GAMMAS:
            values = summary(rows, gamma)
            printed = PRINTED_SAVINGS.get(gamma) if name == MAIN else None
            where = f"{name}, gamma = {gamma:g}"
            found.append(Comparison(f"{where}: saving of epochs", printed, values["saving"], digits=1))
            found.append(Comparison(f"{where}: change of the error", None, values["change"], digits=3))
        small = [row for row in rows if row["gamma"] == GAMMAS[0] and row["rho"] <= SMALL * row["exact"]]
        if small:
            where = f"{name}, gamma = 0.1, the {len(small)} settings with rho_in below a quarter of the exact error"
            found.append(Comparison(f"{where}: change of the error", None, summary(small, GAMMAS[0])["change"]))
    return found


def verdict(numbers: Numbers) -> Verdict:
    small, middle, large = (summary(numbers["rows"][MAIN], gamma) for gamma in GAMMAS)
    return claims_hold(
        {
            f"gamma = 0.1 changes the error by {small['change']:+.1%}, at most 5 %": small["change"] <= NO_LOSS,
            f"and saves {small['saving']:.1f} times the epochs, about 2": 1.5 <= small["saving"] <= 3,
            f"gamma = 1 saves {middle['saving']:.1f} times, about 4-8": 3 <= middle["saving"] <= 10,
            f"at a slight loss, {middle['change']:+.1%}, at most 25 %": middle["change"] <= 0.25,
            f"gamma = 10 changes the error more, by {large['change']:+.1%}": large["change"] > middle["change"],
        }
    )


ITEM = Item(
    title="Figure 3: error and speed of heuristic 3.2, 36 configurations",
    printed="gamma = 0.1: 2 times faster than exact training without degradation; gamma = 1: around 4-8 times faster "
    "with a slight degradation; gamma = 10: the optimization error dominates. Curves without other numbers.",
    protocol=PROTOCOL + " gamma is 0.1, 1 and 10.",
    departures=DEPARTURES
    + " Savings count epochs of all 36 trainings. Three other readings stand beside ours and do not count for the "
    "verdict: a tolerance in cross-entropy rather than in errors; points with few features (20, 8 of them informative, "
    "4 clusters per class), whose error on fresh points falls with that on the training points; and labels of which "
    "10 % are flipped, so that the Bayes risk is 0.1. Errors are excess risks.",
    rule="reproduced if, as geometric means over the settings, gamma = 0.1 raises the error by at most 5 % and saves "
    "1.5-3 times the epochs; gamma = 1 saves 3-10 times and raises the error by at most 25 %; gamma = 10 raises it "
    "more than gamma = 1; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_tolerances(numbers["rows"]),
    cost=lambda runs: cost(runs) + (1.0 if runs == 1 else 80.0 * min(2, runs)),
    runs=RUNS,
    notes=NOTES,
)
