"""Nevergrad (Rapin and Teytaud, 2018): NGOpt, which chooses among the library's methods.

NGOpt chooses when it is built, by the number and the kinds of the hyperparameters and by the number of evaluations that
it may plan for. Options are those of the library's optimizers: `budget`, evaluations that it plans for (100; more can
be asked for), and `num_workers`, evaluations at the same time (1). Some of its methods draw from the global generator
of numpy, which is exchanged for one of the seed meanwhile.

A failed trial is told with the highest loss so far, and not at all if there is none yet; pending trials are left to the
method that NGOpt chose.

    Float      Scalar, Log                             Categorical    Choice of the codes, without weights
    Int        the same with integer casting           one value      left out
    Ordinal    TransitionChoice of the codes

Every hyperparameter is proposed, and a configuration leaves out what the conditions of a space switch off. A proposal
that is forbidden is told as failed, and nevergrad is asked again, up to 20 times; then it is told the loss of a random
configuration that is allowed. In a space with a list the nearest configuration of the list is evaluated, and its loss
told for what was proposed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.adapters.parts.global_random import OwnRandomState
from baselines.adapters.parts.library import check_known, explained, quiet, required, versions
from baselines.adapters.parts.searched import Searched
from baselines.parts.loss_transforms import LARGEST
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter

N_TRIALS = 100  # that NGOpt plans for, as long as leaderboards run


class NevergradNGOpt:
    """NGOpt as nevergrad has it.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    options
        `budget` and `num_workers` of `nevergrad.optimizers.NGOpt`.

    Attributes
    ----------
    optimizer
        nevergrad's optimizer; `optimizer.optim.name` is the method that it chose.
    """

    name = "nevergrad-ngopt"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, **options: Any):
        self._searched = Searched(space, self.name, seed)
        nevergrad = required("nevergrad", "nevergrad")
        self.version = versions("nevergrad")
        check_known(self.name, options, "nevergrad's NGOpt", ["budget", "num_workers"])
        self._worst = -math.inf
        self._pending: Pending[Any] = Pending()
        self._random = OwnRandomState(seed)
        with quiet("nevergrad"), self._random, explained(self.name, options):
            searched = nevergrad.p.Dict(**{h.name: parameter(h) for h in self._searched.space})
            searched.random_state = np.random.RandomState(seed % 2**32)
            self.optimizer = nevergrad.optimizers.NGOpt(searched, **{"budget": N_TRIALS, **options})

    @single_threaded
    def ask(self) -> Proposal:
        with quiet("nevergrad"), self._random:
            config, candidate = self._searched.propose(self._asked, self._refuse, self._entered)
        return self._pending.add(Proposal(config), candidate)

    @single_threaded
    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        candidate = self._pending.take(proposal, loss)
        with quiet("nevergrad"), self._random:
            self._report(candidate, loss)

    def _asked(self) -> tuple[dict[str, Any], Any]:
        candidate = self.optimizer.ask()
        return self._searched.config(candidate.value), candidate

    def _refuse(self, candidate: Any) -> None:
        self._report(candidate, math.inf)

    def _entered(self, config: dict[str, Any]) -> Any:
        defaults = {h.name: h.default for h in self._searched.space}
        return self.optimizer.parametrization.spawn_child(self._searched.found({**defaults, **config}))

    def _report(self, candidate: Any, loss: float) -> None:
        if loss < math.inf:
            self._worst = max(self._worst, min(max(float(loss), -LARGEST), LARGEST))
        if self._worst > -math.inf:
            told = min(max(float(loss), -LARGEST), LARGEST) if loss < math.inf else self._worst
            self.optimizer.tell(candidate, told)


def parameter(h: Hyperparameter) -> Any:
    """nevergrad's parameter of a hyperparameter."""
    from nevergrad import p

    if isinstance(h, Choice):
        return p.TransitionChoice(range(h.size)) if h.kind == "ordinal" else p.Choice(range(h.size))
    kind = p.Log if h.log else p.Scalar
    made = kind(lower=h.low, upper=h.high)
    return made if isinstance(h, Float) else made.set_integer_casting()
