"""Heuristic 3.1 in the synthetic study: errors of always, never and sometimes training again, and claims about them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from baselines.deployment import retrain
from hpo_papers.frame.work import Work
from hpo_papers.ram2022.synthetic.scale import Scale
from hpo_papers.ram2022.synthetic.study import (
    SPACES,
    Sample,
    TrainedPath,
    compared,
    reached,
    risk_on_all,
    select,
    trained_again,
)

RIGHT = 0.5  # a mean choice is right if it lost less than this share of the difference between f and g


class Tolerances(NamedTuple):
    """rho_in, and rho_out as a multiple of it."""

    rho_in: float
    ratio: float


def choice_rows(work: Work, cloud: str, scale: Scale, L: int, tolerances: Sequence[Tolerances]) -> list[dict[str, Any]]:
    """Means over trials of each setting, a row per tolerances, held-out share and n.

    A row has errors on fresh points: "never" of g, "always" of f, "choice" of what heuristic 3.1 takes; "retrained",
    the share of trials in which it takes f; "gain", g less f, and its standard error "gain_se"; "bound" of the
    heuristic and "improvement", the mean that is compared with it.
    """
    inner = compared(work, cloud, scale)
    selected = {(s, t.rho_in): select(found, SPACES[L], t.rho_in) for s, found in inner.items() for t in tolerances}
    outer = trained_again(work, cloud, scale, ((s, chosen.member) for (s, _), chosen in selected.items()))
    rows = []
    for t in tolerances:
        for share in scale.shares:
            for n in scale.sizes:
                samples = [Sample(n, share, trial) for trial in range(scale.trials)]
                ends = [_ends(s, selected[s, t.rho_in], outer, t) for s in samples]
                setting = {"L": L, "rho_in": t.rho_in, "ratio": t.ratio, "share": share, "n": n}
                rows.append({**setting, **_means(np.array(ends), n, L)})
    return rows


def _ends(sample: Sample, chosen: Any, outer: Mapping[tuple[int, int, int], TrainedPath], t: Tolerances) -> list[float]:
    """Errors of g and f on fresh points, and their risks on all points."""
    f = reached(outer[sample.n, sample.trial, chosen.member], t.ratio * t.rho_in)
    return [chosen.reached.fresh, f.fresh, risk_on_all(sample, chosen.reached), f.train]


def _means(ends: np.ndarray, n: int, L: int) -> dict[str, float]:
    never, always, risk_of_g, risk_of_f = ends.T
    again = np.array([retrain(g, f, n, L) for g, f in zip(risk_of_g, risk_of_f, strict=True)])
    gain = never - always
    return {
        "never": never.mean(),
        "always": always.mean(),
        "choice": np.where(again, always, never).mean(),
        "retrained": again.mean(),
        "gain": gain.mean(),
        "gain_se": gain.std(ddof=1) / math.sqrt(len(gain)) if len(gain) > 1 else math.inf,
        "improvement": float(np.mean(risk_of_g - risk_of_f)),
    }


def clear(row: Mapping[str, Any]) -> bool:
    """Whether f and g differ by more than two standard errors."""
    return abs(row["gain"]) > 2 * row["gain_se"]


def right(row: Mapping[str, Any]) -> bool:
    """Whether the mean choice is closer to the better one of f and g."""
    better = min(row["never"], row["always"])
    return row["choice"] - better <= RIGHT * abs(row["gain"])


def share_of(rows: Sequence[Mapping[str, Any]], holds: Any) -> float:
    """Share of the rows for which something holds, NaN without rows."""
    return float(np.mean([bool(holds(row)) for row in rows])) if rows else math.nan
