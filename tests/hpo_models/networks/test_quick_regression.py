"""The quick gradient of a network's potential: the one of `Regression`, and minibatches drawn ahead."""

import numpy as np
import pytest

from hpo_models.networks.aligned import LINE, aligned, aligned_copy
from hpo_models.networks.bnn import Regression, WeightPrior
from hpo_models.networks.column_network import ColumnNetwork
from hpo_models.networks.quick_regression import N_AHEAD, QuickRegression, regression_on_rows
from hpo_models.networks.tanh_network import TanhNetwork

PRIOR = WeightPrior(1.5, 0.7, -2.0, 1.1)


class EveryRow:
    """Stands in for a generator: draws each observation once."""

    def integers(self, n, size):
        return np.broadcast_to(np.arange(n), size)


def models(sizes, n_chains, n=12, batch_size=12):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((n, sizes[0])).astype(np.float32), rng.standard_normal(n).astype(np.float32)
    network = TanhNetwork(sizes)
    plain = Regression(network, lambda rows, _: x[rows], y, PRIOR, batch_size)
    return plain, regression_on_rows(network, n_chains, x, y, PRIOR, batch_size)


@pytest.mark.parametrize("sizes", [(3, 1), (3, 4, 1), (3, 4, 5, 6, 1), (1, 50, 50, 50, 1)])
@pytest.mark.parametrize("n_chains", [1, 3])
def test_gradient_is_that_of_the_plain_model_in_every_step(sizes, n_chains):
    plain, quick = models(sizes, n_chains)
    rng = np.random.default_rng(1)
    theta = plain.start(n_chains, rng)
    for log_noise in (-2.5, 0.5, -40.0, 9.0):  # two of them outside of the range
        theta += 0.3 * rng.standard_normal(theta.shape, dtype=np.float32)  # in place, as a chain does
        theta[:, -1] = log_noise
        expected = plain.gradient(theta, EveryRow())
        found = quick.gradient(theta, EveryRow())
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())
    other = theta[:, ::-1].copy()
    expected = plain.gradient(other, EveryRow())
    np.testing.assert_allclose(
        quick.gradient(other, EveryRow()), expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max()
    )


def test_random_inputs_and_a_least_noise_are_those_of_the_plain_model():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((12, 3)).astype(np.float32), rng.standard_normal(12).astype(np.float32)
    shifts = np.tile(np.linspace(-1.0, 1.0, 4, dtype=np.float32), 12)[:, None]  # four draws of each observation's input
    plain = Regression(TanhNetwork((3, 5, 4, 1)), lambda rows, _: x[rows] + shifts, y, PRIOR, 12, 4, -1.0)
    quick = QuickRegression(plain, 2)
    theta = plain.start(2, rng)
    for log_noise in (-3.0, 0.5):  # the first below the least
        theta[:, -1] = log_noise
        expected = plain.gradient(theta, EveryRow())
        found = quick.gradient(theta, EveryRow())
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


def test_minibatch_gradients_average_to_that_of_all_data():
    plain, quick = models((2, 3, 1), 400, n=40, batch_size=8)
    whole = models((2, 3, 1), 1, n=40, batch_size=40)[0]
    theta = np.repeat(plain.start(1, np.random.default_rng(2)), 400, axis=0)
    rng = np.random.default_rng(3)
    found = np.mean([quick.gradient(theta, rng).mean(axis=0) for _ in range(20)], axis=0)
    expected = whole.gradient(theta[:1], EveryRow())[0]
    np.testing.assert_allclose(found, expected, atol=0.05 * np.abs(expected).max())


def test_chains_and_steps_have_minibatches_of_their_own():
    plain, quick = models((2, 3, 1), 3, n=40, batch_size=8)
    theta, rng = np.repeat(plain.start(1, np.random.default_rng(2)), 3, axis=0), np.random.default_rng(3)
    found = np.concatenate([quick.gradient(theta, rng).copy() for _ in range(2 * N_AHEAD)])
    assert len(np.unique(found, axis=0)) == len(found)


def test_gradient_by_parameters_equals_finite_differences():
    network, rng = TanhNetwork((2, 4, 3, 1)), np.random.default_rng(0)
    columns = ColumnNetwork(network, 2, 6)
    theta = 0.5 * rng.standard_normal((2, network.n_parameters)).astype(np.float32)
    x, by_output = rng.standard_normal((2, 6, 2)), rng.standard_normal((2, 6)).astype(np.float32)
    inputs = np.concatenate([x, np.ones((2, 6, 1))], axis=2).swapaxes(1, 2).astype(np.float32)
    gradient = np.empty_like(theta)
    layers = columns.layers(theta)
    np.testing.assert_allclose(columns.forward(layers, inputs), network.output(theta, x), atol=1e-5)
    columns.backward(layers, inputs, by_output, columns.layers(gradient))
    for i in range(network.n_parameters):
        step = np.zeros(theta.shape)
        step[:, i] = 1e-6
        change = network.output(theta + step, x) - network.output(theta - step, x)
        np.testing.assert_allclose(gradient[:, i], np.sum(change * by_output, axis=1) / 2e-6, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("shape", [(1,), (3, 7), (4, 5752)])
def test_arrays_begin_at_a_line_of_the_cache(shape):
    arrays = [aligned(shape) for _ in range(20)]
    assert all(a.ctypes.data % LINE == 0 and a.shape == shape and a.dtype == np.float32 for a in arrays)
    values = np.random.default_rng(0).standard_normal(shape)
    copy = aligned_copy(values)
    np.testing.assert_array_equal(copy, values.astype(np.float32))
