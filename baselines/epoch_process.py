"""The Gaussian process over configurations and epochs that BO-BOS searches with (Dai et al., 2019, section 3.1).

Inputs are [x, n / N]: the features of a configuration and the share of its training. Of a training that has ended the
process sees the last loss and those of epoch 1 and of every fifth of N before it (appendix D); a pending one stands at
[x, 1] with the median of the losses that trainings ended with, a failed one with the worst.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from baselines.acquisition_search import random_points
from baselines.gaussian_process import DELTA, N_STARTS
from baselines.modelled import Modelled, log_distances
from baselines.stepwise import Training
from hpo_core.space import Space
from hpo_models.gp import GP, condition, fit

ALWAYS_FITTED, FITTED_EVERY = 20, 10
N_SEEN = 5  # losses of a training besides its last


def at_epochs(rows: np.ndarray, shares: np.ndarray | float) -> np.ndarray:
    """(n, width + 1) inputs: rows of features (n, width), or one (width,) for all, with shares (n,) of a training."""
    shares = np.atleast_1d(shares)
    n = max(len(np.atleast_2d(rows)), len(shares))
    return np.column_stack([np.broadcast_to(rows, (n, rows.shape[-1])), np.broadcast_to(shares, n)])


def seen_epochs(n: int, n_full: int) -> list[int]:
    """Epochs whose losses the process sees of a training that ended after n of `n_full`, ascending."""
    fifths = {math.ceil(k * n_full / N_SEEN) for k in range(1, N_SEEN)}
    return sorted({1, n, *(epoch for epoch in fifths if epoch < n)})


class EpochProcess(Modelled):
    """Lower confidence bound at full trainings; rows are told by `learn`, with their curves."""

    name = "bo-bos"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, n_initial: int = 5):
        super().__init__(space, seed=seed, n_initial=n_initial)
        self._groups = np.append(self._features.groups, self._features.groups.max(initial=-1) + 1)
        self._seen: dict[int, list[tuple[float, float]]] = {}  # shares and losses of a row's curve
        self._proposed_by: dict[int, GP] = {}
        self._latest: GP | None = None

    @property
    def lowest(self) -> float:
        """Lowest loss that a training ended with; infinite before any has."""
        return float(np.min(self._losses[: self._n], where=~np.isnan(self._losses[: self._n]), initial=math.inf))

    def before(self, training: Training) -> tuple[GP, np.ndarray] | None:
        """The process that proposed a training, and its row (width,); None if it was proposed at random."""
        row = training.number - 1
        process = self._proposed_by.get(row)
        return None if process is None else (process, self._rows[row])

    def learn(self, training: Training, loss: float, n_full: int) -> None:
        """Note a training that has ended, after as many epochs as it has losses."""
        self.tell(training.proposal, loss, 0.0)
        row = training.number - 1
        self._proposed_by.pop(row, None)
        if loss < math.inf:
            epochs = seen_epochs(len(training.losses), n_full)
            self._seen[row] = [(epoch / n_full, training.losses[epoch - 1]) for epoch in epochs]

    def _observed(self) -> tuple[np.ndarray, np.ndarray]:
        """Inputs (m, width + 1) and losses (m,), all finite."""
        rows, losses = super()._observed()
        places, shares, values = [], [], []
        for place, loss in enumerate(losses):
            for share, value in self._seen.get(place, [(1.0, loss)]):
                places.append(place)
                shares.append(share)
                values.append(value)
        return at_epochs(rows[places], np.array(shares)), np.array(values)

    def _suggest(self) -> np.ndarray:
        if not self._features.width:  # a space of one point
            return self._random_row()
        inputs, losses = self._observed()
        process = self._fitted(inputs, log_distances(losses))
        self._latest = self._proposed_by[self._n] = process
        d, t = self._groups[-1], self._n
        root_beta = math.sqrt(2 * math.log(d * t**2 * math.pi**2 / (6 * DELTA)) / 5)

        def score(rows: np.ndarray) -> np.ndarray:
            mean, deviation = process.predict(at_epochs(rows, 1.0))
            return root_beta * deviation - mean

        best = self._best_row()
        return self._maximise(score, random_points(self._features, self._rng, best), best[None], N_STARTS)

    def _fitted(self, inputs: np.ndarray, values: np.ndarray) -> GP:
        if self._latest is None or self._n < ALWAYS_FITTED or self._n % FITTED_EVERY == 0:
            return fit(inputs, values, groups=self._groups)
        return condition(inputs, values, self._latest.hyperparameters, groups=self._groups)
