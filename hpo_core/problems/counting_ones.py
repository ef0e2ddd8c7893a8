"""Stochastic counting ones (Klein, 2020, section 6.4.1 and appendix C.7).

`counting-ones-8-8` has 8 categoricals and 8 floats:

    f(x) = -( sum of the categorical x in {0, 1}  +  sum over the floats of the mean of b Bernoulli(x) draws )   (C.1)

The budget b is the number of draws, 576/d .. 93312/d with d the number of hyperparameters, rounded down to integers.
(The appendix' example of 144 for d = 8 is not 576/8 = 72 but the lowest rung, 11664/81, that Hyperband with eta = 3
reaches between the two.) The optimum is -d, at all ones. An evaluation costs b nominal seconds.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.facts import BenchmarkFacts
from hpo_core.problems.noise import generator
from hpo_core.problems.problem import Result, SimpleProblem
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Categorical, Float

NAME = re.compile(r"counting-ones-(\d+)-(\d+)")
SHOWN = ((4, 4), (8, 8), (16, 16), (32, 32))  # the sizes of figures C.8 and C.9
LEAST_DRAWS, MOST_DRAWS = 576, 93312


def listing() -> dict[str, str]:
    """Names of the sizes in Klein (2020); any other `counting-ones-CATEGORICALS-FLOATS` works too."""
    return {
        f"counting-ones-{n_categorical}-{n_float}": (
            f"stochastic counting ones, {n_categorical} categoricals and {n_float} floats, budget = draws"
        )
        for n_categorical, n_float in SHOWN
    }


def facts(name: str) -> BenchmarkFacts:
    """Facts about a size."""
    budgets = _budgets(sum(int(number) for number in name.split("-")[-2:]))
    return BenchmarkFacts((budgets[0], budgets[-1]), optimum=True, curves=True, extra="")


def make(name: str, **options: Any) -> SimpleProblem | None:
    """Counting ones of the named size, or None for another name."""
    match = NAME.fullmatch(name)
    if match is None:
        return None
    if options:
        raise InvalidOption(f"{name!r} has no options, got {', '.join(options)}")
    n_categorical, n_float = (int(group) for group in match.groups())
    if not 1 <= n_categorical + n_float <= LEAST_DRAWS:
        raise InvalidOption(f"{name!r} must have 1..{LEAST_DRAWS} hyperparameters in all")
    return _problem(name, n_categorical, n_float)


def _budgets(d: int) -> range:
    return range(LEAST_DRAWS // d, MOST_DRAWS // d + 1)


def _problem(name: str, n_categorical: int, n_float: int) -> SimpleProblem:
    d = n_categorical + n_float
    space = Space(
        [
            *(Categorical(f"cat_{i}", [0, 1]) for i in range(n_categorical)),
            *(Float(f"float_{i}", 0.0, 1.0) for i in range(n_float)),
        ],
        name=name,
    )

    def evaluate(config: Config, budget: float, seed: int | None) -> Result:
        values = list(config.values())
        means = np.array(values[n_categorical:], dtype=float)
        if seed is not None:
            means = generator(space, config, budget, seed).binomial(int(budget), means) / budget
        return Result(-float(sum(values[:n_categorical]) + means.sum()), float(budget), budget, {})

    return SimpleProblem(
        name=name,
        space=space,
        evaluate=evaluate,
        budgets=_budgets(d),
        optimum=-float(d),
        provenance={"source": "closed form", "cost": "one nominal second per draw"},
        noise_free_is_cheap=True,
    )
