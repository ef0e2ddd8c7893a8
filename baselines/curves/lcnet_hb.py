"""Hyperband whose configurations come from LC-Net (Klein et al., 2017; Klein, 2020, section 5.4.4) [lcnet-hb].

At the beginning of each run of successive halving LC-Net (`hpo_models.curves.lc_net`) is sampled given all losses so
far, each with its configuration and its share of the full budget. Every configuration of the run is chosen by Thompson
sampling: one draw of the weights is one function, and a local search from a random configuration, to the best of the
one-step neighbours and at most 10 times, looks for the lowest value at the full budget. The first run is random.

Departures from Klein (2020, section 5.4.4 and app. B.4), which fits all epochs of a curve: an optimizer here is told
the loss at the budgets it asked for, and fits these. Losses are replaced by the logarithm of their distance to a value
below the lowest, as in `gp`. A configuration is not proposed at a budget at which, or above which, it was evaluated, as
long as the search visited another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import numpy as np

from baselines.halving.hyperband import brackets
from baselines.halving.sh import HalvingSchedule, Stages
from baselines.parts.history import History, row_key
from baselines.parts.loss_transforms import log_distances
from baselines.parts.requirements import count
from baselines.parts.sampling import unit_decoder
from baselines.parts.search.maximum import local_search
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Config, Space
from hpo_models.curves.lc_net import CurvePosterior, Sampling, fit_lc_net
from hpo_models.features import Features
from hpo_models.networks.adam import WarmStart

MAX_STEPS = 10
WARM_START, BURN_IN, BETWEEN, CHAINS = WarmStart(1000), 500, 20, 4


class LCNetHyperband:
    """Hyperband with Thompson sampling from LC-Net.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    eta, min_budget
        As in `Hyperband`.
    units
        Number of units of each of the network's three hidden layers.
    """

    name = "lcnet-hb"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        eta: float = 3,
        min_budget: float | None = None,
        units: int = 50,
    ):
        self._space, self._features = space, Features(space)
        self._decode = unit_decoder(space)
        self._units = (count("units", units),) * 3
        self._rng = np.random.default_rng(seed)
        plans = brackets(budgets, eta, min_budget)
        self._rungs = sorted({budget for plan in plans for _, budget in plan})
        self._history = History(self._features.width)
        self._reached: dict[bytes, int] = {}  # the highest rung that a configuration was asked for at
        self._posterior: CurvePosterior | None = None
        self._n_drawn = 0  # draws of the posterior that were used
        self._level = 0  # first rung of the latest run
        self._schedule = HalvingSchedule(cycle(plans), self._sample, self._train_network)

    @single_threaded
    def ask(self) -> Proposal:
        return self._schedule.ask()

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._schedule.tell(proposal, loss, cost)
        level = self._rungs.index(proposal.budget or self._rungs[-1])
        row = self._features.from_unit(self._space.to_unit(self._space.encode(proposal.config)))[0]
        self._history.observe(row, loss, cost, level)
        self._reach(row, level)

    def _train_network(self, plan: Stages) -> None:
        """Sample the network given all losses, before a run begins, with a draw for each of its configurations."""
        n_draws, budget = plan[0]
        self._level, self._posterior, self._n_drawn = self._rungs.index(budget), None, 0
        if not self._history.n_finite or not self._features.width:
            return
        snapshot = self._history.snapshot(self._features)
        shares = np.array(self._rungs, dtype=float)[snapshot.levels] / float(self._rungs[-1])
        sampling = Sampling(CHAINS, n_draws, BETWEEN, BURN_IN, warm_start=WARM_START)
        seed = int(self._rng.integers(2**31))
        values = log_distances(snapshot.losses)
        x = centred(snapshot.rows)
        self._posterior = fit_lc_net(x, shares, values, seed, units=self._units, sampling=sampling)

    def _sample(self) -> Config:
        """A new configuration."""
        row = self._random_row() if self._posterior is None else self._thompson(self._posterior)
        self._reach(row, self._level)
        return self._decode(self._features.to_unit(row))

    def _reach(self, row: np.ndarray, level: int) -> None:
        key = row_key(row)
        self._reached[key] = max(self._reached.get(key, -1), level)

    def _thompson(self, posterior: CurvePosterior) -> np.ndarray:
        """Row (width,) with the lowest asymptote that a local search finds under the next draw of the network."""
        draw = self._n_drawn
        self._n_drawn += 1

        def score(rows: np.ndarray) -> np.ndarray:
            return -posterior.asymptote(draw, centred(rows))

        rows, scores = local_search(self._features, self._random_row()[None], score, self._rng, MAX_STEPS)
        for index in np.argsort(-scores, kind="stable"):
            if self._reached.get(row_key(rows[index]), -1) < self._level:
                return rows[index]
        return self._random_row()

    def _random_row(self) -> np.ndarray:
        """Row (width,) at random; of a list one that was not evaluated at this budget or above, if there is one."""
        listed = self._features.listed
        if self._features.first is not None and not self._reached:
            return self._features.first
        if listed is None:
            return self._features.sample_start(self._rng, 1)[0]
        rows = listed.rows[self._features.listed_order(self._rng)]
        return next((row for row in rows if self._reached.get(row_key(row), -1) < self._level), rows[0])


def centred(rows: np.ndarray) -> np.ndarray:
    """Rows of features in [0, 1] moved to [-1, 1]."""
    return 2.0 * rows - 1.0
