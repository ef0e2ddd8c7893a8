"""hyperopt's TPE (Bergstra et al., 2013). Options are those of `hyperopt.tpe.suggest`.

Proposals are made as `hyperopt.fmin` makes them, each with its own seed from a generator: the same seed gives the
same run as `fmin(..., rstate=np.random.default_rng(seed))`. A pending or failed trial has no loss, and hyperopt ranks
it last.

    Float      uniform, loguniform                     Categorical    choice, or pchoice if it has weights
    Int        uniformint; qloguniform, clipped        one value      left out
    Ordinal    quniform of the codes
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.adapters.parts.library import check_known, explained, keywords, required, versions
from baselines.adapters.parts.searched import Searched
from baselines.parts.requirements import without_conditions
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter


class HyperoptTPE:
    """TPE as hyperopt has it.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    options
        Keyword arguments of `hyperopt.tpe.suggest`, such as `n_startup_jobs`.
    """

    name = "hyperopt-tpe"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, **options: Any):
        self._searched = Searched(without_conditions(space, self.name), self.name)
        self._hyperopt = hyperopt = required("hyperopt", "hyperopt")
        self.version = versions("hyperopt")
        given = ("new_ids", "domain", "trials", "seed", "verbose")
        check_known(self.name, options, "hyperopt's tpe.suggest", keywords(hyperopt.tpe.suggest, given))
        self._options = options
        self._rng = np.random.default_rng(seed)
        self._trials = hyperopt.Trials()
        self._domain = hyperopt.base.Domain(None, expressions(self._searched.space))
        self._pending: Pending[Any] = Pending()

    def ask(self) -> Proposal:
        trials = self._trials
        ids = trials.new_trial_ids(1)
        trials.refresh()
        seed = int(self._rng.integers(2**31 - 1))
        with explained(self.name, self._options):
            documents = self._hyperopt.tpe.suggest(ids, self._domain, trials, seed, verbose=False, **self._options)
        trials.insert_trial_docs(documents)
        trials.refresh()
        document = trials.trials[-1]
        found = {name: values[0] for name, values in document["misc"]["vals"].items()}
        return self._pending.add(Proposal(self._searched.config(found)), document)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        document = self._pending.take(proposal, loss)
        failed = loss == math.inf
        document["result"] = {"status": "fail"} if failed else {"status": "ok", "loss": float(loss)}
        document["state"] = self._hyperopt.JOB_STATE_DONE


def expressions(space: Space) -> dict[str, Any]:
    """hyperopt's expression of each hyperparameter."""
    return {h.name: _expression(h) for h in space}


def _expression(h: Hyperparameter) -> Any:
    from hyperopt import hp

    if isinstance(h, Choice):
        if h.kind == "ordinal":
            return hp.quniform(h.name, 0, h.size - 1, 1)
        if h.weights is not None:
            return hp.pchoice(h.name, [(weight, code) for code, weight in enumerate(h.weights)])
        return hp.choice(h.name, list(range(h.size)))
    if isinstance(h, Float):
        return hp.loguniform(h.name, math.log(h.low), math.log(h.high)) if h.log else hp.uniform(h.name, h.low, h.high)
    if h.log:  # a cell of half a unit at both ends, as everywhere else
        return hp.qloguniform(h.name, math.log(h.low - 0.5), math.log(h.high + 0.5), 1)
    return hp.uniformint(h.name, h.low, h.high)
