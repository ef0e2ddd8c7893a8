"""Network of several tasks: one function in three forms, its gradient, and that one task learns from another."""

import numpy as np
import pytest

from hpo_models.networks.bnn import Regression, WeightPrior
from hpo_models.networks.continued_chain import ContinuedChains, Lengths
from hpo_models.networks.multi_task_bnn import TaskNetwork, TaskRegression
from hpo_models.networks.tanh_network import TanhNetwork

SHAPE = TaskNetwork(2, (4, 3), 3, n_embedded=2)
PRIOR = WeightPrior(1.5, 0.7, -2.0, 1.1)


class EveryRow:
    """Stands in for a generator: draws each observation once."""

    def integers(self, n, size):
        return np.broadcast_to(np.arange(n), size)


def setting(n=9):
    rng = np.random.default_rng(0)
    x, y, tasks = rng.standard_normal((n, 2)), rng.standard_normal(n), np.arange(n) % 3
    theta = 0.5 * rng.standard_normal((2, SHAPE.n_parameters + 1))
    return x, y, tasks, theta


def by_definition(theta, x, tasks):
    """h([x, psi_t]) (C, B): Klein (2020), section 3.1, one chain and one observation at a time."""
    network = SHAPE.with_embedding
    values = np.empty((len(theta), len(x)))
    for c, row in enumerate(theta):
        embedding = row[network.n_parameters :].reshape(3, 2)
        for b, (point, task) in enumerate(zip(x, tasks, strict=True)):
            inputs = np.concatenate([point, embedding[task]])[None]
            values[c, b] = network.output(row[None, : network.n_parameters], inputs)[0, 0]
    return values


def test_the_three_forms_are_the_same_function():
    x, _, tasks, theta = setting()
    theta = theta[:, :-1]
    expected = by_definition(theta, x, tasks)
    inputs = np.hstack([x, np.eye(3)[tasks]])
    np.testing.assert_allclose(SHAPE.with_tasks.output(SHAPE.to_tasks(theta), inputs), expected, rtol=1e-12)
    for task in range(3):
        found = SHAPE.of_one_task.output(SHAPE.to_one_task(theta, task), x[tasks == task])
        np.testing.assert_allclose(found, expected[:, tasks == task], rtol=1e-12)


def test_gradient_equals_finite_differences():
    x, y, tasks, theta = setting()
    model = TaskRegression(SHAPE, 2, x, tasks, y, PRIOR, batch_size=len(y))
    network = SHAPE.with_embedding
    spread = np.concatenate([network.weight_stds(PRIOR.gain, PRIOR.bias), np.ones(6)])

    def potential(theta):
        misfit = np.sum((by_definition(theta[:, :-1], x, tasks) - y) ** 2, axis=1)
        noise = theta[:, -1]
        prior = 0.5 * np.sum((theta[:, :-1] / spread) ** 2, axis=1) + 0.5 * ((noise + 2.0) / 1.1) ** 2
        return 0.5 * (misfit * np.exp(-noise) + len(y) * noise) + prior

    analytic = model.gradient(theta.astype(np.float32), EveryRow())
    for i in range(theta.shape[1]):
        step = np.zeros_like(theta)
        step[:, i] = 1e-6
        numeric = (potential(theta + step) - potential(theta - step)) / 2e-6
        np.testing.assert_allclose(analytic[:, i], numeric, rtol=1e-4, atol=1e-4)
    assert model.prior_precision == pytest.approx(np.append(spread**-2.0, 1.1**-2.0), rel=1e-6)


def test_the_start_has_the_shape_of_the_gradient_and_an_embedding_from_its_prior():
    x, y, tasks, _ = setting()
    model = TaskRegression(SHAPE, 2000, x.astype(np.float32), tasks, y.astype(np.float32), PRIOR)
    start = model.start(2000, np.random.default_rng(0))
    assert start.dtype == np.float32
    assert model.gradient(start, np.random.default_rng(0)).shape == start.shape
    embedding = start[:, SHAPE.with_embedding.n_parameters : -1]
    assert embedding.shape[1] == 6
    assert embedding.std() == pytest.approx(1.0, abs=0.03)
    assert (start[:, -1] == -2.0).all()


@pytest.mark.slow
def test_a_task_with_few_observations_learns_from_the_others():
    """Tasks sin(3 x) + offset: two known at 40 points; one at 4, which is like one of them and alone says little.

    The mean absolute errors of the three seeds were .27, .38 and .22; with one embedding for all tasks, .7.
    """
    prior, lengths = WeightPrior(log_noise_mean=-5.0, log_noise_sd=0.3), Lengths(4, 300, 10, 20)
    tasks, offsets = np.repeat([0, 1, 2], [4, 40, 40]), np.array([0.75, 0.75, -0.75])
    points = np.linspace(-1.6, 1.6, 50, dtype=np.float32)[:, None]
    shape, network = TaskNetwork(1, (20, 20), 3), TanhNetwork((1, 20, 20, 1))
    errors = np.zeros(2)
    for seed in range(3):
        x = np.random.default_rng(seed).uniform(-1.7, 1.7, (84, 1)).astype(np.float32)
        y = (np.sin(3 * x[:, 0]) + offsets[tasks]).astype(np.float32)
        rng = np.random.default_rng(1)
        draws = ContinuedChains(lengths).draws(TaskRegression(shape, 4, x, tasks, y, prior), rng)
        together = shape.of_one_task.output(shape.to_one_task(draws, 0), points)
        draws = ContinuedChains(lengths).draws(Regression(network, lambda rows, _, x=x: x[rows], y[:4], prior), rng)
        alone = network.output(draws[:, :-1], points)
        truth = np.sin(3 * points[:, 0]) + offsets[0]
        errors += [np.abs(found.mean(axis=0) - truth).mean() for found in (together, alone)]
    assert errors[0] / 3 < 0.5
    assert errors[0] < 0.75 * errors[1]
