"""The terms of the excess risk (eqs. 6 and 7) in the synthetic study, and the computable parts of their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.excess_risk import (
    hold_in_bound,
    misspecification_bound,
    retrained_bound,
    risk_terms,
    selected_bound,
)
from hpo_papers.frame.work import Work
from hpo_papers.ram2022.synthetic.scale import Scale
from hpo_papers.ram2022.synthetic.study import (
    SPACES,
    Reached,
    Sample,
    TrainedPath,
    compared,
    reached,
    risk_on_all,
    select,
    trained_again,
)

BAYES = 0.0


def term_rows(work: Work, cloud: str, scale: Scale, L: int, tolerances: Sequence[tuple[float, float]]) -> list[Any]:
    """A row per sample and (rho_in, rho_out): terms of the excess risk, and bounds without complexities.

    The best function of a configuration is not known, so "rest" is E_est + E_app together.
    """
    inner = compared(work, cloud, scale)
    chosen = {(s, rho): select(found, SPACES[L], rho) for s, found in inner.items() for rho, _ in tolerances}
    outer = trained_again(work, cloud, scale, ((s, found.member) for (s, _), found in chosen.items()))
    rows = []
    for (s, rho), found in chosen.items():
        for rho_out in dict.fromkeys(out for rho_in, out in tolerances if rho_in == rho):
            f = reached(outer[s.n, s.trial, found.member], rho_out)
            setting = {"L": L, "n": s.n, "share": s.share, "trial": s.trial, "rho_in": rho, "rho_out": rho_out}
            rows.append({**setting, **_terms(s, L, inner[s], found.reached, f, rho)})
    return rows


def _terms(sample: Sample, L: int, candidates: Sequence[TrainedPath], g: Reached, f: Reached, rho: float) -> dict:
    ends = [reached(candidates[member], rho) for member in SPACES[L]]
    best = int(np.argmin([end.fresh for end in ends]))
    exact = reached(candidates[SPACES[L][best]], 0.0).fresh
    terms = risk_terms(g.fresh, ends[best].fresh, exact, BAYES, BAYES, retrained=f.fresh)
    improvement = risk_on_all(sample, g) - f.train
    return {
        "misspecification": terms.misspecification,
        "optimization": terms.optimization,
        "rest": terms.estimation,
        "hold_in": -terms.hold_in,
        "excess_of_g": g.fresh - BAYES,
        "excess_of_f": f.fresh - BAYES,
        "misspecification_bound": misspecification_bound(sample.mu, L),
        "hold_in_bound": hold_in_bound(improvement, sample.n, L),
        "bound_of_g": selected_bound(sample.m, sample.mu, L, rho_in=rho),
        "bound_of_f": retrained_bound(sample.m, sample.mu, L, improvement=improvement, rho_in=rho),
    }
