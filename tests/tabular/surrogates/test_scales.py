"""Scales of the loss, there and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from hpo_core.errors import InvalidOption
from tabular.surrogates.scales import KNOTS, fitted_scale, fitting_scales, read_scale, scale_arrays

LOSSES = np.exp(np.random.default_rng(0).standard_normal(300))


@pytest.mark.parametrize("name", ["loss", "log", "scores"])
def test_there_and_back(name):
    scale = fitted_scale(name, LOSSES)
    on_scale = scale.forward(LOSSES)
    assert np.array_equal(np.argsort(on_scale), np.argsort(LOSSES))
    np.testing.assert_allclose(scale.back(on_scale), LOSSES, rtol=1e-12)
    points = np.linspace(on_scale.min() - 1, on_scale.max() + 1, 2001)
    assert scale.back(points).tolist() == [scale.back_one(x) for x in points.tolist()]
    again = read_scale(name, scale_arrays(scale))
    assert again.back(points).tolist() == scale.back(points).tolist()


def test_normal_scores_of_four_losses_by_hand():
    scale = fitted_scale("scores", np.array([5.0, 1.0, 3.0, 3.0]))
    # ranks 4, 1, 2.5, 2.5: probabilities 7/8, 1/8, 1/2, 1/2
    np.testing.assert_allclose(scale.forward(np.array([1.0, 3.0, 5.0])), norm.ppf([1 / 8, 1 / 2, 7 / 8]), atol=1e-15)
    assert scale.back_one(norm.ppf(1 / 8) / 2) == pytest.approx(2.0)  # half way between 1 and 3
    assert (scale.back_one(-9.0), scale.back_one(9.0)) == (1.0, 5.0)


def test_many_losses_have_few_knots_and_keep_the_ends():
    losses = np.random.default_rng(1).standard_cauchy(20_000)
    scale = fitted_scale("scores", losses)
    assert len(scale.losses) <= KNOTS + 2
    assert (scale.losses[0], scale.losses[-1]) == (losses.min(), losses.max())
    assert np.array_equal(np.argsort(scale.forward(losses), kind="stable"), np.argsort(losses, kind="stable"))


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50, unique=True))
def test_a_loss_on_the_scale_of_scores_comes_back_within_the_recorded_ones(losses):
    scale = fitted_scale("scores", np.array(losses))
    found = scale.back(np.linspace(-5, 5, 100))
    assert found.min() >= min(losses) and found.max() <= max(losses)
    assert (np.diff(found) >= 0).all()


def test_the_logarithm_needs_positive_losses():
    assert fitting_scales(np.array([0.0, 1.0])) == ["loss", "scores"]
    assert fitting_scales(np.array([0.1, 1.0])) == ["loss", "log", "scores"]
    with pytest.raises(InvalidOption, match="loss, log, scores"):
        fitted_scale("rank", LOSSES)
