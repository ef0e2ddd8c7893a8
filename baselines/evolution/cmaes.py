"""CMA-ES (Hansen, 2006) through the `cma` library, in the unit cube [cmaes].

Settings as in Klein (2020, section 8.4 and app. E.5). The search starts at a uniformly drawn point with a standard
deviation of 0.6 and the library's own settings. Points are kept inside [0, 1] by the library's boundary transformation,
and an evaluation rounds a point to the configuration whose cell it lies in. When the library finds that a search has
come to its end, as it does on a plateau, another one starts at a new point.

A hyperparameter that the conditions of a space switch off keeps its coordinate, which has no effect while it is off:
the search drifts along it. A point that is forbidden is drawn again from the same distribution, up to 100 times, and
then replaced by a random configuration that is allowed. In a space with a list the configuration of a point is the
nearest one of the list, and several points may have the same.

A generation is proposed point by point and told as a whole: once all of it is pending, `ask` returns None until the
last result has arrived. A trial that failed, with its infinite loss, ranks last in its generation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np

from baselines.parts.requirements import number
from baselines.parts.sampling import first_allowed, random_points, unit_decoder
from hpo_core.errors import MissingExtra, UnsupportedSpace
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Space


class CMAES:
    """Covariance matrix adaptation at the full budget.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    sigma
        First standard deviation, in the unit cube.
    """

    name = "cmaes"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, sigma: float = 0.6):
        if len(space) < 2:
            raise UnsupportedSpace(
                "'cmaes' needs at least two hyperparameters, the cma library refuses fewer; 'de' takes this space"
            )
        self._space, self._d = space, len(space)
        self._sigma = number("sigma", sigma, 1e-12, 1e12)
        self._rng = np.random.default_rng(seed)
        self._random = random_points(space, *self._rng.spawn(1))
        self._decode = unit_decoder(space)
        self._pending: Pending[int] = Pending()
        self._strategy: Any = self._new_strategy()
        self._begin_generation()
        self.n_random = 0

    @single_threaded
    def ask(self) -> Proposal | None:
        if self._proposed == len(self._points):
            return None
        index = self._proposed
        self.n_random += self._strategy.countiter == 0  # drawn around a random point
        self._proposed += 1
        config = self._allowed(index) if self._space.forbidden else self._decode(self._points[index].tolist())
        return self._pending.add(Proposal(config), index)

    def _allowed(self, index: int) -> dict[str, Any]:
        """Configuration of a point of the generation, which is replaced if it is forbidden."""
        drawn = chain([self._points[index]], (self._strategy.ask(number=1)[0] for _ in repeat(None)))

        def made() -> tuple[dict[str, Any], np.ndarray]:
            point = next(drawn)
            return self._decode(point.tolist()), point

        config, self._points[index] = first_allowed(self._space, made, self._redrawn)
        return config

    def _redrawn(self) -> tuple[dict[str, Any], np.ndarray]:
        self.n_random += self._strategy.countiter > 0
        config, point = next(self._random)
        return config, np.array(point)

    @single_threaded
    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._losses[self._pending.take(proposal, loss)] = loss
        if len(self._losses) == len(self._points):
            self._strategy.tell(self._points, [self._losses[index] for index in range(len(self._points))])
            if self._strategy.stop():
                self._strategy = self._new_strategy()
            self._begin_generation()

    def _begin_generation(self) -> None:
        self._points: list[np.ndarray] = self._strategy.ask()
        self._losses: dict[int, float] = {}
        self._proposed = 0

    def _new_strategy(self) -> Any:
        try:
            import cma
        except ImportError:
            raise MissingExtra("cma", "cmaes") from None
        self.version = f"cma {cma.__version__}"  # a leaderboard keeps runs by it
        options = {
            "bounds": [0, 1],
            "randn": lambda *shape: self._rng.standard_normal(shape),
            "seed": math.nan,  # none: with `randn` the library needs none
            "verbose": -9,
        }
        start = self._rng.random(self._d) if self._space.prior is None else next(self._random)[1]
        return cma.CMAEvolutionStrategy(start, self._sigma, options)
