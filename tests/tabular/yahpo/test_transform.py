"""Transforms of single numbers: chains of steps as one formula."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_core.errors import InvalidOption
from tabular.yahpo.transform import EXP, IDENTITY, LEAST_LOGIT, LOG, Transform, restored_logit

numbers = st.floats(-2, 2).filter(lambda x: abs(x) > 1e-3)
transforms = st.builds(
    Transform,
    st.sampled_from([IDENTITY, EXP]),
    numbers,
    numbers,
    numbers,
    numbers,
    st.booleans(),
)


def test_steps_are_folded_in_their_order():
    """-log(3 x + 1) * 2 + 5, step by step."""
    chain = Transform().then_affine(3.0, 0.0).then_affine(1.0, 1.0).then_function(LOG)
    chain = chain.then_affine(-1.0, 0.0).then_affine(2.0, 5.0)
    assert chain == Transform(LOG, 3.0, 1.0, -2.0, 5.0)
    assert chain.one(2.0) == pytest.approx(5.0 - 2.0 * math.log(7.0), rel=1e-15)


def test_rounding_is_half_to_even_as_in_onnx():
    rounding = Transform(inner_scale=2.0, rounds=True)
    x = np.array([0.25, 0.75, 1.25, 1.3])
    assert rounding.many(x).tolist() == [0.0, 2.0, 2.0, 3.0] == [rounding.one(value) for value in x.tolist()]
    assert rounding.before_rounding(x).tolist() == [0.5, 1.5, 2.5, 2.6]


@pytest.mark.parametrize("chain", [Transform(LOG), replace(Transform(), rounds=True)])
def test_a_second_function_or_a_step_after_rounding_is_refused(chain):
    with pytest.raises(InvalidOption):
        chain.then_function(EXP)
    if chain.rounds:
        with pytest.raises(InvalidOption, match="rounds"):
            chain.then_affine(2.0, 0.0)


@given(transforms, st.floats(-1, 1))
def test_one_number_and_an_array_agree(transform, x):
    assert transform.many(np.array([x])).tolist() == pytest.approx([transform.one(x)], rel=1e-14, abs=1e-14)


@given(st.sampled_from([IDENTITY, EXP, LOG]), st.floats(0.1, 3), st.floats(0.1, 3), numbers, st.floats(-30, 30))
def test_a_restored_logit_is_the_transform_of_its_sigmoid(function, scale, shift, outer, logit):
    transform = (
        Transform(function, scale, shift, outer, 0.25) if function != IDENTITY else Transform(IDENTITY, scale, -1.0)
    )
    expected = max(transform.one(1.0 / (1.0 + math.exp(-logit))), 0.0)
    assert restored_logit(transform)(logit) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("function", [IDENTITY, EXP, LOG])
def test_a_logit_that_would_overflow_has_a_sigmoid_of_zero(function):
    transform = Transform(function, 2.0, 1.0)
    assert restored_logit(transform)(-1e9) == transform.one(0.0) == restored_logit(transform)(LEAST_LOGIT - 1.0)


def test_a_rounded_target_is_restored_as_well():
    assert restored_logit(Transform(inner_scale=21.0, rounds=True))(0.0) == 10.0  # 10.5, half to even


def test_what_is_not_finite_is_rounded_as_it_is():
    """A network with absurd weights gives NaN; `many` keeps it, and so does `one`."""
    transform = Transform(rounds=True)
    assert transform.one(float("inf")) == float("inf")
    assert math.isnan(transform.one(math.nan)) and np.isnan(transform.many(np.array([math.nan])))[0]
