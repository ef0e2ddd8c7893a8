"""Random configurations and decoding, for any space."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import any_spaces

from baselines.parts.sampling import (
    TRIES,
    decoder,
    first_allowed,
    random_codes,
    random_configs,
    random_points,
    unit_decoder,
)
from hpo_core import Categorical, Condition, Float, Forbidden, Int, Space
from hpo_core.errors import InvalidSpace


def rounded(config):
    """Floats are drawn by numpy here and by Python's own functions in `Space.sample`: the last digit may differ."""
    return {name: float(f"{v:.12g}") if isinstance(v, float) else v for name, v in config.items()}


@settings(max_examples=40)
@given(any_spaces(), st.integers(0, 2**32))
def test_they_are_what_the_space_samples(space, seed):
    rng = np.random.default_rng(seed)
    drawn = list(itertools.islice(random_configs(space, np.random.default_rng(seed)), 20))
    assert list(map(rounded, drawn)) == [rounded(space.sample(rng)) for _ in range(20)]
    for config in drawn:
        assert list(map(type, config.values())) == list(map(type, space.check(config).values()))


@settings(max_examples=40)
@given(any_spaces(), st.integers(0, 2**32))
def test_codes_and_points_are_decoded_to_configurations(space, seed):
    codes = list(itertools.islice(random_codes(space, np.random.default_rng(seed)), 8))
    assert list(map(decoder(space), codes)) == space.decode(np.array(codes))
    decode = unit_decoder(space)
    for config, point in itertools.islice(random_points(space, np.random.default_rng(seed)), 8):
        assert len(point) == len(space)
        assert all(0 <= u <= 1 for u in point)
        assert rounded(decode(point)) == rounded(config)
        assert space.check(config) == config


def test_what_is_switched_off_has_a_random_coordinate():
    space = Space([Categorical("k", "ab"), Float("x", 0, 1)], [Condition("x", "k", ("a",))])
    points = [p for c, p in itertools.islice(random_points(space, np.random.default_rng(0)), 200) if "x" not in c]
    values = np.array([p[1] for p in points])
    assert len(set(values)) == len(values)
    assert 0.4 < values.mean() < 0.6


def test_a_method_is_asked_again_until_it_is_allowed_and_then_no_more():
    space = Space([Int("x", 0, 9)], forbidden=[Forbidden({"x": [0, 1]})])
    attempts = iter([0, 1, 0, 5, 6])
    assert first_allowed(space, lambda: ({"x": next(attempts)}, "made"), None) == ({"x": 5}, "made")
    assert next(attempts) == 6
    in_vain = itertools.count()
    assert first_allowed(space, lambda: ({"x": 0}, next(in_vain)), lambda: ({"x": 7}, "random")) == ({"x": 7}, "random")
    assert next(in_vain) == TRIES == 100


def test_draws_end_where_nothing_is_left(monkeypatch):
    space = Space([Int("x", 0, 9)], forbidden=[Forbidden({"x": range(9)})])
    monkeypatch.setattr(Space, "allowed", lambda self, codes: np.zeros(len(codes), dtype=bool))
    with pytest.raises(InvalidSpace, match="must leave something"):
        next(random_codes(space, np.random.default_rng(0)))
