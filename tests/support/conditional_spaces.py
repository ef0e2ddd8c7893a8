"""Spaces in which hyperparameters are switched off, are forbidden together or come from a list, for tests of models."""

import numpy as np
from hypothesis import strategies as st
from strategies import hyperparameters

from hpo_core import Categorical, Condition, Float, Forbidden, ForbiddenRelation, Int, Ordinal, Space

TREE = Space(
    [
        Categorical("root", ["a", "b", "c"]),
        Float("x", 0.0, 1.0, default=0.25),
        Int("n", 1, 4),
        Categorical("leaf", ["p", "q", "r"], default="q", weights=[2, 1, 1]),
        Ordinal("twig", [1, 2, 5]),
        Float("deep", 1e-3, 1.0, log=True),
    ],
    [
        Condition("x", "root", ("a", "b")),
        Condition("n", "root", ("b", "c")),
        Condition("leaf", "n", (2, 3)),
        Condition("twig", "leaf", ("p", "q")),
        Condition("deep", "root", ("b",)),
        Condition("deep", "n", (3, 4)),
    ],
)
CHOICES = Space(
    [
        Categorical("root", ["a", "b", "c"], weights=[2, 1, 1]),
        Categorical("leaf", ["p", "q"]),
        Categorical("deep", ["s", "t", "u"], weights=[3, 1, 1]),
    ],
    [Condition("leaf", "root", ("a", "b")), Condition("deep", "leaf", ("p",))],
)
CLAUSES = Space(
    [Int("high", 1, 9), Int("low", 1, 9), Categorical("c", "uvw"), Float("x", 0.0, 1.0), Ordinal("o", [1, 2, 3])],
    [Condition("x", "c", ("u", "v"))],
    forbidden=[ForbiddenRelation("low", ">", "high"), Forbidden({"c": ["u", "w"], "o": [3]})],
)


def listed(space, n, seed=0):
    """The space with a list of n different random configurations of it."""
    configs = space.sample(np.random.default_rng(seed), 20 * n)
    different = list({tuple(config.items()): config for config in configs}.values())[:n]
    return Space(space.hyperparameters, space.conditions, listed=different)


@st.composite
def conditional_spaces(draw):
    """Spaces of two to five hyperparameters, all but the first of which may depend on an earlier one or two."""
    made = [draw(hyperparameters(name)) for name in "abcde"[: draw(st.integers(2, 5))]]
    conditions = []
    for j, h in enumerate(made):
        parents = [p for p in made[:j] if not isinstance(p, Float)]
        for parent in draw(st.lists(st.sampled_from(parents), max_size=2, unique_by=id)) if parents else ():
            codes = draw(st.lists(st.integers(0, min(int(parent.size), 6) - 1), min_size=1, unique=True))
            conditions.append(Condition(h.name, parent.name, tuple(parent.value(code) for code in codes)))
    return Space(made, conditions)
