"""Heuristics 3.2 and B.1 in the synthetic study: errors and epochs of trainings to their tolerances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from baselines.deployment import inner_tolerance, outer_tolerance
from hpo_papers.frame.work import Work
from hpo_papers.ram2022.synthetic.points import CLOUDS
from hpo_papers.ram2022.synthetic.scale import Scale
from hpo_papers.ram2022.synthetic.study import (
    SPACES,
    Sample,
    Selected,
    TrainedPath,
    compared,
    reached,
    risk_on_all,
    select,
    trained_again,
)

L = 36
INNER_GAMMA = 0.1  # of the compared networks where B.1 is studied


def inner_rows(
    work: Work, cloud: str, scale: Scale, gammas: Sequence[float], risk: str = "error"
) -> list[dict[str, Any]]:
    """Heuristic 3.2: means over trials, a row per gamma, held-out share and n.

    "risk" is the excess risk of g, its error on fresh points less the Bayes risk, "exact" that of the network selected
    with exact training; "epochs" and "exact_epochs" are of all trainings. `risk` is what a tolerance is measured in:
    training "error" or "loss".
    """
    bayes = CLOUDS[cloud].noise
    inner = compared(work, cloud, scale)
    chosen = {s: select(found, SPACES[L], 0.0, risk) for s, found in inner.items()}

    def row(gamma: float, sample: Sample) -> list[float]:
        rho = inner_tolerance(sample.m, sample.mu, L, gamma=gamma)
        g, exact = select(inner[sample], SPACES[L], rho, risk), chosen[sample]
        return [g.reached.fresh - bayes, exact.reached.fresh - bayes, g.epochs, exact.epochs, rho]

    return _rows(scale, gammas, row)


def outer_rows(work: Work, cloud: str, scale: Scale, gammas: Sequence[float]) -> list[dict[str, Any]]:
    """Heuristic B.1: means over trials, as in `inner_rows`, of f trained to rho_out and exactly.

    The compared networks are trained to the tolerance of heuristic 3.2 with gamma = 0.1, where B.1 starts.
    """
    bayes = CLOUDS[cloud].noise
    inner = compared(work, cloud, scale)
    chosen = {s: select(found, SPACES[L], _rho_in(s)) for s, found in inner.items()}
    outer = trained_again(work, cloud, scale, ((s, found.member) for s, found in chosen.items()))

    def row(gamma: float, sample: Sample) -> list[float]:
        path = outer[sample.n, sample.trial, chosen[sample].member]
        rho = _rho_out(sample, chosen[sample], path, gamma)
        f, exact = reached(path, rho), reached(path, 0.0)
        return [f.fresh - bayes, exact.fresh - bayes, f.epochs, exact.epochs, rho]

    return _rows(scale, gammas, row)


def _rho_in(sample: Sample) -> float:
    return inner_tolerance(sample.m, sample.mu, L, gamma=INNER_GAMMA)


def _rho_out(sample: Sample, chosen: Selected, path: TrainedPath, gamma: float) -> float:
    risk_of_g = risk_on_all(sample, chosen.reached)

    def improvement(rho: float) -> float:
        return risk_of_g - reached(path, rho).train

    return outer_tolerance(improvement, _rho_in(sample), sample.m, sample.mu, L, gamma=gamma)[-1][0]


def _rows(
    scale: Scale, gammas: Sequence[float], row: Callable[[float, Sample], Sequence[float]]
) -> list[dict[str, Any]]:
    rows = []
    for gamma in gammas:
        for share in scale.shares:
            for n in scale.sizes:
                cells = np.array([row(gamma, Sample(n, share, trial)) for trial in range(scale.trials)])
                names = ("risk", "exact", "epochs", "exact_epochs", "rho")
                means = dict(zip(names, cells.mean(axis=0).tolist(), strict=True))
                rows.append({"gamma": gamma, "share": share, "n": n, **means})
    return rows


def summary(rows: Sequence[Mapping[str, Any]], gamma: float) -> dict[str, float]:
    """Over the settings of a gamma: mean relative change of the error, mean and largest saving of epochs as a factor.

    Means are geometric.
    """
    chosen = [row for row in rows if row["gamma"] == gamma]
    risks = np.array([row["risk"] / row["exact"] for row in chosen])
    savings = np.array([row["exact_epochs"] / row["epochs"] for row in chosen])
    return {
        "change": float(np.exp(np.mean(np.log(risks)))) - 1,
        "saving": float(np.exp(np.mean(np.log(savings)))),
        "largest_saving": float(savings.max()),
    }
