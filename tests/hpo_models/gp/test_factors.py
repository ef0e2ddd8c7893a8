"""Inverses of Cholesky factors against numpy's own, and when there is none."""

import numpy as np
import pytest

from hpo_models.gp.factors import BLOCK, NotPositiveDefinite, centred, cholesky, invert_into


def some_covariance(n, seed=0):
    rows = np.random.default_rng(seed).normal(size=(n, n + 2))
    return rows @ rows.T / n + 0.1 * np.eye(n)


@pytest.mark.parametrize("n", [1, BLOCK, BLOCK + 1, 2 * BLOCK + 1, 300])
def test_inverse_factor(n):
    covariance = some_covariance(n)
    out = np.zeros((n, n))
    below = np.where(np.tri(n, dtype=bool), covariance, np.nan)  # what is above is not read
    assert invert_into(out, below, np.empty(n * n))
    np.testing.assert_allclose(out, np.linalg.inv(np.linalg.cholesky(covariance)), atol=1e-9)
    assert not np.triu(out, 1).any()


@pytest.mark.parametrize("at", [0, 150, 299])
def test_a_matrix_that_is_not_positive_definite(at):
    covariance = some_covariance(300)
    covariance[at, at] = -1.0
    assert not invert_into(np.zeros((300, 300)), covariance.copy(), np.empty(300 * 300))
    with pytest.raises(NotPositiveDefinite, match="positive definite"):
        cholesky(covariance, 1.0)


def test_mean_is_that_of_generalised_least_squares():
    covariance, y = some_covariance(7), np.random.default_rng(1).normal(size=7)
    inverse = np.linalg.inv(np.linalg.cholesky(covariance))
    mean, residuals = centred(inverse @ np.column_stack([np.ones(7), y]), 0.5)
    precision = np.linalg.inv(covariance)
    assert mean == pytest.approx((precision @ y).sum() / (precision.sum() + 0.5))
    assert residuals @ residuals == pytest.approx((y - mean) @ precision @ (y - mean))
