"""Bound less true regret along BORE's runs on naval, for figures 2 and 11."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.stopping.parts.regret import BoundSettings
from baselines.stopping.parts.surrogate import better_part
from hpo_models.acquisition import confidence_factor
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.bounds.own import bounds_along
from hpo_papers.makarova2022.bounds.spaces import reader_of
from hpo_papers.makarova2022.record.contents import record
from hpo_papers.makarova2022.record.regrets import regrets_by_test

CHECKS = [5, 8, 12, 16, 20, 30, 40, 60, 80, 110, 140, 180, 240, 300, 380, 460]
N_CHECKS = 495  # that the paper has of each run
NAVAL = 0  # index of the dataset


def recorded_curve(name: str, n_runs: int) -> dict[str, Any]:
    """The curve of the recorded bounds, at all checks."""
    runs = record().runs["fcnet", "bore"]
    checks = np.arange(5, 500)
    return curve(name, runs["bound"][NAVAL, :n_runs, 5:], regrets_by_test(runs)[NAVAL, :n_runs, 5:], checks)


def own_curve(work: Work, name: str, share: float, beta: float | None = None) -> dict[str, Any]:
    """The curve of own bounds at `CHECKS`, with a share of the evaluations and a fixed beta, None for the formula."""
    checks = work.thinned(CHECKS, 2)
    if beta is None:
        found = work.parts(bounds_along, [("fcnet", "bore", NAVAL, run, checks, share) for run in range(work.runs)])
        bounds = np.array(found, dtype=float)[:, :, 0]
    else:
        calls = [(run, checks, share, beta) for run in range(work.runs)]
        bounds = np.array(work.parts(bounds_with_beta, calls), dtype=float)
    regrets = regrets_by_test(record().runs["fcnet", "bore"])[NAVAL, : work.runs][:, checks]
    return curve(name, bounds, regrets, np.array(checks))


def bounds_with_beta(run: int, checks: list[int], share: float, beta: float) -> list[float]:
    """Bounds of a run after some numbers of evaluations, with a fixed beta."""
    d = sum(h.size > 1 for h in reader_of("fcnet", "bore").space)
    losses, least = record().runs["fcnet", "bore"]["loss"][NAVAL, run], BoundSettings().at_least
    bounds = []
    for t in checks:
        formula = confidence_factor(d, len(better_part(losses[:t], share, least)))
        ((value, *_),) = bounds_along("fcnet", "bore", NAVAL, run, [t], share, beta / formula)
        bounds.append(value)
    return bounds


def curve(name: str, bounds: np.ndarray, regrets: np.ndarray, checks: np.ndarray) -> dict[str, Any]:
    """Median, 20 % and 80 % quantile over runs (run, check) of the differences, and how many are below 0.

    `share_below` weighs the checks so that it stands for all evaluations from 5 on, however few were checked.
    """
    differences = bounds - regrets
    ends = np.concatenate([[checks[0]], (checks[1:] + checks[:-1]) / 2, [500]])
    weights = np.diff(ends) / (500 - checks[0])
    return {
        "name": name,
        "evaluations": checks.tolist(),
        "median": np.nanmedian(differences, axis=0).tolist(),
        "low": np.nanquantile(differences, 0.2, axis=0).tolist(),
        "high": np.nanquantile(differences, 0.8, axis=0).tolist(),
        "below": int((differences < 0).sum()),
        "n": int(np.isfinite(differences).sum()),
        "share_below": float(weights @ (differences < 0).mean(axis=0)),
        "distance": float(np.nanmedian(differences)),
    }
