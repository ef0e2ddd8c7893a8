"""Problems whose configurations differ in their keys; commands find them under `shaped_problems:NAME`."""

import math

import numpy as np

from hpo_core import (
    Categorical,
    Condition,
    Float,
    Forbidden,
    Int,
    Ordinal,
    Proposal,
    Result,
    SimpleProblem,
    Space,
)

SVM = Space(
    [
        Categorical("kernel", ["linear", "rbf", "poly"]),
        Float("c", 1e-3, 1e3, log=True),
        Float("gamma", 1e-4, 1e1, log=True),
        Int("degree", 2, 5),
        Categorical("shrink", [True, False]),
        Ordinal("cache", [100, 200]),
    ],
    [
        Condition("gamma", "kernel", ("rbf", "poly")),
        Condition("degree", "kernel", ("poly",)),
        Condition("cache", "shrink", (True,)),
    ],
    forbidden=[Forbidden({"kernel": ["poly"], "degree": [5]})],
)
LISTED = Space(SVM, SVM.conditions, listed=SVM.sample(np.random.default_rng(0), 50))


def evaluate(config, budget, seed):
    loss = abs(math.log10(config["c"])) + {"linear": 1.0, "rbf": 0.0, "poly": 0.5}[config["kernel"]] + 1 / budget
    loss += abs(math.log10(config.get("gamma", 1.0)) + 1.0) + (0.0 if seed is None else seed % 7 / 100)
    return Result(loss, float(budget), budget, {"test_loss": loss + 0.1})


def svm():
    """With conditions and a forbidden clause."""
    return SimpleProblem("svm", SVM, evaluate, budgets=(1, 3, 9, 27), noise_free_is_cheap=True)


def listed():
    """With a list of 50 configurations."""
    return SimpleProblem("listed", LISTED, evaluate, budgets=(1, 3, 9, 27), noise_free_is_cheap=True)


class Careless:
    """Proposes what is forbidden."""

    def __init__(self, space, *, budgets=(1,), seed=0):
        pass

    def ask(self):
        return Proposal({"kernel": "poly", "c": 1.0, "gamma": 0.1, "degree": 5, "shrink": False})

    def tell(self, proposal, loss, cost):
        pass
