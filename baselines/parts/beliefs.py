"""`Beliefs`: what a model of the losses predicts across budgets, given a snapshot of the history.

A pending trial counts with the model's own prediction, a failed one with the worst value. Losses are transformed, so
that a loss of 1e7 among losses of 1e-5 does not decide everything. With several budgets the transform is linear up to
the median loss and logarithmic beyond; that of `gp`, logarithmic near the lowest loss, would make curves over the
budget steepest at the full one, where the model of `fabolas` has them flat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from baselines.parts.history import Snapshot
from baselines.parts.loss_transforms import log_distances, tempered
from hpo_models.gp.product import Points, ProductGP


class Observations(NamedTuple):
    """Trials that have ended.

    rows        (n, width) features
    levels      (n,) indices of their budgets
    values      (n,) transformed losses
    costs       (n,) seconds
    """

    rows: np.ndarray
    levels: np.ndarray
    values: np.ndarray
    costs: np.ndarray


class LossModel(Protocol):
    """Processes of transformed losses over configurations and budgets."""

    def points(self, rows: np.ndarray, levels: np.ndarray) -> Points:
        """Inputs of the processes for rows (n, width) at levels (n,)."""

    def fit(self, observed: Observations, groups: np.ndarray, rng: np.random.Generator) -> list[ProductGP]:
        """The most probable process, or samples to average over."""


@dataclass(frozen=True)
class Beliefs:
    """Processes after all results so far.

    best        (width,) row with the lowest prediction at the full budget, of those evaluated
    lowest      that prediction
    """

    snapshot: Snapshot
    model: LossModel
    observed: Observations
    processes: list[ProductGP]
    best: np.ndarray
    lowest: float

    def target(self, rows: np.ndarray) -> Points:
        """Inputs of the processes for rows (n, width) at the full budget."""
        return self.model.points(rows, np.full(len(rows), self.snapshot.full))


def observations(snapshot: Snapshot) -> Observations:
    """The trials of a snapshot that have ended."""
    told, finite = ~np.isnan(snapshot.told), np.isfinite(snapshot.told)
    values = np.zeros(len(snapshot))
    if finite.any():
        values[finite] = (tempered if snapshot.full > 0 else log_distances)(snapshot.told[finite])
        values[told & ~finite] = values[finite].max()
    return Observations(snapshot.rows[told], snapshot.levels[told], values[told], snapshot.costs[told])


def believe(
    model: LossModel, snapshot: Snapshot, rng: np.random.Generator, candidates: np.ndarray | None = None
) -> Beliefs:
    """What the model predicts, fitted to a snapshot.

    Parameters
    ----------
    model
        Of the losses.
    snapshot
        What is known.
    rng
        Source of randomness, for samples of hyperparameters.
    candidates
        (k, width) rows, k > 0, among which the best is sought before any trial has ended.

    Returns
    -------
    Beliefs
        Processes and the row that they predict to be the best.
    """
    observed = observations(snapshot)
    processes = model.fit(observed, snapshot.features.groups, rng)
    pending = np.isnan(snapshot.told)
    if pending.any():
        points = model.points(snapshot.rows[pending], snapshot.levels[pending])
        processes = [process.believe(points) for process in processes]
    rows = observed.rows if len(observed.rows) or candidates is None else candidates
    full = model.points(rows, np.full(len(rows), snapshot.full))
    means = np.mean([process.predict(full)[0] for process in processes], axis=0)
    return Beliefs(snapshot, model, observed, processes, rows[int(np.argmin(means))], float(means.min()))
