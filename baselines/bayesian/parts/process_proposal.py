"""`ProcessProposal`: the row that maximises an acquisition function under Gaussian processes, for `gp` and `gp-ucb`."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from baselines.parts.acquisition_search import Score, maximise, random_points
from baselines.parts.history import Snapshot
from baselines.parts.loss_transforms import log_distances
from hpo_models.gp.fit import Fitting, Hyperparameters, most_probable, posterior_samples
from hpo_models.gp.kernels import matern52
from hpo_models.gp.priors import MAP, Box, LogNormal
from hpo_models.gp.regression import GP, condition, fit

N_STARTS = 5  # local searches
BURN_IN, THINNING = 100, 5  # steps of the chain
# Samples of lengthscales need a prior that is flat in their logarithm: one that is flat in the values has its mass at
# the upper end of the box, where nothing matters. The end is the e^2 of Klein (2020, section 4.4.4).
SAMPLED = MAP._replace(lengthscale=LogNormal(0.0, 1e3))
BOX = Box(lengthscale=(1e-2, math.exp(2.0)))

Acquisition = Callable[[list[GP], np.ndarray], Score]


class ProcessProposal:
    """Matern-5/2 processes of the losses; a chain of their hyperparameters goes on from proposal to proposal.

    Parameters
    ----------
    acquisition
        `acquisition(processes, values)` is a score of rows, averaged over the processes; `values` (n,) are the
        transformed losses.
    n_samples
        Number of samples of the hyperparameters, one for each process; 0 takes the most probable ones.
    """

    def __init__(self, acquisition: Acquisition, n_samples: int):
        self._acquisition, self._n_samples = acquisition, n_samples
        self._last: Hyperparameters | None = None  # of the chain

    def propose(self, snapshot: Snapshot, rng: np.random.Generator) -> np.ndarray:
        """Row (width,) to evaluate next."""
        features, rows, values = snapshot.features, snapshot.rows, log_distances(snapshot.losses)
        best = rows[int(np.argmin(values))]
        score = self._acquisition(self.processes(rows, values, features.groups, rng), values)
        return maximise(snapshot, score, random_points(features, rng, best), best[None], rng, N_STARTS)

    def processes(self, rows: np.ndarray, values: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> list[GP]:
        """Processes to average over, given observations.

        Parameters
        ----------
        rows
            (n, width) features.
        values
            (n,) transformed losses.
        groups
            (width,) index of the hyperparameter that a column belongs to.
        rng
            Source of randomness, for the samples.

        Returns
        -------
        list of GP
            As many as there are samples, or one.
        """
        if not self._n_samples:
            # from a fixed start: one from the last hyperparameters would stay in whichever mode they were in
            return [fit(rows, values, groups=groups)]
        burn_in = 0 if self._last is not None else BURN_IN
        start = self._last or most_probable(rows, values, groups, matern52, SAMPLED, Fitting(box=BOX))
        chain = posterior_samples(
            rows, values, groups, matern52, SAMPLED, rng, start, BOX,
            n_samples=self._n_samples, burn_in=burn_in, thinning=THINNING,
        )  # fmt: skip
        self._last = chain[-1]
        return [condition(rows, values, sample, groups=groups) for sample in chain]
