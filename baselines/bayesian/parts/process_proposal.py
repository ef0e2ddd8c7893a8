"""`ProcessProposal`: the row that maximises an acquisition function under Gaussian processes, for `gp` and `gp-ucb`.

A search for the most probable hyperparameters takes some thirty factorisations of an (n, n) matrix, and one observation
among many hardly changes them. They are searched for again when the number of observations has grown by a twentieth
(`next_search`), which is at every proposal up to twenty, and are kept in between. Of samples of the hyperparameters the
older half is replaced at each proposal. A process that keeps its hyperparameters is extended by the new observations,
which takes O(n^2).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from baselines.parts.history import Snapshot
from baselines.parts.loss_transforms import log_distances
from baselines.parts.search.maximum import Score, maximise, random_points
from baselines.parts.search_schedule import next_search
from hpo_models.gp.fit import Fitting, most_probable, posterior_samples
from hpo_models.gp.kernels import matern52
from hpo_models.gp.priors import MAP, Box, LogNormal
from hpo_models.gp.regression import GP, condition, extended, fit

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
        self._processes: list[GP] = []  # of the last proposal, the newest sample last
        self._n_fitted = 0  # observations that the most probable hyperparameters were found for

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
            (n, width) features; those of the last call, if there was one, come first.
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
        if self._n_samples:
            kept = self._processes[(self._n_samples + 1) // 2 :]
            new = self._sampled(rows, values, groups, rng, self._n_samples - len(kept))
        elif len(rows) >= next_search(self._n_fitted):
            # from a fixed start: one from the last hyperparameters would stay in whichever mode they were in
            kept, new, self._n_fitted = [], [fit(rows, values, groups=groups)], len(rows)
        else:
            kept, new = self._processes, []
        self._processes = [extended(process, rows, values) for process in kept] + new
        return self._processes

    def _sampled(
        self, rows: np.ndarray, values: np.ndarray, groups: np.ndarray, rng: np.random.Generator, n: int
    ) -> list[GP]:
        """Processes of the next n samples of the chain."""
        begun = bool(self._processes)
        start = (
            self._processes[-1].hyperparameters
            if begun
            else most_probable(rows, values, groups, matern52, SAMPLED, Fitting(box=BOX))
        )
        chain = posterior_samples(
            rows, values, groups, matern52, SAMPLED, rng, start, BOX,
            n_samples=n, burn_in=0 if begun else BURN_IN, thinning=THINNING, step_out=not begun,
        )  # fmt: skip
        return [condition(rows, values, sample, groups=groups) for sample in chain]
