"""Hyperband whose configurations come from LC-Net (thesis, section 5.4.4 and app. B.4; Klein et al., 2017) [lcnet-hb].

At the beginning of each run of successive halving LC-Net (`hpo_models.curves.lc_net`) is sampled given all losses so
far, each with its configuration and its share of the full budget. Every configuration of the run is chosen by Thompson
sampling: one draw of the weights is one function, and a local search from a random configuration, to the best of the
one-step neighbours and at most 10 times, looks for the lowest value at the full budget. The first run is random.

Where this leaves the thesis. It fits all epochs of a curve; an optimizer here is told the loss at the budgets it asked
for, and fits these. Losses are replaced by the logarithm of their distance to a value below the lowest, as in `gp`. A
configuration is not proposed at a budget that it has been evaluated at, or below it, as long as the search came past
another one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import cycle

import numpy as np

from baselines.halving.hyperband import brackets
from baselines.halving.sh import HalvingSchedule, Stages
from baselines.parts.acquisition_search import local_search
from baselines.parts.history import row_key
from baselines.parts.loss_transforms import log_distances
from baselines.parts.requirements import count, without_conditions
from baselines.parts.sampling import unit_decoder
from hpo_core.running.trial import Proposal
from hpo_core.space import Config, Space
from hpo_models.curves.lc_net import CurvePosterior, Sampling, fit_lc_net
from hpo_models.features import Features
from hpo_models.networks.bnn import WarmStart

MAX_STEPS = 10
WARM_START, BURN_IN, BETWEEN, CHAINS = WarmStart(1000), 500, 20, 4


class LCNetHyperband:
    """Hyperband with Thompson sampling from LC-Net.

    Parameters
    ----------
    eta, min_budget
        As in Hyperband.
    units
        Of each of the network's three hidden layers.
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
        without_conditions(space, self.name)
        self._space, self._features = space, Features(space)
        self._decode = unit_decoder(space)
        self._units = (count("units", units),) * 3
        self._rng = np.random.default_rng(seed)
        self._rows: list[np.ndarray] = []
        self._shares: list[float] = []
        self._losses: list[float] = []
        self._reached: dict[bytes, float] = {}  # the largest budget that a configuration was asked for at
        self._posterior: CurvePosterior | None = None
        self._drawn = 0
        self._plans = brackets(budgets, eta, min_budget)
        self._full = float(budgets[-1])
        self._schedule = HalvingSchedule(self._runs(), self._sample)

    def ask(self) -> Proposal:
        return self._schedule.ask()

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._schedule.tell(proposal, loss, cost)
        budget = self._full if proposal.budget is None else float(proposal.budget)
        row = self._features.from_unit(self._space.to_unit(self._space.encode(proposal.config)))[0]
        self._reached[row_key(row)] = max(self._reached.get(row_key(row), 0.0), budget)
        self._rows.append(row)
        self._shares.append(budget / self._full)
        self._losses.append(loss if loss < math.inf else math.inf)

    def _runs(self) -> Iterator[Stages]:
        """The plans of Hyperband; before each the network is sampled, with a draw for every configuration to come."""
        for plan in cycle(self._plans):
            n, self._budget = plan[0]
            self._posterior, self._drawn = self._fit(n), 0
            yield plan

    def _fit(self, n_draws: int) -> CurvePosterior | None:
        losses = np.array(self._losses)
        finite = np.isfinite(losses)
        if not finite.any() or not self._features.width:
            return None
        values = log_distances(np.where(finite, losses, losses[finite].max()))
        sampling = Sampling(CHAINS, n_draws, BETWEEN, BURN_IN, warm_start=WARM_START)
        seed = int(self._rng.integers(2**31))
        shares = np.array(self._shares)
        return fit_lc_net(centred(np.array(self._rows)), shares, values, seed, units=self._units, sampling=sampling)

    def _sample(self) -> Config:
        """A new configuration."""
        row = self._random_row() if self._posterior is None else self._thompson(self._posterior)
        self._reached[row_key(row)] = max(self._reached.get(row_key(row), 0.0), self._budget)
        return self._decode(self._features.to_unit(row))

    def _thompson(self, posterior: CurvePosterior) -> np.ndarray:
        """Row (width,) with the lowest asymptote that a local search finds under the next draw of the network."""
        draw = self._drawn
        self._drawn += 1

        def score(rows: np.ndarray) -> np.ndarray:
            return -posterior.asymptote(draw, centred(rows))

        rows, scores = local_search(self._features, self._random_row()[None], score, self._rng, MAX_STEPS)
        for place in np.argsort(-scores, kind="stable"):
            if self._reached.get(row_key(rows[place]), 0.0) < self._budget:
                return rows[place]
        return self._random_row()

    def _random_row(self) -> np.ndarray:
        return self._features.sample_prior(self._rng, 1)[0]


def centred(rows: np.ndarray) -> np.ndarray:
    """Rows of features in [0, 1] moved to [-1, 1]."""
    return 2.0 * rows - 1.0
