"""A trained model predicts its tasks; sampled tasks are fixed for ever, keep to the range, and have gradients."""

import hashlib
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from hpo_core import Benchmark, run
from hpo_core.errors import InvalidOption, InvalidSeed, UnknownName
from hpo_models.gplvm.bayesian import InvalidTasks
from profet import FAST, PAPER, from_arrays, sample, sample_task, train, train_on, write_model
from profet.sampling import _uniform
from profet.settings import settings_of
from profet.task import Surface

SHORT = replace(
    FAST, n_latent=2, kernel="rbf", units=(5,), n_chains=1, n_cost_draws=1, n_between=1, n_burn_in=5, warm_start=None
)


def losses_of_originals(model, data):
    """(T, N) mean over the weight vectors at the means of the tasks."""
    x = model.inputs(data.codes.astype(float))
    return np.array(
        [
            np.mean([surface.target.restore(surface.output(x)) for surface in surfaces], axis=0)
            for surfaces in (
                [Surface(model.loss, k, h * model.encoding.weights) for k in range(len(model.loss.theta))]
                for h in model.encoding.means
            )
        ]
    )


def test_losses_and_costs_of_the_original_tasks_are_learned(model, data):
    found = losses_of_originals(model, data)
    assert np.sqrt(np.mean((found - data.losses[:, :, 0]) ** 2)) < 0.1 * data.losses.std()
    x = model.inputs(data.codes.astype(float))
    for t, h in enumerate(model.encoding.means):
        surface = Surface(model.cost, 0, h * model.encoding.weights)
        np.testing.assert_allclose(surface.target.restore(surface.output(x)), data.costs[t], rtol=0.3)


def test_tasks_of_a_model_share_what_translates_configurations(model):
    """Made anew for every task it took longer than an evaluation, the more the larger the space."""
    first, second = sample(model, 2)
    assert first._inputs is second._inputs is model.inputs


@pytest.mark.slow
def test_training_is_a_function_of_its_seed(data, model):
    short = replace(SHORT, n_draws=2)
    first, again, other = (train_on(data, seed, settings=short) for seed in (1, 1, 2))
    assert np.array_equal(first.loss.theta, again.loss.theta)
    assert np.array_equal(first.encoding.means, again.encoding.means)
    assert not np.array_equal(first.loss.theta, other.loss.theta)
    assert not np.array_equal(first.loss.theta[:, -1], first.cost.theta[:, -1])


@pytest.mark.slow
def test_own_arrays_and_progress(data):
    short = replace(SHORT, n_draws=3, n_between=2)
    codes, losses = data.codes, data.losses[:, :, 0]
    by_codes = from_arrays(codes, losses, data.space, seed=3, settings=short)
    by_configs = from_arrays(data.space.decode(codes), losses, data.space, seed=3, settings=short)
    assert np.array_equal(by_codes.loss.theta, by_configs.loss.theta)
    assert by_codes.cost is None
    assert sample_task(by_codes, 0).evaluate_batch(codes, 1, None)[1].tolist() == [1.0] * len(codes)
    asked, told = [], []
    train_on(data, 0, settings=short, progress=lambda n: asked.append(n) or told.append)
    assert asked == [sum(told)]


@pytest.mark.slow
def test_gpy_encodes_as_a_cross_check(data):
    pytest.importorskip("GPy", reason="the other encoder is that of GPy; pip install gpy")
    from profet.learning.encoder import encode

    values = data.losses[:, :, 0] - data.losses.mean()
    own = encode(values, replace(FAST, n_latent=2, kernel="rbf"), 0)
    other = encode(values, replace(FAST, n_latent=2, encoder="gpy"), 0)
    distances = [np.linalg.norm(e.means[:, None] - e.means, axis=2)[np.triu_indices(8, 1)] for e in (own, other)]
    assert np.corrcoef(*distances)[0, 1] > 0.8


def test_more_latent_dimensions_than_tasks_are_refused(data):
    with pytest.raises(InvalidTasks, match="ask for fewer"):
        from_arrays(data.codes, data.losses[:3, :, 0], data.space, settings=replace(SHORT, n_latent=4, n_draws=1))
    few = from_arrays(data.codes, data.losses[:3, :, 0], data.space, settings=replace(SHORT, n_latent=None, n_draws=1))
    assert few.encoding.means.shape == (3, 3)


def test_modes():
    assert settings_of("paper") is PAPER
    assert (PAPER.units, PAPER.step, PAPER.n_burn_in, PAPER.warm_start) == ((500, 500, 500), 1e-2, 50_000, None)
    with pytest.raises(UnknownName, match="fast"):
        settings_of("fats")
    with pytest.raises(InvalidOption, match="gpy"):
        replace(FAST, encoder="gp")
    with pytest.raises(UnknownName, match="svm"):
        train("svn")


def fingerprint(tasks, codes):
    return hashlib.sha256(b"".join(t.evaluate_batch(codes, 1, None)[0].tobytes() for t in tasks)).hexdigest()


def test_same_tasks_bit_for_bit_in_another_process(model, data, tmp_path):
    from profet import read_model

    path = tmp_path / "bowl.h5"
    write_model(model, path)
    script = (
        "import sys, hashlib, numpy as np, profet\n"
        "m = profet.read_model(sys.argv[1])\n"
        "codes = m.space.from_unit(np.random.default_rng(0).random((20, 2)))\n"
        "tasks = profet.sample(m, 5, seed=3)\n"
        "print(hashlib.sha256(b''.join(t.evaluate_batch(codes, 1, None)[0].tobytes() for t in tasks)).hexdigest())"
    )
    other = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    codes = data.space.from_unit(np.random.default_rng(0).random((20, 2)))
    assert other.stdout.strip() == fingerprint(sample(read_model(path), 5, seed=3), codes)


def test_what_a_task_number_stands_for_never_changes(model):
    """Raw values, so that a change of the sampling shows: all tasks that anyone has used would become others."""
    assert [(t.draw, t.cost_draw) for t in sample(model, 6)] == [(17, 6), (6, 4), (18, 8), (7, 0), (5, 8), (13, 5)]
    assert _uniform(3, 17, 3).tolist() == [0.3213440574834768, 0.8717847546598596, 0.1586697782469842]


def distances_to_originals(model, tasks):
    """Of each task to the nearest original one, in the dimensions that are in use, relative to their std."""
    positions = np.array([t.latent for t in tasks])
    return np.linalg.norm((positions[:, None] - model.encoding.means) * model.encoding.weights, axis=2).min(axis=1)


def test_tasks_differ_and_lie_where_they_should(model):
    tasks, between = sample(model, 300), sample(model, 300, latent="between")
    assert len({t.draw for t in tasks}) == len(model.loss.theta)
    assert np.median(distances_to_originals(model, tasks)) < 0.2
    assert np.median(distances_to_originals(model, between)) > 2 * np.median(distances_to_originals(model, tasks))
    low, high = model.encoding.means.min(axis=0), model.encoding.means.max(axis=0)
    slack = 6 * np.sqrt(model.encoding.variances.max(axis=0))
    assert all((t.latent > low - slack).all() and (t.latent < high + slack).all() for t in between)
    assert [t.name for t in sample(model, 2)] == ["profet-bowl/0", "profet-bowl/1"]
    assert not np.array_equal(sample_task(model, 0, 1).latent, sample_task(model, 0, 0).latent)


def test_draws_of_a_task_follow_its_posterior(model):
    """A thousand draws: each task about as often, with its mean and variance."""
    positions = np.array([t.latent for t in sample(model, 1000)])
    nearest = np.linalg.norm((positions[:, None] - model.encoding.means) * model.encoding.weights, axis=2).argmin(
        axis=1
    )
    counts = np.bincount(nearest, minlength=8)
    assert counts.min() > 80
    for t in range(8):
        assert positions[nearest == t].std(axis=0) == pytest.approx(np.sqrt(model.encoding.variances[t]), rel=0.4)


def test_tasks_that_the_encoder_cannot_tell_apart_are_put_at_principal_components(data):
    from profet.learning.encoder import encode

    values = np.random.default_rng(0).standard_normal((4, 80))
    found = encode(values, replace(FAST, n_latent=2), 0)
    assert found.means.std(axis=0) == pytest.approx([1.0, 1.0])
    assert (found.weights > 0).all()


def test_losses_keep_to_the_range_and_costs_are_positive(model):
    codes = model.space.from_unit(np.random.default_rng(1).random((500, 2)))
    for task in sample(model, 30, latent="between", noise=True):
        losses, costs = task.evaluate_batch(codes, 1, np.arange(500))
        assert losses.min() >= 0.0
        assert losses.max() <= 1.0
        assert costs.min() > 0.0


def test_one_by_one_equals_batch(model):
    benchmark = Benchmark(sample_task(model, 3, noise=True))
    configs = benchmark.space.sample(np.random.default_rng(0), 30)
    for seeds in (None, np.arange(30)):
        losses, costs = benchmark.objective_batch(configs, seeds=seeds)
        single = [benchmark.objective(c, seed=None if seeds is None else int(s)) for s, c in enumerate(configs)]
        np.testing.assert_allclose(losses, [r.loss for r in single], rtol=1e-13)
        np.testing.assert_allclose(costs, [r.cost for r in single], rtol=1e-13)


def test_noise_is_that_of_the_weight_vector_and_belongs_to_the_evaluation(model):
    quiet, noisy = Benchmark(sample_task(model, 5)), Benchmark(sample_task(model, 5, noise=True))
    config = {"rate": 0.003, "units": 30}
    assert quiet.objective(config, seed=1) == quiet.objective(config)
    assert noisy.objective(config).loss == quiet.objective(config).loss
    assert noisy.objective(config, seed=1) == noisy.objective(config, seed=1)
    losses = np.array([noisy.objective(config, seed=s).loss for s in range(1500)])
    std = noisy.problem.loss.noise * noisy.problem.loss.target.std
    assert losses.std() == pytest.approx(std, rel=0.1)
    assert losses.mean() == pytest.approx(quiet.objective(config).loss, abs=4 * std / 1500**0.5)


def test_gradient_equals_finite_differences(model):
    task = sample_task(model, 2)
    unit = np.random.default_rng(0).uniform(0.05, 0.95, (20, 2))
    for i in range(2):
        step = np.zeros(2)
        step[i] = 1e-6
        numeric = (task.value(unit + step) - task.value(unit - step)) / 2e-6
        np.testing.assert_allclose(task.gradient(unit)[:, i], numeric, rtol=1e-4, atol=1e-7)
    assert task.gradient(unit[0]).shape == (2,)


def test_value_on_the_unit_cube_is_the_objective(model):
    task = sample_task(model, 2)
    config = {"rate": 0.01, "units": 64}
    unit = model.space.to_unit(model.space.encode(config))
    assert task.value(unit)[0] == pytest.approx(Benchmark(task).objective(config).loss, rel=1e-12)


def test_large_networks_stay_float32():
    from hpo_models.networks.tanh_network import TanhNetwork
    from profet.meta_model import Emulator
    from profet.target import Target

    network = TanhNetwork((4, 300, 300, 1))
    theta = np.random.default_rng(0).standard_normal((2, network.n_parameters + 1)).astype(np.float32) * 0.05
    surface = Surface(Emulator(network, theta, Target(0.0, 1.0)), 1, np.array([0.3, -0.2]))
    x = np.random.default_rng(1).standard_normal((5, 2)).astype(np.float32)
    full = np.concatenate([x, np.tile([[0.3, -0.2]], (5, 1))], axis=1)
    assert surface.output(x).dtype == np.float32
    np.testing.assert_allclose(surface.output(x), network.output(theta[1:, :-1].astype(float), full)[0], rtol=1e-3)


def test_an_optimizer_runs_on_a_sampled_task(model):
    result = run(Benchmark(sample_task(model, 1)), "rs", n_trials=50, seed=0)
    losses = result.incumbent().losses
    assert len(result.trials) == 50
    assert losses[-1] < losses[0]


def test_bad_requests_are_refused(model):
    with pytest.raises(InvalidOption, match=">= 0"):
        sample(model, -1)
    with pytest.raises(InvalidSeed):
        sample(model, 1, seed=-1)
    with pytest.raises(InvalidOption, match="between"):
        sample(model, 1, latent="betwen")
