"""A trained surrogate as a problem."""

import dataclasses
import functools

import numpy as np
import pytest
from recorded_rows import CONFIG, recorded, small_models

from hpo_core import Benchmark, Condition, run
from hpo_core.errors import InvalidBudget, InvalidConfig
from tabular.surrogates.from_frame import surrogate_from_frame
from tabular.surrogates.problem import SurrogateProblem
from tabular.surrogates.trees.ensemble import gather


@functools.cache
def trained():
    """A surrogate with costs, budgets and noise; trained with one small model."""
    frame = recorded(budgets=(1, 3, 9), n_repetitions=2, noise=0.2)
    with small_models():
        return surrogate_from_frame(frame, loss="error", cost="seconds", budget="epoch", config=CONFIG, name="made")


@pytest.fixture
def benchmark_():
    return Benchmark(SurrogateProblem(trained()))


def configs_of(b, n=30, seed=0):
    return b.space.sample(np.random.default_rng(seed), n)


def test_what_was_inferred(benchmark_):
    b = benchmark_
    assert b.budgets == (1, 3, 9) and b.problem.budget_range == (1, 9)
    assert b.space.conditions == (Condition("momentum", "solver", ("sgd",)),)
    assert b.space["lr"].log and b.space["depth"].kind == "int"
    assert b.resumable


def test_trainings_may_be_said_to_start_anew(quick):
    frame = recorded(60, budgets=(1, 3))
    made = surrogate_from_frame(frame, loss="error", budget="epoch", config=CONFIG, name="made", resumable=False)
    assert not SurrogateProblem(made).resumable


def test_one_and_many_agree_to_the_bit(benchmark_):
    b = benchmark_
    configs = configs_of(b)
    for budget in b.budgets:
        for seeds in (None, np.arange(30)):
            each = [None] * 30 if seeds is None else seeds.tolist()
            single = [b.objective(c, budget, seed=s) for c, s in zip(configs, each, strict=True)]
            losses, costs = b.objective_batch(b.space.encode(configs), budget, seeds)
            assert losses.tolist() == [r.loss for r in single]
            assert costs.tolist() == [r.cost for r in single]


def test_a_seed_is_noise_of_the_measured_size(benchmark_):
    b = benchmark_
    (config,) = configs_of(b, 1)
    scale = b.problem.surrogate.scale
    mean = scale.forward(np.array([b.objective(config).loss]))[0]
    deviations = scale.forward(np.array([b.objective(config, seed=s).loss for s in range(2000)])) - mean
    log_variance = np.log(deviations.var())
    assert np.abs(deviations.mean()) < 0.15 * deviations.std()
    assert log_variance == pytest.approx(b.problem.surrogate.noise.intercept, abs=1.5)
    assert b.objective(config, seed=3) == b.objective(dict(reversed(config.items())), seed=np.int64(3))
    assert len({b.objective(config, budget, seed=3).loss for budget in b.budgets}) == 3


def test_without_a_noise_model_seeds_change_nothing():
    b = Benchmark(SurrogateProblem(dataclasses.replace(trained(), noise=None)))
    for config in configs_of(b, 5):
        assert b.objective(config, seed=1) == b.objective(config)


def test_costs_do_not_fall_with_the_budget_and_follow_the_recorded_ones(benchmark_):
    b = benchmark_
    codes = b.space.encode(configs_of(b, 200))
    costs = np.array([b.objective_batch(codes, budget)[1] for budget in b.budgets])
    assert (np.diff(costs, axis=0) >= 0).all() and costs.min() > 0
    expected = 9 * (codes[:, 1] + 1) * (1 + (codes[:, 2] == 1))
    assert np.median(np.abs(np.log(costs[-1] / expected))) < 0.1


def test_without_recorded_costs_an_evaluation_takes_a_second_and_a_share_of_it_at_a_smaller_budget():
    b = Benchmark(SurrogateProblem(dataclasses.replace(trained(), cost=None)))
    (config,) = configs_of(b, 1)
    assert [b.objective(config, budget).cost for budget in b.budgets] == [1 / 9, 3 / 9, 1.0]
    np.testing.assert_array_equal(b.objective_batch([config], 3)[1], [3 / 9])


def test_between_recorded_budgets_the_loss_is_that_of_the_nearer_one_on_their_scale(benchmark_):
    problem = benchmark_.problem
    (config,) = configs_of(benchmark_, 1)
    assert problem.evaluate(config, 5.9, None).loss == problem.evaluate(config, 3, None).loss
    assert problem.evaluate(config, 6.1, None).loss == problem.evaluate(config, 9, None).loss
    for budget in (0.5, 10, float("nan")):
        with pytest.raises(InvalidBudget):
            benchmark_.objective(config, budget)


def test_no_loss_lies_outside_of_the_recorded_ones():
    surrogate = dataclasses.replace(trained(), noise=gather([], np.log(100.0)))
    b = Benchmark(SurrogateProblem(surrogate))
    losses, _ = b.objective_batch(configs_of(b, 300), seeds=np.arange(300))
    assert losses.min() == surrogate.bounds[0] and losses.max() == surrogate.bounds[1]


def test_nothing_lies_below_the_optimum_and_its_configuration_has_it(benchmark_):
    b = benchmark_
    known = b.problem.surrogate.optimum
    assert b.objective(known.config).loss == known.loss == b.optimum
    assert b.objective_batch(configs_of(b, 5000))[0].min() >= b.optimum
    assert "search" in known.how


def test_configurations_are_checked(benchmark_):
    b = benchmark_
    config = next(c for c in configs_of(b) if c["solver"] == "adam")
    for bad in ({**config, "momentum": 0.5}, {**config, "lr": 3.0}, {**config, "lr": None}, {"lr": 0.1}, "x"):
        with pytest.raises(InvalidConfig):
            b.objective(bad)


def test_optimizers_run_on_it(benchmark_):
    record = run(benchmark_, "hyperband", n_trials=30, seed=0)
    assert len(record.trials) == 30 and record.best.loss >= benchmark_.optimum
