"""Scores of a meta-model, by hand where they can be."""

from dataclasses import replace

import numpy as np
import pytest

from hpo_models.networks.tanh_network import TanhNetwork
from profet import MetaModel
from profet.diagnostics import autocorrelation, held_out_configurations, leave_one_task_out, predict, score
from profet.meta_model import Emulator
from profet.target import Target


def linear_model(data, theta):
    """Networks without hidden layer on two inputs and the model's latent dimensions."""
    from profet.meta_model import Encoding

    encoding = Encoding(np.zeros((8, 1)), np.ones((8, 1)), np.ones(1))
    emulator = Emulator(TanhNetwork((3, 1)), np.asarray(theta, dtype=np.float32), Target(0.0, 1.0))
    return MetaModel("line", data.space, encoding, emulator, None, (1,), data.tasks)


def test_scores_by_hand(data):
    """Two draws that predict y + 1 and y - 1 with unit noise: the ensemble is right, a single draw is off by 1."""
    x = linear_model(data, np.zeros((1, 5))).inputs(data.codes.astype(float))
    y = np.tile(x @ [0.5, -0.2], (8, 1))
    exact = replace(data, losses=y[:, :, None], costs=None, loss_range=(-np.inf, np.inf))
    model = linear_model(data, [[0.5, -0.2, 0.0, 1.0, 0.0], [0.5, -0.2, 0.0, -1.0, 0.0]])
    found = score(model, exact)
    assert found.rmse == pytest.approx(0.0, abs=1e-6)
    assert found.single_rmse == pytest.approx(1.0, rel=1e-6)
    assert found.single_share == pytest.approx(1.0 / y.std(), rel=1e-6)
    assert (found.spearman, found.single_spearman) == (pytest.approx(1.0), pytest.approx(1.0))
    assert found.log_likelihood == pytest.approx(-0.5 * np.log(2 * np.pi * 2.0), rel=1e-5)
    assert found.coverage == (1.0, 1.0, 1.0)


def test_coverage_of_a_calibrated_model(data):
    """Losses with Gaussian noise of the size that the model claims to have."""
    model = linear_model(data, [[0.5, -0.2, 0.0, 0.0, 0.0]])
    mean = predict(model, data, model.encoding.means)[:, 0]
    noisy = mean + np.random.default_rng(0).standard_normal(mean.shape)
    found = score(model, replace(data, losses=noisy[:, :, None], costs=None, loss_range=(-np.inf, np.inf)))
    assert found.coverage == pytest.approx((0.5, 0.9, 0.99), abs=0.05)


def test_log_likelihood_is_that_of_the_loss_and_not_of_its_logarithm(data):
    model = linear_model(data, [[1e-6, 0.0, 0.0, 0.0, 0.0]])
    model = replace(model, loss=replace(model.loss, target=Target(0.0, 1.0, log=True)))
    losses = np.exp(np.random.default_rng(0).standard_normal((8, len(data.codes), 1)))
    from scipy.stats import lognorm

    found = score(model, replace(data, losses=losses, costs=None, loss_range=(0.0, np.inf), log_loss=True))
    assert found.log_likelihood == pytest.approx(lognorm.logpdf(losses, 1.0).mean(), rel=1e-5)


def test_autocorrelation_of_known_chains(data):
    """Predictions that follow an autoregression with coefficient 0.8, in two interleaved chains."""
    rng = np.random.default_rng(0)
    biases = np.zeros((2, 2000))
    for k in range(1, 2000):
        biases[:, k] = 0.8 * biases[:, k - 1] + rng.standard_normal(2)
    theta = np.zeros((4000, 5))
    theta[:, 3] = biases.T.ravel()
    found = autocorrelation(linear_model(data, theta), data, n_chains=2, n_lags=3)
    assert found == pytest.approx([0.8, 0.64, 0.51], abs=0.06)


@pytest.mark.slow
def test_held_out_configurations_and_tasks(data, small):
    found = held_out_configurations(replace(data, costs=None), 0, settings=small)
    assert found.spearman > 0.9
    assert found.rmse <= found.single_rmse
    again = held_out_configurations(replace(data, costs=None), 0, settings=small)
    assert found == again
    alone = leave_one_task_out(data, 2, 0, settings=small)
    assert np.isfinite(alone.rmse)
    assert alone.spearman > 0.3
