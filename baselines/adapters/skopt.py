"""scikit-optimize: its Gaussian process, which hedges between three acquisition functions.

Options are those of `skopt.Optimizer`.

Pending trials count as told with the lowest loss so far, the library's constant liar. The model takes no infinite
losses: a failed trial is told with the highest loss so far, and not at all if there is none yet.

    Float          Real                         Categorical    Categorical of the codes, with its weights as prior
    Int            Integer                      one value      left out
    Ordinal        Integer of the codes

Every hyperparameter is proposed, and a configuration leaves out what the conditions of a space switch off; for the
model these keep the proposed values. What is forbidden is kept out by the library's `space_constraint`, and the
acquisition function is then optimised by sampling alone. In a space with a list the nearest configuration of the list
is evaluated, and its loss told for what was proposed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.adapters.parts.library import check_known, explained, keywords, quiet, required, versions
from baselines.adapters.parts.searched import Searched
from baselines.parts.loss_transforms import LARGEST
from baselines.parts.sampling import is_forbidden
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter


class SkoptGP:
    """Gaussian process of scikit-optimize.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    options
        Keyword arguments of `skopt.Optimizer`, such as `n_initial_points`.

    Attributes
    ----------
    optimizer
        The `skopt.Optimizer` that is asked and told.
    """

    name = "skopt-gp"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, **options: Any):
        self._space, self._searched = space, Searched(space, self.name, seed)
        skopt = required("skopt", "skopt")
        self.version = versions("scikit-optimize")
        self._rng = np.random.default_rng(seed)
        self._pending: Pending[list[Any]] = Pending()
        self._losses: list[float] = []
        given = ("dimensions", "base_estimator", "random_state", "n_random_starts")
        check_known(self.name, options, "skopt.Optimizer", keywords(skopt.Optimizer, given))
        constraint = {"space_constraint": self._is_allowed} if space.forbidden and space.listed is None else {}
        with quiet("skopt"), explained(self.name, options):
            self.optimizer = skopt.Optimizer(
                [dimension(h) for h in self._searched.space],
                base_estimator="GP",
                random_state=self._seed(),
                **{**constraint, **options},
            )

    @single_threaded
    def ask(self) -> Proposal:
        with quiet("skopt"):
            config, point = self._searched.propose(self._asked, self._refuse, self._entered)
        return self._pending.add(Proposal(config), point)

    @single_threaded
    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        point = self._pending.take(proposal, loss)
        with quiet("skopt"):
            self._report(point, loss)

    def _asked(self) -> tuple[dict[str, Any], list[Any]]:
        optimizer = self.optimizer
        if len(self._pending) and self._losses:
            optimizer = optimizer.copy(random_state=self._seed())
            optimizer.tell(list(self._pending), [min(self._losses)] * len(self._pending))
        point = optimizer.ask()
        return self._config(point), point

    def _config(self, point: list[Any]) -> dict[str, Any]:
        return self._searched.config(dict(zip(self._searched.space.names, point, strict=True)))

    def _is_allowed(self, point: list[Any]) -> bool:
        return not is_forbidden(self._space, self._config(point))

    def _refuse(self, point: list[Any]) -> None:
        self._report(point, math.inf)

    def _entered(self, config: dict[str, Any]) -> list[Any]:
        defaults = {h.name: h.default for h in self._searched.space}
        return list(self._searched.found({**defaults, **config}).values())

    def _report(self, point: list[Any], loss: float) -> None:
        if loss < math.inf:
            self._losses.append(min(max(float(loss), -LARGEST), LARGEST))
        if self._losses:
            self.optimizer.tell(point, self._losses[-1] if loss < math.inf else max(self._losses))

    def _seed(self) -> int:
        return int(self._rng.integers(2**31))


def dimension(h: Hyperparameter) -> Any:
    """scikit-optimize's dimension of a hyperparameter."""
    from skopt.space import Categorical, Integer, Real

    if isinstance(h, Choice):
        return Integer(0, h.size - 1) if h.kind == "ordinal" else Categorical(range(h.size), prior=h.weights)
    kind = Real if isinstance(h, Float) else Integer
    return kind(h.low, h.high, prior="log-uniform" if h.log else "uniform")
