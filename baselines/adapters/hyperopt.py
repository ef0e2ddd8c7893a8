"""hyperopt's TPE (Bergstra et al., 2013). Options are those of `hyperopt.tpe.suggest`.

Proposals are made as `hyperopt.fmin` makes them, each with its own seed from a generator: the same seed gives the
same run as `fmin(..., rstate=np.random.default_rng(seed))`. A pending or failed trial has no loss, and hyperopt ranks
it last.

    Float      uniform, loguniform                     Categorical    choice, or pchoice if it has weights
    Int        uniformint; qloguniform, clipped        one value      left out
    Ordinal    quniform of the codes

Every hyperparameter is drawn. What the conditions of a space switch off is left out of the configuration and of the
trial, so that hyperopt's density of a hyperparameter is that of the trials in which it was active, as where an
expression has `hp.choice` inside of `hp.choice`.

A proposal that is forbidden fails, and hyperopt is asked again, up to 20 times; then the trial has a random
configuration that is allowed. In a space with a list the nearest configuration of the list is evaluated, and its loss
told for what was proposed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.adapters.parts.library import check_known, explained, keywords, required, versions
from baselines.adapters.parts.searched import Searched
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
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

    Attributes
    ----------
    trials
        hyperopt's own record of the run.
    """

    name = "hyperopt-tpe"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, **options: Any):
        self._searched = Searched(space, self.name, seed)
        self._hyperopt = hyperopt = required("hyperopt", "hyperopt")
        self.version = versions("hyperopt")
        given = ("new_ids", "domain", "trials", "seed", "verbose")
        check_known(self.name, options, "hyperopt's tpe.suggest", keywords(hyperopt.tpe.suggest, given))
        self._options = options
        self._rng = np.random.default_rng(seed)
        self.trials = hyperopt.Trials()
        self._domain = hyperopt.base.Domain(None, expressions(self._searched.space))
        self._pending: Pending[Any] = Pending()

    @single_threaded
    def ask(self) -> Proposal:
        config, document = self._searched.propose(self._asked, self._refuse, self._entered)
        return self._pending.add(Proposal(config), document)

    @single_threaded
    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._report(self._pending.take(proposal, loss), loss)

    def _asked(self) -> tuple[dict[str, Any], Any]:
        document = self._suggested()
        found = {name: values[0] for name, values in document["misc"]["vals"].items()}
        active = self._searched.active(found)
        if len(active) < len(found):
            self._set_values(document, active)
        return self._searched.config(found), self._inserted(document)

    def _suggested(self) -> Any:
        trials = self.trials
        ids = trials.new_trial_ids(1)
        trials.refresh()
        seed = int(self._rng.integers(2**31 - 1))
        with explained(self.name, self._options):
            return self._hyperopt.tpe.suggest(ids, self._domain, trials, seed, verbose=False, **self._options)[0]

    def _set_values(self, document: Any, found: dict[str, Any]) -> None:
        """Let a trial have these values, and none for other hyperparameters, as hyperopt writes it down."""
        document["misc"]["vals"] = {name: [found[name]] if name in found else [] for name in self._domain.params}
        document["misc"]["idxs"] = {name: [document["tid"]] * (name in found) for name in self._domain.params}

    def _inserted(self, document: Any) -> Any:
        self.trials.insert_trial_docs([document])
        self.trials.refresh()
        return self.trials.trials[-1]

    def _refuse(self, document: Any) -> None:
        self._report(document, math.inf)

    def _entered(self, config: dict[str, Any]) -> Any:
        document = self._suggested()
        self._set_values(document, self._searched.found(config))
        return self._inserted(document)

    def _report(self, document: Any, loss: float) -> None:
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
