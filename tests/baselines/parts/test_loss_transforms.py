"""Losses as models see them."""

import numpy as np
import pytest

from baselines.parts.loss_transforms import log_distances, tempered


def test_tempered_losses_are_linear_below_the_median_and_logarithmic_far_above():
    losses = 100 + np.array([1.0, 1.1, 1.2, 2.0, 1e7, 1e10, 3.0])
    values = tempered(losses)
    assert (np.argsort(values) == np.argsort(losses)).all()
    assert values.mean() == pytest.approx(0, abs=1e-12) and values.std() == pytest.approx(1)
    assert (values[1] - values[0]) / (values[2] - values[1]) == pytest.approx(1, abs=0.1)
    assert (values[5] - values[4]) / (values[3] - values[0]) == pytest.approx(np.log(1000) / np.log(2), rel=1e-3)
    np.testing.assert_array_equal(tempered(np.full(3, 0.7)), np.zeros(3))


def test_log_distances_keep_the_order_and_tame_outliers():
    losses = np.array([1e-5, 3e-5, 2e-5, 5e-5, 1e7])
    values = log_distances(losses)
    assert (np.argsort(values) == np.argsort(losses)).all()
    assert values[3] - values[0] > 0.05 * (values[4] - values[0])
    assert values.mean() == pytest.approx(0, abs=1e-9) and values.std() == pytest.approx(1)
    np.testing.assert_array_equal(log_distances(np.full(3, 0.7)), np.zeros(3))
    assert np.isfinite(log_distances(np.array([1.0, 1.0, 1.0, 2.0]))).all()
