"""What a network takes in and puts out."""

import math

import numpy as np
import pytest

from hpo_core import Categorical, Float, Int, Ordinal, Space
from hpo_core.errors import UnsupportedSpace
from hpo_core.space import Condition
from profet.inputs import WIDTH, Inputs
from profet.target import Target

MIXED = Space(
    [
        Float("a", -2, 3),
        Categorical("b", ["x", "y", "z"]),
        Int("c", 3, 9),
        Float("d", 1e-5, 1e3, log=True),
        Int("e", 2, 200, log=True),
        Ordinal("f", [1, 10, 100, 1000]),
    ]
)


def test_numeric_inputs_are_the_unit_cube_at_unit_variance():
    codes = MIXED.encode(MIXED.sample(np.random.default_rng(0), 50))
    x = Inputs(MIXED)(codes.astype(float))
    numeric = [0, 2, 3, 4, 5]
    np.testing.assert_allclose(x[:, :5], WIDTH * (MIXED.to_unit(codes)[:, numeric] - 0.5), atol=1e-12)
    uniform = np.random.default_rng(1).random((4000, 1))
    line = Space([Float("a", -2, 3)])
    found = Inputs(line)(line.from_unit(uniform))
    assert found.mean() == pytest.approx(0.0, abs=0.05)
    assert found.std() == pytest.approx(1.0, rel=0.05)


def test_categoricals_are_one_hot():
    codes = MIXED.encode([{"a": 0, "b": b, "c": 3, "d": 1.0, "e": 2, "f": 10} for b in "xyz"]).astype(float)
    assert Inputs(MIXED)(codes)[:, 5:].tolist() == np.eye(3).tolist()
    assert Inputs(MIXED).width == 8


def test_one_configuration_equals_a_batch_and_the_codes_stay_as_they_are():
    inputs = Inputs(MIXED)
    codes = MIXED.encode(MIXED.sample(np.random.default_rng(0), 10)).astype(float)
    before = codes.copy()
    batch = inputs(codes)
    assert np.array_equal([inputs(row) for row in codes], batch)
    assert np.array_equal(codes, before)


def test_budgets_run_over_the_same_width_on_a_log_and_on_a_linear_scale():
    codes = MIXED.encode(MIXED.sample(np.random.default_rng(0), 4)).astype(float)
    x = Inputs(MIXED, (1, 10, 100)).at_budgets(codes, (1, 10, 100))
    assert np.array_equal(x[:, 0, :-2], Inputs(MIXED)(codes))
    assert x[0, :, -2] == pytest.approx([-WIDTH / 2, 0.0, WIDTH / 2])
    assert x[0, :, -1] == pytest.approx([-WIDTH / 2, WIDTH * (9 / 99 - 0.5), WIDTH / 2])
    assert np.array_equal(x[:, :, -2:], np.broadcast_to(x[:1, :, -2:], (4, 3, 2)))
    alone = Inputs(MIXED)(codes)
    assert Inputs(MIXED).with_budget(alone, 1) is alone


def test_a_learning_rate_that_falls_along_a_cosine_comes_to_rest():
    schedule = Categorical("lr_schedule", ["const", "cosine"])
    space = Space([Categorical("a", ["x", "y"]), Float("rate", 0.0, 1.0), schedule])
    inputs = Inputs(space, range(1, 101))
    constant, cosine = np.moveaxis(inputs.at_budgets(np.array([[0.0, 0.5, 0.0], [0.0, 0.5, 1.0]]), (50, 90, 100)), 1, 2)
    share = 0.5 + np.sin(0.5 * np.pi) / np.pi  # of the sum of all learning rates, 0.5 (1 + cos(pi u))
    assert cosine[-1, 0] == pytest.approx(WIDTH * ((100 * share - 1) / 99 - 0.5))
    assert constant[-1, 0] == pytest.approx(WIDTH * (49 / 99 - 0.5))
    assert cosine[-1, 2] == pytest.approx(constant[-1, 2])
    assert cosine[-1, 2] - cosine[-1, 1] < 0.02 * (constant[-1, 2] - constant[-1, 1])


def test_budgets_of_one_configuration_equal_those_of_a_batch():
    space = Space(
        [Float("rate", 0, 1), Categorical("lr_schedule", ["constant", "cosine"]), Categorical("b", [0, 1, 2])]
    )
    inputs = Inputs(space, range(1, 101))
    codes = space.encode(space.sample(np.random.default_rng(0), 20))
    for budget in (1, 7, 100, 7):  # the second 7 from what was kept
        together = inputs.with_budget(inputs(codes), budget)
        single = [inputs.with_budget(inputs.one(row), budget) for row in codes.tolist()]
        assert together.tolist() == np.array(single).tolist()
        assert Inputs(space, range(1, 101)).with_budget(inputs(codes), budget).tolist() == together.tolist()
    assert len({tuple(row[-2:]) for row in inputs.with_budget(inputs(codes), 7)}) == 2


def test_conditions_and_gradients_along_categoricals_are_refused():
    space = Space([Categorical("a", ["x", "y"]), Float("b", 0, 1)], [Condition("b", "a", ("x",))])
    with pytest.raises(UnsupportedSpace, match="conditions"):
        Inputs(space)
    with pytest.raises(UnsupportedSpace, match="categorical"):
        Inputs(MIXED).from_unit(np.zeros((1, 6)))


VALUES = np.random.default_rng(0).uniform(0.05, 0.9, 200)


@pytest.mark.parametrize(
    "target", [Target.of(VALUES), Target.of(VALUES, 0.0, 1.0), Target.of(VALUES, 0.0), Target.of(VALUES, log=True)]
)
def test_values_come_back_and_slopes_are_derivatives(target):
    z = target.standardise(VALUES)
    np.testing.assert_allclose(target.restore(z), VALUES, rtol=1e-3)
    assert (z.mean(), z.std()) == (pytest.approx(0.0, abs=1e-12), pytest.approx(1.0))
    z = np.linspace(-3, 3, 41)
    numeric = (target.restore(z + 1e-6) - target.restore(z - 1e-6)) / 2e-6
    np.testing.assert_allclose(target.derivative(z), numeric, rtol=1e-4, atol=1e-8)


def test_outputs_stay_in_the_range_and_have_no_plateau_just_outside_it():
    target = Target.of(VALUES, 0.0, 1.0)
    z = np.linspace(-30, 30, 1001)
    values = target.restore(z)
    assert (values >= 0).all()
    assert (values <= 1).all()
    near = target.restore(target.standardise(np.linspace(-0.02, 0.02, 41)))
    assert (np.diff(near) > 0).all()
    assert (Target.of(VALUES, log=True).restore(np.linspace(-50, 5, 100)) > 0).all()


def test_constant_values_do_not_divide_by_zero():
    assert Target.of(np.ones(5)).standardise(np.ones(5)).tolist() == [0.0] * 5
    assert math.isfinite(Target.of(np.ones(5)).restore(np.array(0.3)))
