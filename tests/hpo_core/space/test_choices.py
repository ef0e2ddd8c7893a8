"""Each kind of hyperparameter is a class of its own, and equal only to its own kind."""

import copy
import pickle

import pytest

from hpo_core import Categorical, Constant, Float, Int, Ordinal, Space
from hpo_core.errors import InvalidConfig, InvalidSpace
from hpo_core.space.hyperparameters import Choice
from hpo_core.space.plain_data import space_from_json, space_to_json

KINDS = (Float, Int, Ordinal, Categorical, Constant)
MADE = (
    Float("f", 0, 1),
    Int("i", 1, 3),
    Ordinal("o", [16, 32, 64]),
    Categorical("c", ["x", "y"], weights=[1, 3]),
    Constant("k", 7),
)


@pytest.mark.parametrize(("kind", "h"), list(zip(KINDS, MADE, strict=True)), ids=lambda x: getattr(x, "__name__", ""))
def test_isinstance_tells_the_kinds_apart(kind, h):
    assert [isinstance(h, other) for other in KINDS] == [other is kind for other in KINDS]
    assert h.kind == kind.__name__.lower()
    assert isinstance(h, Choice) == (kind in (Ordinal, Categorical, Constant))


@pytest.mark.parametrize("h", MADE, ids=lambda h: h.kind)
def test_copies_are_equal_and_hash_alike(h):
    through_json = space_from_json(space_to_json(Space([h])))[h.name]
    for other in (copy.deepcopy(h), pickle.loads(pickle.dumps(h)), through_json, eval(repr(h))):
        assert other == h
        assert hash(other) == hash(h)
        assert type(other) is type(h)


def test_the_same_values_of_another_kind_are_another_hyperparameter():
    assert Ordinal("x", [3]) != Categorical("x", [3])
    assert Constant("x", 3) != Categorical("x", [3])
    assert Ordinal("x", (1, 2)) == Ordinal("x", [1, 2])
    assert Ordinal("x", [1, 2]) != Ordinal("x", [1, 2], default=1)


def test_defaults():
    assert Ordinal("o", [16, 32, 64]).default == 32
    assert Categorical("c", ["x", "y"]).default == "x"
    assert Constant("k", value=7).default == 7
    with pytest.raises(InvalidSpace, match="default of hyperparameter 'o' must be one of 16, 32"):
        Ordinal("o", [16, 32], default=64)


def test_a_constant_takes_its_value_only():
    k = Constant("k", 7)
    assert (k.code(7.0), k.value(0), k.draw(0.99), k.size) == (0, 7, 7, 1)
    with pytest.raises(InvalidConfig, match="'k' must be one of 7, got 8"):
        k.code(8)


def test_weights_decide_the_draw():
    assert [MADE[3].draw(u) for u in (0.0, 0.24, 0.26, 0.99)] == ["x", "x", "y", "y"]
    assert MADE[3].weights == (0.25, 0.75)
