"""BOCA: Bayesian optimization with continuous approximations (Kandasamy et al., 2017) [boca].

    z       share of the full budget, 1 for the full one          lambda(z)    cost of an evaluation, here z itself
    x       configuration                                         xi(z)        sqrt(1 - k_z(z, 1)^2), information gap

One Gaussian process has a squared exponential kernel over [z, x], which is a product of one over z and one over x. The
configuration minimises the lower confidence bound at the full budget, and then the budget is chosen for it: the
cheapest z of

    { 1 }  and  { z < 1:   std(z, x) > sqrt(scale) xi(z) lambda(z)^q   and   xi(z) > |xi|_max / sqrt(beta_t) }     eq. 5

with q = 1 / (2 + 1 + d): small budgets are evaluated while they are uncertain and not too close to the full one.

Departures from the paper: budgets are those that the problem has, not a continuum, and cost in proportion; the first
configurations are random and evaluated at the full budget, as Dai et al. (2019, appendix D) let all methods begin;
beta_t is that of `gp-ucb`; lengthscales have the prior LogNormal(0, 1); losses are transformed (`baselines.parts.
beliefs`). A configuration is not evaluated twice at the same budget as long as there are others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from baselines.parts.beliefs import observations
from baselines.parts.cost_aware_optimizer import CostAwareOptimizer
from baselines.parts.history import Snapshot
from baselines.parts.information_per_cost import Choice
from baselines.parts.search.maximum import maximise, random_points
from hpo_core.errors import InvalidBudget
from hpo_core.space import Space
from hpo_models.acquisition import confidence_bounds, confidence_factor
from hpo_models.gp.kernels import rbf
from hpo_models.gp.priors import MAP, LogNormal
from hpo_models.gp.regression import GP, condition, fit

N_STARTS = 5  # local searches
PRIORS = MAP._replace(lengthscale=LogNormal(0.0, 1.0))


def boca(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, n_initial: int = 6) -> CostAwareOptimizer:
    """Optimizer by confidence bounds over configurations and budgets.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; at least two budgets.
    n_initial
        Number of random configurations, at the full budget, before the process is used.

    Returns
    -------
    CostAwareOptimizer
        With `ask`, `tell`, `sizes` and `incumbent`.
    """
    if len(budgets) < 2:
        raise InvalidBudget(
            f"boca needs at least two budgets to choose from, got {list(budgets)!r}; take gp-ucb, or a benchmark that "
            "has several"
        )
    choice = ConfidenceByBudget(np.asarray(budgets, dtype=float) / float(budgets[-1]))
    design = [len(budgets) - 1]
    return CostAwareOptimizer(
        space, budgets, choice.propose, design=design, n_initial=n_initial, seed=seed, name="boca"
    )


class ConfidenceByBudget:
    """Choice of a configuration at the full budget, and then of its budget; `shares` (k,) are those of the budgets."""

    def __init__(self, shares: np.ndarray):
        self._shares = shares

    def propose(self, snapshot: Snapshot, spent: float, rng: np.random.Generator) -> Choice:
        """What to evaluate next."""
        process = self._process(snapshot)
        d = int(snapshot.features.groups[-1]) + 1
        beta = confidence_factor(d, len(snapshot))
        told = snapshot.rows[~np.isnan(snapshot.told)]
        best = told[int(np.argmin(process.predict(with_share(told, 1.0))[0]))]

        def score(rows: np.ndarray) -> np.ndarray:
            return -confidence_bounds(*process.predict(with_share(rows, 1.0)), beta)[0]

        row = maximise(snapshot, score, random_points(snapshot.features, rng, best), best[None], rng, N_STARTS)
        allowed = worthwhile(process, row, self._shares, beta)
        new = [level for level in np.flatnonzero(allowed).tolist() if snapshot.is_new(row, level)]
        return Choice(row, new[0] if new else snapshot.full, best)

    def _process(self, snapshot: Snapshot) -> GP:
        """The process of transformed losses; pending trials count with their predictions."""
        observed = observations(snapshot)
        groups = np.append(snapshot.features.groups, snapshot.features.groups[-1] + 1)
        x = with_share(observed.rows, self._shares[observed.levels])
        process = fit(x, observed.values, groups=groups, kernel="rbf", priors=PRIORS)
        pending = np.isnan(snapshot.told)
        if not pending.any():
            return process
        more = with_share(snapshot.rows[pending], self._shares[snapshot.levels[pending]])
        both = np.concatenate([process.x, more]), np.concatenate([process.y, process.predict(more)[0]])
        return condition(
            *both, process.hyperparameters, groups=groups, kernel="rbf", mean_variance=process.mean_variance
        )


def with_share(rows: np.ndarray, shares: np.ndarray | float) -> np.ndarray:
    """(n, width + 1) inputs of the process: rows (n, width) of features, and shares (n,) of the full budget or one."""
    return np.column_stack([rows, np.broadcast_to(shares, len(rows))])


def worthwhile(process: GP, row: np.ndarray, shares: np.ndarray, beta: float) -> np.ndarray:
    """(k,) whether each share of the full budget is in the set of eq. 5 for a row (width,); the full one, last, is.

    Parameters
    ----------
    process
        Over features and shares.
    row
        (width,) features.
    shares
        (k,) ascending, the last one 1.
    beta
        Factor of the confidence bounds.

    Returns
    -------
    np.ndarray
        (k,) booleans.
    """
    hyperparameters = process.hyperparameters
    gaps = np.sqrt(1.0 - rbf(((shares - 1.0) / hyperparameters.lengthscales[-1]) ** 2)[0] ** 2)
    q = 1.0 / (2 + len(hyperparameters.lengthscales))
    stds = process.predict(with_share(np.repeat(row[None], len(shares), axis=0), shares))[1]
    uncertain = stds > math.sqrt(hyperparameters.scale) * gaps * shares**q
    allowed = uncertain & (gaps > gaps.max() / math.sqrt(beta))
    allowed[-1] = True
    return allowed
