"""TuRBO-1: Bayesian optimization in a trust region (Eriksson et al., 2019) [turbo].

A Gaussian process models the losses of one region, a box around its best configuration. The next configuration is the
lowest one, among candidates in the box, of a function drawn from the process (Thompson sampling). The box doubles after
three successes in a row and halves after max(4, d) failures; once it is shorter than 1/128 another region begins, with
a Latin hypercube of 2 d configurations and without a memory of the one before.

Settings of the paper: length 0.8 at first, at most 1.6; 100 candidates for each dimension; Matern-5/2, lengthscales in
[0.005, 2], scale in [0.05, 20], noise in [5e-4, 0.2].

Departures: the draw is a function with random Fourier features in place of an exact draw at the candidates, which would
take time in the third power of their number; results count one by one unless `batch_size` is given, and in the order in
which their proposals were asked for; a pending result counts with the median of the region's losses; the losses are
those of `gp`, by the logarithm of their distance to a value below the lowest, where the paper standardises them; the
process' hyperparameters have the priors of `gp` and are searched for when the observations have grown by a twentieth.
Ints, ordinals and categoricals, which the paper does not have: see `baselines.bayesian.parts.trust_region`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from baselines.bayesian.parts.initial_design import InitialDesign
from baselines.bayesian.parts.trust_region import TrustRegion, after, candidates, patience
from baselines.parts.bayesian_optimizer import BayesianOptimizer
from baselines.parts.history import Snapshot
from baselines.parts.latin_hypercube import latin_hypercube
from baselines.parts.loss_transforms import log_distances
from baselines.parts.requirements import count
from baselines.parts.search.maximum import best_new_row
from baselines.parts.search_schedule import next_search
from hpo_core.space import Space
from hpo_models.gp.fit import Fitting
from hpo_models.gp.pathwise import drawn_function
from hpo_models.gp.priors import Box
from hpo_models.gp.regression import GP, extended, fit

FITTING = Fitting(box=Box(lengthscale=(5e-3, 2.0), scale=(0.05, 20.0), noise=(5e-4, 0.2)))


def turbo(
    space: Space,
    *,
    budgets: Sequence[float] = (1,),
    seed: int = 0,
    n_initial: int | None = None,
    batch_size: int = 1,
) -> BayesianOptimizer:
    """Optimizer by Thompson sampling in a trust region.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    n_initial
        Number of configurations that each region begins with; None for twice the number of hyperparameters.
    batch_size
        q, the number of results that count as one success or failure; as many as there are workers in the paper.

    Returns
    -------
    BayesianOptimizer
        With `ask` and `tell`.

    Examples
    --------
    >>> from baselines import optimizer
    >>> from hpo_core import Benchmark, run
    >>> b = Benchmark("hartmann6")
    >>> bool(run(b, optimizer("turbo", b.space, seed=0), n_trials=60).best.loss < -2.5)
    True
    """
    n = 2 * len(space) if n_initial is None else count("n_initial", n_initial)
    proposal = TrustRegionProposal(len(space), n, count("batch_size", batch_size))
    return BayesianOptimizer(space, proposal.propose, n, seed, name="turbo", initial=proposal.design)


class TrustRegionProposal:
    """One region after another; the rows of the present one are those that were asked for since it began.

    Parameters
    ----------
    n_dimensions
        Number of hyperparameters.
    n_initial
        Number of rows that a region begins with.
    batch_size
        Number of results that count together.
    """

    def __init__(self, n_dimensions: int, n_initial: int, batch_size: int):
        self._d, self._n_initial, self._batch_size = n_dimensions, n_initial, batch_size
        self._begin(0)

    def _begin(self, start: int) -> None:
        self._start, self.region = start, TrustRegion()
        self._counted: set[int] = set()
        self._batch: list[float] = []
        self._design = InitialDesign(partial(latin_hypercube, self._n_initial, self._d))
        self._process: GP | None = None
        self._n_fitted = 0

    def design(self, snapshot: Snapshot, rng: np.random.Generator) -> np.ndarray:
        """Next row (width,) of the region's Latin hypercube, a random one after the last."""
        return self._design.propose(snapshot, rng)

    def propose(self, snapshot: Snapshot, rng: np.random.Generator) -> np.ndarray:
        """Row (width,) to evaluate next."""
        self._count(snapshot)
        if self.region.over:
            self._begin(len(snapshot))
        since = slice(self._start, None)
        own = replace(
            snapshot,
            rows=snapshot.rows[since], told=snapshot.told[since], costs=snapshot.costs[since],
            levels=snapshot.levels[since],
        )  # fmt: skip
        if len(own) < self._n_initial or not np.isfinite(own.told).any():
            return self.design(snapshot, rng)
        process = self._fitted(own)
        lengthscales = process.hyperparameters.lengthscales
        rows = candidates(snapshot.features, own.best, lengthscales, self.region.length, rng)
        return best_new_row(snapshot, rows, -drawn_function(process, rng)(rows), rng)

    def _fitted(self, own: Snapshot) -> GP:
        """The process of the region's losses."""
        values = log_distances(own.losses)
        if self._process is None or len(own) >= next_search(self._n_fitted):
            self._process = fit(own.rows, values, groups=own.features.groups, fitting=FITTING)
            self._n_fitted = len(own)
        else:
            self._process = extended(self._process, own.rows, values)
        return self._process

    def _count(self, snapshot: Snapshot) -> None:
        """Let the region know the results that were told since the last proposal."""
        most_failures = patience(self._d, self._batch_size)
        for index in range(self._start, len(snapshot)):
            loss = float(snapshot.told[index])
            if index in self._counted or np.isnan(loss):
                continue
            self._counted.add(index)
            if index < self._start + self._n_initial:  # of the design
                self.region = self.region._replace(best=min(self.region.best, loss))
                continue
            self._batch.append(loss)
            if len(self._batch) == self._batch_size:
                self.region = after(self.region, min(self._batch), most_failures)
                self._batch = []
