"""Hypothesis strategies shared by the tests."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from hpo_core import Categorical, Condition, Constant, Float, Forbidden, ForbiddenRelation, Int, Ordinal, Space
from hpo_core.errors import InvalidSpace
from hpo_core.space.clauses import has_numbers

NAMES = ["a", "b", "c", "d", "e", "f"]
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 6))


@st.composite
def hyperparameters(draw, name):
    kind = draw(st.sampled_from(["float", "int", "ordinal", "categorical", "constant"]))
    log = draw(st.booleans())
    if kind == "float":
        low = draw(st.floats(1e-8, 1e3) if log else NUMBERS)
        return Float(name, low, low + draw(st.floats(1e-3, 1e6)), log=log)
    if kind == "int":
        low = draw(st.integers(1, 1000) if log else st.integers(-1000, 1000))
        return Int(name, low, low + draw(st.integers(1, 5000)), log=log)
    if kind == "constant":
        return Constant(name, draw(st.one_of(NUMBERS, st.text(max_size=5))))
    texts = st.text("abcxyz", min_size=1, max_size=6)
    values = draw(st.lists(NUMBERS if draw(st.booleans()) else texts, min_size=2, max_size=7, unique=True))
    if kind == "ordinal":
        return Ordinal(name, sorted(values))
    weights = [draw(st.integers(1, 9)) for _ in values] if draw(st.booleans()) else None
    return Categorical(name, values, weights=weights)


@st.composite
def spaces(draw):
    return Space([draw(hyperparameters(name)) for name in NAMES[: draw(st.integers(1, 4))]])


@st.composite
def small_hyperparameters(draw, name):
    """With at most four values, so that a space of them can be enumerated."""
    kind = draw(st.sampled_from(["int", "ordinal", "categorical", "constant"]))
    low, n = draw(st.integers(-3, 3)), draw(st.integers(2, 4))
    if kind == "int":
        return Int(name, low, low + n - 1)
    if kind == "constant":
        return Constant(name, low)
    return Ordinal(name, range(low, low + n)) if kind == "ordinal" else Categorical(name, "pqrs"[:n])


@st.composite
def some_values(draw, h):
    """Values of a hyperparameter, at least one."""
    return [h.value(code) for code in draw(st.lists(st.integers(0, min(int(h.size), 9) - 1), min_size=1, unique=True))]


@st.composite
def conditions(draw, made):
    """Conditions among hyperparameters: chains, several parents, and several children of one parent."""
    discrete = [i for i, h in enumerate(made) if not isinstance(h, Float)]
    pairs = [(i, j) for j in range(1, len(made)) for i in discrete if i < j]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=4, unique=True)) if pairs else []
    return [Condition(made[j].name, made[i].name, tuple(draw(some_values(made[i])))) for i, j in chosen]


@st.composite
def clauses(draw, made):
    """Forbidden clauses on hyperparameters."""
    discrete = [h for h in made if not isinstance(h, Float)]
    numeric = [h for h in made if has_numbers(h)]
    found = []
    for _ in range(draw(st.integers(0, 2))):
        if discrete:
            named = draw(st.lists(st.sampled_from(discrete), min_size=1, max_size=2, unique_by=lambda h: h.name))
            found.append(Forbidden({h.name: draw(some_values(h)) for h in named}))
        if len(numeric) > 1 and draw(st.booleans()):
            left, right = draw(st.permutations(numeric))[:2]
            found.append(ForbiddenRelation(left.name, draw(st.sampled_from(["<", ">", "=="])), right.name))
    return found


@st.composite
def shaped_spaces(draw, kinds=hyperparameters, most=6):
    """Spaces of up to `most` hyperparameters with conditions and forbidden clauses."""
    made = [draw(kinds(name)) for name in NAMES[: draw(st.integers(1, most))]]
    try:
        space = Space(made, draw(conditions(made)), forbidden=draw(clauses(made)))
        space.sample(np.random.default_rng(0), 20)  # clauses that leave next to nothing fail one of these
        return space
    except InvalidSpace as error:
        assert "must leave something" in str(error)
        assume(False)


@st.composite
def listed_spaces(draw):
    """Spaces with a list of a few configurations."""
    box = draw(shaped_spaces())
    configs = box.sample(np.random.default_rng(draw(st.integers(0, 99))), draw(st.integers(1, 12)))
    different = list({tuple(config.items()): config for config in configs}.values())
    return Space(box.hyperparameters, box.conditions, forbidden=box.forbidden, listed=different)


def any_spaces():
    return st.one_of(spaces(), shaped_spaces(), listed_spaces())
