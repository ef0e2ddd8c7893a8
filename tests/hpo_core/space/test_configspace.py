import ConfigSpace as cs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import spaces

from hpo_core import Benchmark, Categorical, Condition, Constant, Float, Int, Ordinal, Space
from hpo_core.errors import UnsupportedSpace

HYPERPARAMETERS = [
    Float("z_linear", -1.5, 2.5),
    Float("lr", 1e-6, 1e-1, log=True, default=1e-3),
    Int("depth", 1, 12),
    Int("trees", 10, 5000, log=True),
    Ordinal("units", [16, 32, 64]),
    Ordinal("rate", [0.0, 0.3, 0.6], default=0.0),
    Categorical("activation", ["tanh", "relu"]),
    Categorical("weighted", ["a", "b", "c"], default="b", weights=[1, 2, 5]),
    Categorical("flag", [True, False]),
    Constant("fixed", 3),
]


@pytest.mark.slow
@settings(max_examples=60)
@given(spaces())
def test_any_space_survives_the_way_there_and_back(space):
    assert Space(space.to_configspace()) == space


@settings(max_examples=30)
@given(st.permutations(HYPERPARAMETERS), st.integers(1, len(HYPERPARAMETERS)))
def test_there_and_back_is_the_same_space(hyperparameters, n):
    space = Space(hyperparameters[:n])
    assert Space(space.to_configspace()) == space


def test_back_and_there_is_the_same_configspace():
    original = cs.ConfigurationSpace(
        name="svm",
        space={
            "C": cs.Float("C", (1e-3, 1e3), log=True, default=2.0),
            "n": cs.Integer("n", (1, 100), log=True, default=7),
            "kernel": cs.Categorical("kernel", ["rbf", "poly", "linear"], default="poly", weights=[0.5, 0.25, 0.25]),
            "size": cs.OrdinalHyperparameter("size", ["small", "large"], default_value="small"),
            "gamma": cs.Float("gamma", (1e-4, 10.0), log=True),
            "degree": cs.Integer("degree", (2, 5)),
            "fixed": cs.Constant("fixed", "yes"),
        },
    )
    original.add(cs.InCondition(original["gamma"], original["kernel"], ["rbf", "poly"]))
    original.add(
        cs.AndConjunction(
            cs.EqualsCondition(original["degree"], original["kernel"], "poly"),
            cs.EqualsCondition(original["degree"], original["size"], "small"),
        )
    )
    space = Space(original)
    again = space.to_configspace()
    assert again.name == "svm"
    assert set(space.names) == set(original)
    for name, hyperparameter in original.items():
        assert again[name] == hyperparameter
    assert Space(again) == space
    for config in original.sample_configuration(30):
        assert space.check(config) == dict(config)
    for config in space.sample(np.random.default_rng(0), 30):
        # ConfigSpace itself rounds floats to 13 decimals
        assert dict(cs.Configuration(again, values=config)) == {
            k: pytest.approx(v, rel=1e-9, abs=1e-12) if isinstance(v, float) else v for k, v in config.items()
        }


def test_configuration_objects_are_accepted_by_benchmarks():
    b = Benchmark("protein")
    for config in b.configspace.sample_configuration(20):
        assert b.objective(config) == b.objective(dict(config))


@pytest.mark.parametrize("kind", ["normal", "beta", "forbidden", "greater"])
def test_what_cannot_be_held_is_refused(kind):
    space = cs.ConfigurationSpace()
    a, b = cs.Integer("a", (0, 10)), cs.Integer("b", (0, 10))
    space.add(a, b)
    if kind == "normal":
        space.add(cs.NormalFloatHyperparameter("x", mu=0, sigma=1, lower=-3, upper=3))
    elif kind == "beta":
        space.add(cs.BetaFloatHyperparameter("x", alpha=2, beta=2, lower=0, upper=1))
    elif kind == "forbidden":
        space.add(cs.ForbiddenEqualsClause(a, 3))
    else:
        space.add(cs.GreaterThanCondition(a, b, 3))
    with pytest.raises(UnsupportedSpace):
        Space(space)


def test_an_integer_of_one_value_has_no_counterpart():
    with pytest.raises(UnsupportedSpace, match="Constant"):
        Space([Int("n", 3, 3)]).to_configspace()


def test_conditions_survive():
    space = Space(
        [Categorical("kernel", ["rbf", "linear", "poly"]), Float("gamma", 0.1, 1)],
        [Condition("gamma", "kernel", ("rbf", "poly"))],
    )
    assert Space(space.to_configspace()) == space
