"""Losses made normal by a power."""

import numpy as np
import pytest
from scipy import stats
from sklearn.preprocessing import power_transform

from baselines.bayesian.parts.power_transforms import box_cox, normalised, yeo_johnson


@pytest.mark.parametrize("power", [-1.5, 0.0, 0.5, 1.0, 2.0])
def test_powers_are_those_of_scipy(power):
    y = np.array([0.01, 0.5, 1.0, 3.0, 20.0])
    np.testing.assert_allclose(box_cox(y, power), stats.boxcox(y, power), rtol=1e-10)
    both = np.append(-y, y)
    np.testing.assert_allclose(yeo_johnson(both, power), stats.yeojohnson(both, power), rtol=1e-10)


def test_the_power_is_nearly_the_most_likely_one():
    rng = np.random.default_rng(0)
    positive, mixed = rng.lognormal(size=80), rng.standard_normal(80) ** 3
    for losses, method in ((positive, "box-cox"), (mixed, "yeo-johnson")):
        expected = power_transform((losses / losses.std())[:, None], method=method)[:, 0]
        np.testing.assert_allclose(normalised(losses), expected, atol=0.1)  # up to the grid of powers


def test_the_order_stays_and_a_diverged_loss_hides_nothing():
    losses = np.append(np.linspace(1e-5, 9e-5, 9), 1e7)
    values = normalised(losses)
    assert (np.diff(values) > 0).all() and values[8] - values[0] > 0.5
    assert values.mean() == pytest.approx(0.0, abs=1e-9) and values.std() == pytest.approx(1.0)


@pytest.mark.parametrize("losses", [[2.0, 2.0], [1e308, -1e308, 5.0], [5e-324, 0.0], [1e-300, 1.0, 2.0]])
def test_extreme_losses_have_finite_values(losses):
    assert np.isfinite(normalised(np.array(losses))).all()
