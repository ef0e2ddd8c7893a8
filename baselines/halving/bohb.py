"""BOHB: Hyperband whose configurations come from a model (Falkner et al., 2018; Klein, 2020, section 6.3) [bohb].

    D_b    observations at budget b, N_b rows           N_min   d + 1, d hyperparameters
    l, g   kernel densities of the best and of the worst rows of D_b

Algorithm 7 of Klein (2020): with probability rho a configuration is random. Otherwise b is the largest budget with N_b
>= N_min + 2, l is fitted to the max(N_min, q N_b) best rows and g to the max(N_min, N_b - max(N_min, q N_b)) worst (eq.
6.2), and of 64 draws from l with bandwidths three times as wide the one with the highest l/g is taken. Workers share
the runs as in section 6.3.2, see `baselines.halving.sh`; all runs share the rows. So that a proposal does not take
longer and longer, N_b counts up to 1,000: from then on l has the 150 best rows, g the newest 850 of the others.

As in HpBandSter, the authors' code: q is 0.15; a failed trial is a row with an infinite loss; only the Gaussian kernels
are widened, not those of categoricals. Unlike there, an ordinal is numeric, and a categorical's bandwidth does not
depend on the order of its values.

Conditions. Where a hyperparameter is switched off HpBandSter imputes a value before it fits a density: that of a random
row that has the hyperparameter, or a uniform one if none has. Here such a row says nothing about it, and a candidate
without it has no factor for it in l or g, see `hpo_models.densities.kde`. Its bandwidth is that of the rows that have
it, the prior being one row more. Draws that are forbidden are left out, and should all be, the configuration is random.
In a space with a list the draws, and the random configurations, are those of it that were not suggested or seen yet.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence
from itertools import cycle

import numpy as np

from baselines.halving.hyperband import brackets
from baselines.halving.sh import HalvingSchedule
from baselines.parts.history import WINDOW, History
from baselines.parts.requirements import count, number
from baselines.parts.sampling import random_configs, unit_decoder
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Config, Space
from hpo_models.densities.kde import ProductKde, normal_reference
from hpo_models.densities.listed_draws import ListedDraws
from hpo_models.features import Features

DISCRETE_BANDWIDTH = 0.3  # on a finite space; with less the densities collapse to single values (Klein, 2020, app. D.3)
CONTINUOUS_BANDWIDTH = 1e-3


class BOHB:
    """Hyperband with a density model.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    eta, min_budget
        As in `Hyperband`.
    random_fraction
        rho, the share of random configurations.
    n_candidates
        Number of draws from l that are compared.
    quantile
        q, the share of the rows that l is fitted to.
    bandwidth_factor
        How many times wider than those of l the bandwidths of the density are that candidates come from.
    min_bandwidth
        Lowest bandwidth; by default 0.3 on a finite space and 0.001 on others.
    """

    name = "bohb"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        eta: float = 3,
        min_budget: float | None = None,
        random_fraction: float = 1 / 3,
        n_candidates: int = 64,
        quantile: float = 0.15,
        bandwidth_factor: float = 3.0,
        min_bandwidth: float | None = None,
    ):
        random, self._rng = np.random.default_rng(seed).spawn(2)
        self._random = random_configs(space, random)
        self._random_fraction = number("random_fraction", random_fraction, 0.0, 1.0)
        self._model = DensityModel(
            space,
            n_candidates=count("n_candidates", n_candidates),
            quantile=number("quantile", quantile, 0.0, 1.0),
            widening=number("bandwidth_factor", bandwidth_factor, 1e-3, 1e3),
            min_bandwidth=None if min_bandwidth is None else number("min_bandwidth", min_bandwidth, 1e-6, 1.0),
        )
        self._schedule = HalvingSchedule(cycle(brackets(budgets, eta, min_budget)), self._sample)
        self.n_random = 0

    @single_threaded
    def ask(self) -> Proposal:
        return self._schedule.ask()

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._schedule.tell(proposal, loss, cost)
        self._model.observe(proposal, loss)

    def _sample(self) -> Config:
        """A new configuration, by algorithm 7."""
        is_random = self._rng.random() < self._random_fraction
        suggested = None if is_random else self._model.suggest(self._rng)
        if suggested is None:
            self.n_random += 1
            return self._model.random_listed(self._rng) or next(self._random)
        return suggested


class DensityModel:
    """Densities of the good and bad configurations at the largest budget with enough of them.

    Parameters
    ----------
    space
        What is searched.
    n_candidates, quantile, min_bandwidth
        As in `BOHB`.
    widening
        `bandwidth_factor` of `BOHB`.
    """

    def __init__(
        self,
        space: Space,
        *,
        n_candidates: int = 64,
        quantile: float = 0.15,
        widening: float = 3.0,
        min_bandwidth: float | None = None,
    ):
        self._space = space
        self._n_candidates, self._quantile, self._widening = n_candidates, quantile, widening
        self._features = Features(space)
        lowest = CONTINUOUS_BANDWIDTH if (self._features.cells == 0).any() else DISCRETE_BANDWIDTH
        self._min_bandwidth = lowest if min_bandwidth is None else min_bandwidth
        self._decode = unit_decoder(space)
        self._least = len(space) + 1  # N_min
        self._history = History(self._features.width)
        self._ranked: dict[float, list[tuple[float, int]]] = {}  # losses and indices at each budget, ascending
        self._told: dict[float, list[tuple[float, int]]] = {}  # the same, oldest first
        self._fitted: tuple[ProductKde, ProductKde] | None = None
        self._listed = None if self._features.listed is None else ListedDraws(self._features.listed)

    def observe(self, proposal: Proposal, loss: float) -> None:
        """Note a loss at its budget."""
        unit = self._space.to_unit(self._space.encode(proposal.config))
        row = self._features.from_unit(unit)[0]
        index = self._history.observe(row, loss)
        if self._listed is not None:
            self._listed.note(row)
        budget = proposal.budget or math.inf
        insort(self._ranked.setdefault(budget, []), (loss, index))
        self._told.setdefault(budget, []).append((loss, index))
        self._fitted = None

    def suggest(self, rng: np.random.Generator) -> Config | None:
        """The best of the candidates drawn from l; None before there are enough rows, or if all were forbidden."""
        densities = self.densities()
        if densities is None:
            return None
        l, g = densities
        candidates = self._candidates(l, rng)
        if not len(candidates):
            return None
        best = candidates[np.argmax(l.log_density(candidates) - g.log_density(candidates))]
        if self._listed is not None:
            self._listed.note(best)
        return self._decode(self._features.to_unit(best))

    def random_listed(self, rng: np.random.Generator) -> Config | None:
        """A random configuration of the list; None in a space without one."""
        if self._listed is None:
            return None
        row = self._listed.draw_uniformly(rng)
        self._listed.note(row)
        return self._decode(self._features.to_unit(row))

    def _candidates(self, l: ProductKde, rng: np.random.Generator) -> np.ndarray:
        """(n, width) draws from l with wider bandwidths, without those that are forbidden."""
        if self._listed is not None:
            self._listed.weigh(l.widened(self._widening))
            return self._listed.draw(rng, self._n_candidates)
        candidates = l.sample(rng, self._n_candidates, self._widening)
        return candidates[self._features.allowed(candidates)] if self._features.constrained else candidates

    def densities(self) -> tuple[ProductKde, ProductKde] | None:
        """l and g, eq. 6.2, or None before there are enough rows at any budget."""
        if self._fitted is None:
            enough = [b for b, ranked in self._ranked.items() if len(ranked) >= self._least + 2]
            if enough:
                self._fitted = self._fit(max(enough))
        return self._fitted

    def _fit(self, budget: float) -> tuple[ProductKde, ProductKde]:
        ranked, most = self._ranked[budget], max(WINDOW, 2 * self._least)
        n = min(len(ranked), most)
        n_good = max(self._least, int(self._quantile * n))
        n_bad = max(self._least, n - n_good)
        good = ranked[:n_good]
        if n == len(ranked):
            return self._density(good), self._density(ranked[-n_bad:])
        recent = [row for row in self._told[budget][-n_bad - n_good :] if row > good[-1]]
        return self._density(good), self._density(recent[-n_bad:])

    def _density(self, ranked: list[tuple[float, int]]) -> ProductKde:
        rows = self._history.rows[[index for _, index in ranked]]
        bandwidths = np.maximum(normal_reference(self._features, rows), self._min_bandwidth)
        stds, switching = np.split(bandwidths, [self._features.n_numeric])
        return ProductKde(self._features, rows, stds, switching)
