"""Table 5: which way the terms of the excess risk go, measured in the synthetic study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict
from hpo_papers.frame.work import Work
from hpo_papers.ram2022.figures.protocol import DEPARTURES, PROTOCOL, RUNS, cost
from hpo_papers.ram2022.synthetic.scale import scale_of
from hpo_papers.ram2022.theory.terms import term_rows

ROUGH = 0.1  # a tolerance to set beside 0
UP, DOWN = 1.0, -1.0
Rows = Sequence[Numbers]


def compute(work: Work) -> Numbers:
    """Terms of each sample, exact and with a tolerance, of both spaces."""
    scale = scale_of(work.runs)
    tolerances = [(0.0, 0.0), (0.0, ROUGH), (ROUGH, 0.0)]
    return {"rows": [row for L in (36, 18) for row in term_rows(work, "wide", scale, L, tolerances)]}


def changes(rows: Rows) -> dict[str, tuple[float, float, float]]:
    """Each arrow that can be measured: as printed (1 up, -1 down), the mean change, and its standard error."""
    exact = {"rho_in": 0.0, "rho_out": 0.0}
    sizes, shares = sorted({row["n"] for row in rows}), sorted({row["share"] for row in rows})
    n = ("n", sizes[0], sizes[-1])
    mu = ("share", shares[0], shares[-1])
    space = ("L", 18, 36)
    return {
        "E_app + E_est, more configurations": (DOWN, *_change(rows, "rest", space, exact)),
        "E_est (+ E_app), larger n": (DOWN, *_change(rows, "rest", n, exact)),
        "E_est (+ E_app), larger mu and smaller m": (UP, *_change(rows, "rest", mu, exact)),
        "E_opt, larger rho_in": (UP, *_change(rows, "optimization", ("rho_in", 0.0, ROUGH), {"rho_out": 0.0})),
        "E_mcm, more configurations": (UP, *_change(rows, "misspecification", space, exact)),
        "E_mcm, larger n": (DOWN, *_change(rows, "misspecification", n, exact)),
        "E_mcm, larger mu": (DOWN, *_change(rows, "misspecification", mu, exact)),
        "E_hin, larger n": (DOWN, *_change(rows, "hold_in", n, exact)),
        "E_hin, larger mu and smaller m": (UP, *_change(rows, "hold_in", mu, exact)),
        "-E_hin, larger rho_out": (UP, *_change(rows, "hold_in", ("rho_out", ROUGH, 0.0), {"rho_in": 0.0})),
    }


def _change(rows: Rows, term: str, moved: tuple[str, Any, Any], fixed: Numbers) -> tuple[float, float]:
    """Mean change of a term between two values of a quantity, all others being equal, and its standard error."""
    name, first, second = moved
    others = [key for key in ("L", "n", "share", "trial", "rho_in", "rho_out") if key != name]
    key: Callable[[Numbers], tuple] = lambda row: tuple(row[other] for other in others)  # noqa: E731
    kept = [row for row in rows if all(row[k] == v for k, v in fixed.items() if k != name)]
    before = {key(row): row[term] for row in kept if row[name] == first}
    after = {key(row): row[term] for row in kept if row[name] == second}
    differences = [after[k] - before[k] for k in before if k in after]
    error = np.std(differences, ddof=1) / np.sqrt(len(differences)) if len(differences) > 1 else np.inf
    return float(np.mean(differences)), float(error)


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return [
        Comparison(f"{what} (printed: {'up' if printed > 0 else 'down'})", None, mean, mean - 2 * se, mean + 2 * se, 4)
        for what, (printed, mean, se) in changes(numbers["rows"]).items()
    ]


def verdict(numbers: Numbers) -> Verdict:
    found = changes(numbers["rows"])
    against = [what for what, (printed, mean, se) in found.items() if printed * mean < -2 * se]
    along = [what for what, (printed, mean, se) in found.items() if printed * mean > 2 * se]
    if against:
        return Verdict("differs", f"the other way round by more than two standard errors: {'; '.join(against)}")
    if len(along) > len(found) / 2:
        return Verdict(
            "reproduced", f"{len(along)} of {len(found)} arrows clearly as printed, none the other way round"
        )
    return Verdict("differs", f"only {len(along)} of {len(found)} arrows are clear: {'; '.join(along)}")


ITEM = Item(
    title="Table 5: which way the terms of the excess risk go",
    printed="Arrows: E_est down with n and m, up with mu; E_opt up with rho_in; E_mcm up with |Lambda|, down with n "
    "and mu; E_hin down with n and m, up with mu and rho_out; E_app down with |Lambda|.",
    protocol="Arrows from theorems 3.1 and 3.2; no experiment.",
    departures="The terms are measured in the synthetic study of figures 2-6. " + DEPARTURES + " E_app and E_est are "
    "measured together, since the best function of a configuration is not known. The arrow of E_hin for rho_out is "
    "read as that of -E_hin, the term of eq. 7: E_hin = E(g) - E(f) falls by definition when f is trained less "
    "precisely. A change is from the smallest to the largest n and mu, from 18 to 36 configurations, from 0 to "
    f"{ROUGH:g} of a tolerance. " + PROTOCOL,
    rule="reproduced if more than half of the ten mean changes go as printed by more than two standard errors and none "
    "goes the other way by as much; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    cost=cost,
    runs=RUNS,
)
