"""A space with every kind of hyperparameter, and what the tests of adapters do with it."""

import pytest

from baselines import optimizer
from hpo_core import Categorical, Constant, Float, Int, Ordinal, Space

SPACE = Space(
    [
        Float("float", -1.0, 3.0),
        Float("log_float", 1e-4, 1.0, log=True),
        Int("int", -2, 2),
        Int("log_int", 1, 64, log=True),
        Ordinal("ordinal", [8, 16, 32, 64]),
        Categorical("categorical", ["relu", "tanh", None]),
        Categorical("weighted", [True, False], weights=[3, 1]),
        Constant("constant", "c"),
        Int("single", 7, 7),
    ]
)
MODULES = {
    "optuna-tpe": ["optuna"],
    "optuna-gp": ["optuna", "torch"],
    "optuna-cmaes": ["optuna", "cmaes"],
    "optuna-hyperband": ["optuna"],
    "optuna-median": ["optuna"],
    "hyperopt-tpe": ["hyperopt"],
    "smac3": ["smac"],
    "smac3-mf": ["smac"],
    "skopt-gp": ["skopt"],
    "nevergrad-ngopt": ["nevergrad"],
}
SEVERAL = ("optuna-hyperband", "optuna-median", "smac3-mf")  # need several budgets
SINGLE = [name for name in MODULES if name not in SEVERAL]


def made(name, space, seed=0, **options):
    """The optimizer, with several budgets if it needs them."""
    return optimizer(name, space, budgets=(1, 3, 9) if name in SEVERAL else (1,), seed=seed, **options)


def need(name):
    for module in MODULES[name]:
        pytest.importorskip(module, reason=f"{module}, which {name!r} needs, is not installed")


def loss_of(config):
    return (config["float"] - 1) ** 2 + config["log_int"] / 64 + (config["ordinal"] != 16) + (config["int"] / 4) ** 2


def configs(o, n):
    """Configurations of n proposals, each told at once."""
    asked = []
    for _ in range(n):
        proposal = o.ask()
        asked.append(proposal.config)
        o.tell(proposal, loss_of(proposal.config), 1.0)
    return asked
