"""Tree-structured Parzen estimator (Bergstra et al., 2011), one hyperparameter at a time, as hyperopt [tpe-univariate].

    n      rows asked for so far        l, g   densities of one hyperparameter among the good and the bad rows

The ceil(gamma sqrt(n)) best rows, at most 25, are good. Of 24 draws from l the one with the highest l/g is proposed,
for each hyperparameter by itself. The first 20 configurations are drawn from the prior.

Departures from the paper follow hyperopt: the number of good rows (the paper takes the quantile gamma = 0.15), old rows
that lose weight in g, and bandwidths that never fall below 1/100 of the range. Unlike in hyperopt, rows before the
newest 1,000 have no weight in g, so that a proposal does not take longer and longer. Ordinals are indices on a numeric
scale and not categories; taken as categories they lose the order, and with it much of the performance: on the FC-Net
tables the median regret after 200 evaluations is about three times as high. A pending row counts as bad.

Conditions make it the tree of the paper: a hyperparameter's densities are those of the rows that have it, among the
good and the bad rows of the whole space, and only what its parents leave active is drawn. How that is done, and what
happens with forbidden clauses and lists, is in `baselines.tpe.parts.suggestions`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from baselines.parts.history import History
from baselines.parts.requirements import count, number
from baselines.parts.sampling import random_configs
from baselines.tpe.parts.suggestions import BoxSuggestions, ListedSuggestions
from baselines.tpe.parts.univariate import GoodAndBad, recent_weights
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Space
from hpo_models.densities.parzen import FLAT


class UnivariateTPE:
    """TPE with independent one-dimensional densities, as in hyperopt.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    n_initial
        Number of draws from the prior before the densities are used.
    n_candidates
        Number of draws from l that are compared.
    gamma
        Share of sqrt(n) that counts as good.
    """

    name = "tpe-univariate"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        n_initial: int = 20,
        n_candidates: int = 24,
        gamma: float = 0.25,
    ):
        self._n_initial = count("n_initial", n_initial)
        self._n_candidates = count("n_candidates", n_candidates)
        self._gamma = number("gamma", gamma, 0.0, 5.0)
        self._rng = np.random.default_rng(seed)
        self._stated = iter([] if space.first is None else [dict(space.first)])  # what to begin with
        if space.prior is not None and space.listed is None:
            self._stated = random_configs(space, *self._rng.spawn(1))
        self._suggestions = BoxSuggestions(space) if space.listed is None else ListedSuggestions(space)
        self._history = History(self._suggestions.width)
        self.n_random = 0

    @single_threaded
    def ask(self) -> Proposal:
        history = self._history
        n, rows = len(history), history.rows
        if n < self._n_initial or history.n_finite == 0:
            self.n_random += 1
            split = GoodAndBad(rows, [], np.zeros(n), 1)
        else:
            good = history.best(min(max(math.ceil(self._gamma * math.sqrt(n)), 1), FLAT))
            split = GoodAndBad(rows, good, recent_weights(n, good), self._n_candidates)
        stated = None if split.good else next(self._stated, None)
        if stated is not None:
            return history.propose(Proposal(stated), self._suggestions.enter(stated))
        config, row = self._suggestions.suggest(self._rng, split)
        return history.propose(Proposal(config), row)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._history.tell(proposal, loss, cost)
