"""Trials made up for tests of stopping criteria."""

import math

from hpo_core import Float, Proposal, Result, Space, Trial

LINE = Space([Float("x", 0.0, 1.0)])


def trial(loss, x=0.5, *, step=0, budget=1, folds=None, start=0.0, cost=1.0, config=None):
    """A trial of the space `LINE`, failed if its loss is None."""
    info = {} if folds is None else {"folds": folds}
    failed = loss is None
    result = Result(math.inf if failed else loss, cost, budget, info)
    failure = "it broke" if failed else None
    return Trial(Proposal(config or {"x": x}, budget), result, step, start=start, failure=failure)


def trials_of(losses, xs=None, folds=None, budgets=None):
    """A run of trials with given losses, a second each."""
    n = len(losses)
    return [
        trial(
            losses[i],
            i / max(n - 1, 1) if xs is None else xs[i],
            step=i,
            start=float(i),
            folds=None if folds is None else folds[i],
            budget=1 if budgets is None else budgets[i],
        )
        for i in range(n)
    ]
