"""Bayesian optimization with a Gaussian process (Snoek et al., 2012; thesis section 2.3 and app. E.5) [gp, gp-ucb].

A Matern-5/2 process with a lengthscale per hyperparameter models the losses. `gp` maximises expected improvement;
`gp-ucb` minimises the lower confidence bound mean - sqrt(beta_t) sd with beta_t = 2 log(d t^2 pi^2 / 6 delta) / 5
(Srinivas et al., 2010, theorem 1 with |D| replaced by d and the factor 1/5 of their section 6).

With `samples` the hyperparameters of the process are samples of their posterior, as in the thesis, and the acquisition
function is averaged over them. They come from one chain of slice sampling that goes on from suggestion to suggestion,
where the thesis starts anew: after a burn-in at the first suggestion, five steps per sample.

Where this leaves the thesis: the hyperparameters are the most probable ones unless samples are asked for; the maximum
of the acquisition function is sought by the adapted random search of 500 points, then by local search from the best of
them and ever smaller steps around what that finds; losses are replaced by the logarithm of their distance to a value
below the lowest, without which one diverged training (1e7 among 1e-5) hides every other difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

from baselines.parts.acquisition_search import Score, random_points
from baselines.parts.modelled import Modelled, log_distances
from baselines.parts.requirements import count
from hpo_core.space import Space
from hpo_models.acquisition import log_expected_improvement
from hpo_models.gp.fit import Fitting, Hyperparameters, most_probable, posterior_samples
from hpo_models.gp.kernels import matern52
from hpo_models.gp.priors import MAP, Box, LogNormal
from hpo_models.gp.regression import GP, condition, fit

N_STARTS = 5  # local searches
DELTA = 0.1
BURN_IN, THINNING = 100, 5  # steps of the chain
# Samples of lengthscales need a prior that is flat in their logarithm: one that is flat in the values has its mass at
# the upper end of the box, where nothing matters. The end is the thesis' e^2 (section 4.4.4).
SAMPLED = MAP._replace(lengthscale=LogNormal(0.0, 1e3))
BOX = Box(lengthscale=(1e-2, math.exp(2.0)))


class GaussianProcess(Modelled):
    """Expected improvement under a Gaussian process.

    Parameters
    ----------
    n_initial
        Random configurations before the process is asked.
    samples
        Number of samples of the process' hyperparameters to average over, 10 in the thesis; 0 takes the most probable.
    """

    name = "gp"

    def __init__(
        self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, n_initial: int = 5, samples: int = 0
    ):
        super().__init__(space, seed=seed, n_initial=n_initial)
        self.samples = count("samples", samples, 0)
        self._chain: Hyperparameters | None = None

    def _suggest(self) -> np.ndarray:
        if not self._features.width:  # a space of one point
            return self._random_row()
        rows, losses = self._observed()
        values = log_distances(losses)
        best = rows[int(np.argmin(values))]
        score = self._averaged([self._score(gp, float(values.min())) for gp in self._processes(rows, values)])
        return self._maximise(score, random_points(self._features, self._rng, best), best[None], N_STARTS)

    def _processes(self, rows: np.ndarray, values: np.ndarray) -> list[GP]:
        groups = self._features.groups
        if not self.samples:
            # from a fixed start: one from the last hyperparameters would stay in whichever mode they were in
            return [fit(rows, values, groups=groups)]
        burn_in = 0 if self._chain is not None else BURN_IN
        start = self._chain or most_probable(rows, values, groups, matern52, SAMPLED, Fitting(box=BOX))
        chain = posterior_samples(
            rows, values, groups, matern52, SAMPLED, self._rng, start, BOX,
            n_samples=self.samples, burn_in=burn_in, thinning=THINNING,
        )  # fmt: skip
        self._chain = chain[-1]
        return [condition(rows, values, sample, groups=groups) for sample in chain]

    def _score(self, process: GP, best: float) -> Score:
        return lambda rows: log_expected_improvement(*process.predict(rows), best)

    def _averaged(self, scores: list[Score]) -> Score:
        """Logarithm of the mean of what the scores are logarithms of, up to a constant."""
        return scores[0] if len(scores) == 1 else lambda rows: logsumexp([score(rows) for score in scores], axis=0)


class GaussianProcessUCB(GaussianProcess):
    """Lower confidence bound under a Gaussian process."""

    name = "gp-ucb"

    def _score(self, process: GP, best: float) -> Score:
        t = len(process.y)
        beta = 2 * math.log((self._features.groups[-1] + 1) * t**2 * math.pi**2 / (6 * DELTA)) / 5

        def score(rows: np.ndarray) -> np.ndarray:
            mean, deviation = process.predict(rows)
            return math.sqrt(beta) * deviation - mean

        return score

    def _averaged(self, scores: list[Score]) -> Score:
        return scores[0] if len(scores) == 1 else lambda rows: np.mean([score(rows) for score in scores], axis=0)
