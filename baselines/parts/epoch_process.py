"""The Gaussian process over configurations and epochs that BO-BOS searches with (Dai et al., 2019, section 3.1).

    k([x, n], [x', n']) = k_5/2(x, x') f(n)' Sigma f(n'),    f(n) = (1, log(N / n) / log N)

Of a training that has ended the process sees the last loss and those of every fifth of N before it; a pending one
stands at [x, N] with the median of the losses that trainings ended with, a failed one with the worst. A configuration
whose training was stopped may be proposed again: then its training goes on, and what the process sees of it is what it
sees of the longer one.

Where this leaves the paper, which has one Matern kernel over [x, n] and also shows it the loss of epoch 1 (appendix D).
That kernel must explain with one variance how losses differ between configurations and how they fall with the epochs,
which is far more: the bound at [x, N] then looks for what is unknown, not for what is good. On `mini-concrete`, after
40 trainings of `gp-ucb` of which the hopeless are cut off, the five lowest bounds lie at rank 19 % of the table on
average; with the kernel above at 4 %, where `gp-ucb` has 8 % from complete trainings. Without epoch 1 the curves are
straighter in log n. Lengthscales have the prior LogNormal(1, 1): at its median a hyperparameter matters little.
"""

from __future__ import annotations

import math

import numpy as np

from baselines.parts.acquisition_search import random_points
from baselines.parts.history import row_key
from baselines.parts.loss_transforms import log_distances
from baselines.parts.modelled import Modelled
from baselines.parts.stepwise import StepwiseTraining
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_models.acquisition import confidence_factor
from hpo_models.gp.priors import LogNormal
from hpo_models.gp.product import Points, ProductGP, condition, fit
from hpo_models.gp.product_posterior import ProductPriors

N_STARTS = 5  # local searches
ALWAYS_FITTED, FITTED_EVERY = 40, 10
N_SEEN = 5  # losses of a complete training
PRIORS = ProductPriors(lengthscale=LogNormal(1.0, 1.0))


def at_epochs(rows: np.ndarray, epochs: np.ndarray | float, n_full: int) -> Points:
    """Points at rows of features (n, width), or one (width,) for all, after epochs (n,) of `n_full`, or one for all."""
    epochs = np.atleast_1d(epochs)
    n = max(len(np.atleast_2d(rows)), len(epochs))
    missing = np.broadcast_to(np.log(n_full / epochs) / math.log(max(n_full, 2)), n)
    return Points(np.broadcast_to(rows, (n, rows.shape[-1])), np.column_stack([np.ones(n), missing]))


def seen_epochs(n: int, n_full: int) -> list[int]:
    """Epochs whose losses the process sees of a training that ended after n of `n_full`, ascending."""
    fifths = {math.ceil(k * n_full / N_SEEN) for k in range(1, N_SEEN)}
    return sorted({n, *(epoch for epoch in fifths if epoch < n)})


class EpochProcess(Modelled):
    """Lower confidence bound at full trainings, of `n_full` epochs; rows are told by `learn`, with their curves."""

    name = "bo-bos"

    def __init__(self, space: Space, *, seed: int, n_initial: int, n_full: int):
        super().__init__(space, seed=seed, n_initial=n_initial)
        self._n_full = n_full
        self._seen: dict[int, list[tuple[int, float]]] = {}  # epochs and losses of a row's curve
        self._stopped: dict[bytes, StepwiseTraining] = {}  # by the key of their row
        self._proposed_by: dict[int, ProductGP] = {}
        self._latest: ProductGP | None = None

    @property
    def lowest(self) -> float:
        """Lowest loss that a training ended with; infinite before any has."""
        return float(np.min(self._losses[: self._n], where=~np.isnan(self._losses[: self._n]), initial=math.inf))

    def begin(self) -> tuple[Proposal, list[float]]:
        """A proposal, and the losses of its training if that was stopped before."""
        proposal = self.ask()
        stopped = self._stopped.get(row_key(self._rows[self._n - 1]))
        return proposal, [] if stopped is None else list(stopped.losses)

    def deviations(self, training: StepwiseTraining) -> np.ndarray | None:
        """Standard deviations (N,) at [x, 1..N] of the process that proposed a training; None if it was random."""
        row = training.number - 1
        process = self._proposed_by.get(row)
        epochs = np.arange(1.0, self._n_full + 1)
        return None if process is None else process.predict(at_epochs(self._rows[row], epochs, self._n_full))[1]

    def learn(self, training: StepwiseTraining, loss: float) -> None:
        """Note a training that has ended, after as many epochs as it has losses."""
        self.tell(training.proposal, loss, 0.0)
        row = training.number - 1
        self._proposed_by.pop(row, None)
        key = row_key(self._rows[row])
        if (shorter := self._stopped.pop(key, None)) is not None:
            self._seen[shorter.number - 1] = []
        if loss == math.inf:
            return
        n = len(training.losses)
        self._seen[row] = [(epoch, training.losses[epoch - 1]) for epoch in seen_epochs(n, self._n_full)]
        if n < self._n_full:
            self._stopped[key] = training
            self._known.discard(key)

    def _curves(self) -> tuple[Points, np.ndarray]:
        """Points and losses (m,) that the process sees, all finite."""
        rows, losses = self._observed()
        places, epochs, values = [], [], []
        for place, loss in enumerate(losses):
            for epoch, value in self._seen.get(place, [(self._n_full, loss)]):
                places.append(place)
                epochs.append(epoch)
                values.append(value)
        return at_epochs(rows[places], np.array(epochs), self._n_full), np.array(values)

    def _suggest(self) -> np.ndarray:
        if not self._features.width:  # a space of one point
            return self._random_row()
        points, losses = self._curves()
        process = self._fitted(points, log_distances(losses))
        self._latest = self._proposed_by[self._n] = process
        d, t = self._features.groups[-1] + 1, self._n
        root_beta = math.sqrt(confidence_factor(d, t))

        def score(rows: np.ndarray) -> np.ndarray:
            mean, deviation = process.predict(at_epochs(rows, self._n_full, self._n_full))
            return root_beta * deviation - mean

        best = self._best_row()
        return self._maximise(score, random_points(self._features, self._rng, best), best[None], N_STARTS)

    def _fitted(self, points: Points, values: np.ndarray) -> ProductGP:
        groups = self._features.groups
        if self._latest is None or self._n < ALWAYS_FITTED or self._n % FITTED_EVERY == 0:
            return fit(points, values, groups, PRIORS)
        return condition(points, values, self._latest.hyperparameters, groups, PRIORS.mean_variance)
