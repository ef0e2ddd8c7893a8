"""`EpochProcess`: a Gaussian process over configurations and epochs, for `bo-bos` (Dai et al., 2019, section 3.1).

    k([x, n], [x', n']) = k_5/2(x, x') f(n)' Sigma f(n'),    f(n) = (1, log(N / n) / log N)

Of a training that has ended the process sees the last loss and those of every fifth of N before it; a pending one
counts at [x, N] with the median of the losses that trainings ended with, a failed one with the worst. A configuration
whose training was stopped may be proposed again: then its training goes on, and what the process sees of it is what it
sees of the longer one.

Departures from the paper, which has one Matern kernel over [x, n] and also shows it the loss of epoch 1 (appendix D).
That kernel must explain with one variance how losses differ between configurations and how they fall with the epochs,
which is far more: the bound at [x, N] then looks for what is unknown, not for what is good. On `mini-concrete`, after
40 trainings of `gp-ucb` of which the hopeless are cut off, the five lowest bounds have a mean rank of 19 % of the
table; with the kernel above 4 %, where `gp-ucb` has 8 % from complete trainings. Without epoch 1 the curves are
straighter in log n. Lengthscales have the prior LogNormal(1, 1): at its median a hyperparameter matters little.
"""

from __future__ import annotations

import math

import numpy as np

from baselines.curves.parts.stepwise import StepwiseTraining
from baselines.parts.history import History, Snapshot, row_key
from baselines.parts.loss_transforms import log_distances
from baselines.parts.requirements import count
from baselines.parts.sampling import unit_decoder
from baselines.parts.search.maximum import maximise, random_new_row, random_points
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_models.acquisition import confidence_bounds, confidence_factor
from hpo_models.features import Features
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


class EpochProcess:
    """Proposals of configurations by the lower confidence bound at full trainings, and what is learned from trainings.

    `latest` is the process of the last proposal, None while proposals are random.

    Parameters
    ----------
    space
        What is searched.
    seed
        Fixes everything that is random.
    n_initial
        Number of random configurations before the process is used.
    n_full
        Number of epochs of a full training.
    """

    def __init__(self, space: Space, *, seed: int, n_initial: int, n_full: int):
        self.latest: ProductGP | None = None
        self._n_initial, self._n_full = count("n_initial", n_initial), n_full
        self._rng = np.random.default_rng(seed)
        self._features = Features(space)
        self._decode = unit_decoder(space)
        self._history = History(self._features.width)
        self._seen: dict[int, list[tuple[int, float]]] = {}  # epochs and losses of a row's curve
        self._stopped: dict[bytes, StepwiseTraining] = {}  # by the key of their row
        self._proposed_by: dict[int, ProductGP] = {}
        self._n_random = 0  # trainings before the first that the process proposed

    @property
    def lowest(self) -> float:
        """Lowest loss that a training ended with; infinite before any has."""
        return self._history.lowest

    def begin(self) -> tuple[Proposal, list[float]]:
        """A proposal, and the losses of its training if that was stopped before."""
        history, features = self._history, self._features
        snapshot = history.snapshot(features)
        if self.latest is None:
            self._n_random = len(history)
        ready = len(history) >= self._n_initial and history.n_finite > 0 and features.width > 0
        row = (self._propose if ready else random_new_row)(snapshot, self._rng)
        proposal = history.propose(Proposal(self._decode(features.to_unit(row))), row)
        stopped = self._stopped.get(row_key(row))
        return proposal, [] if stopped is None else list(stopped.losses)

    def iteration(self, training: StepwiseTraining) -> int:
        """Number 1, 2... of a training, counted from the first that the process proposed."""
        return training.number - self._n_random

    def stds(self, training: StepwiseTraining) -> np.ndarray | None:
        """Standard deviations (N,) at [x, 1..N] of the process that proposed a training; None if it was random."""
        index = training.number - 1
        process = self._proposed_by.get(index)
        if process is None:
            return None
        epochs = np.arange(1.0, self._n_full + 1)
        return process.predict(at_epochs(self._history.rows[index], epochs, self._n_full))[1]

    def learn(self, training: StepwiseTraining, loss: float) -> None:
        """Note a training that has ended, after as many epochs as it has losses."""
        index = self._history.tell(training.proposal, loss, 0.0)
        self._proposed_by.pop(index, None)
        key = row_key(self._history.rows[index])
        if (shorter := self._stopped.pop(key, None)) is not None:
            self._seen[shorter.number - 1] = []
        if loss == math.inf:
            return
        n = len(training.losses)
        self._seen[index] = [(epoch, training.losses[epoch - 1]) for epoch in seen_epochs(n, self._n_full)]
        if n < self._n_full:
            self._stopped[key] = training
            self._history.forget(index)

    def _propose(self, snapshot: Snapshot, rng: np.random.Generator) -> np.ndarray:
        """Row (width,) of the lowest bound at a full training."""
        n, best, n_full = len(snapshot), snapshot.best, self._n_full
        points, losses = self._curves(snapshot)
        process = self._fitted(points, log_distances(losses), n)
        self.latest = self._proposed_by[n] = process
        beta = confidence_factor(snapshot.features.groups[-1] + 1, n)

        def score(rows: np.ndarray) -> np.ndarray:
            return -confidence_bounds(*process.predict(at_epochs(rows, n_full, n_full)), beta)[0]

        return maximise(snapshot, score, random_points(snapshot.features, rng, best), best[None], rng, N_STARTS)

    def _curves(self, snapshot: Snapshot) -> tuple[Points, np.ndarray]:
        """Points and losses (m,) that the process sees, all finite."""
        indices, epochs, values = [], [], []
        for index, loss in enumerate(snapshot.losses):
            for epoch, value in self._seen.get(index, [(self._n_full, loss)]):
                indices.append(index)
                epochs.append(epoch)
                values.append(value)
        return at_epochs(snapshot.rows[indices], np.array(epochs), self._n_full), np.array(values)

    def _fitted(self, points: Points, values: np.ndarray, n: int) -> ProductGP:
        groups = self._features.groups
        if self.latest is None or n < ALWAYS_FITTED or n % FITTED_EVERY == 0:
            return fit(points, values, groups, PRIORS)
        return condition(points, values, self.latest.hyperparameters, groups, PRIORS.mean_variance)
