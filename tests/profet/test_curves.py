"""Multi-fidelity tasks: a model of learning curves, whose tasks have budgets."""

import numpy as np
import pytest

from hpo_core import Benchmark, Categorical, Float, Ordinal, Space, run
from hpo_core.errors import InvalidBudget, InvalidConfig, NotRecorded
from hpo_core.problems.problem import Result, SimpleProblem
from profet import read_model, sample, sources, train_on, write_model
from profet.sources import CURVE_BUDGETS, curves_of

SPACE = Space([Float("rate", 1e-4, 1e-1, log=True), Categorical("schedule", ["cosine", "const"])])


def curve(optimum, speed, space=SPACE):
    """A loss that falls with the epoch to a level set by `rate`, faster at high rates; costs grow with the epoch."""

    def evaluate(config, budget, seed):
        u = (np.log10(config["rate"]) + 4) / 3
        level = 0.1 + (u - optimum) ** 2 + 0.05 * (config["schedule"] == "const")
        return Result(level + np.exp(-speed * (0.2 + u) * budget**0.5), 0.01 * budget * (1 + optimum), budget, {})

    return SimpleProblem(f"curve-{optimum}", space, evaluate, budgets=range(1, 101))


@pytest.fixture(scope="module")
def tables():
    optima = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    return [Benchmark(curve(optimum, 0.5 + optimum)) for optimum in optima]


@pytest.fixture(scope="module")
def model(tables, small):
    return train_on(curves_of(tables), 0, settings=small)


def test_meta_data_of_tables(tables):
    data = curves_of(tables)
    assert data.losses.shape == (6, len(data.codes), 12)
    config = SPACE.decode(data.codes[[3]])[0]
    assert data.losses[2, 3, 4] == tables[2].objective(config, CURVE_BUDGETS[4]).loss
    assert data.costs[2, 3] == tables[2].objective(config).cost


def test_tables_of_different_grids_share_the_smallest():
    values = [1e-3, 2e-3, 1e-2]
    rates = [Ordinal("rate", chosen) for chosen in (values, [1e-4, *values, 1e-1], [*values, 1e-1])]
    grids = [Space([rate, SPACE["schedule"]]) for rate in rates]
    tables = [Benchmark(curve(0.5, 1.0 + k, grid)) for k, grid in enumerate(grids)]
    data = curves_of(tables[::-1])
    assert data.space == grids[0] and len(data.codes) == 6
    for config, losses in zip(grids[0].decode(data.codes), data.losses[1], strict=True):
        assert losses[-1] == tables[1].objective(config).loss
    with pytest.raises(InvalidConfig):
        curves_of([Benchmark(curve(0.5, 1.0, Space([Ordinal("rate", [0.05]), SPACE["schedule"]]))), *tables])


@pytest.mark.slow
def test_tasks_have_budgets_and_costs_in_proportion(model, tmp_path):
    write_model(model, tmp_path / "curves.h5")
    task = Benchmark(sample(read_model(tmp_path / "curves.h5"), 3)[2])
    assert task.budgets == range(1, 101)
    config = {"rate": 0.01, "schedule": "cosine"}
    costs = [task.objective(config, budget).cost for budget in (1, 10, 55, 100)]
    np.testing.assert_allclose(np.array(costs) / costs[-1], [0.01, 0.1, 0.55, 1.0])
    assert task.objective(config) == task.objective(config, 100)
    with pytest.raises(InvalidBudget, match=r"1\.\.100"):
        task.objective(config, 101)


def test_curves_fall_and_low_budgets_say_less_than_high_ones(model):
    codes = SPACE.encode(SPACE.sample(np.random.default_rng(3), 200))
    for task in map(Benchmark, sample(model, 5)):
        losses = np.array([task.objective_batch(codes, b)[0] for b in (1, 4, 18, 75, 100)])
        assert (np.diff(losses.mean(axis=1)) < 0).all()
        ranks = losses.argsort(axis=1).argsort(axis=1)
        agreement = [np.corrcoef(row, ranks[-1])[0, 1] for row in ranks[:-1]]
        assert agreement[0] < agreement[2] < agreement[3]
        assert agreement[3] > 0.9


def test_batch_equals_single_at_every_budget(model):
    task = Benchmark(sample(model, 2)[1])
    configs = SPACE.sample(np.random.default_rng(0), 10)
    for budget in (1, 33, 100):
        losses, costs = task.objective_batch(configs, budget)
        single = [task.objective(c, budget) for c in configs]
        np.testing.assert_allclose(losses, [r.loss for r in single], rtol=1e-13)
        np.testing.assert_allclose(costs, [r.cost for r in single], rtol=1e-13)


def test_a_multi_fidelity_optimizer_runs(model):
    result = run(Benchmark(sample(model, 1)[0]), "hyperband", n_trials=150, seed=0)
    assert len({trial.result.budget for trial in result.trials}) > 2


def test_without_tables_there_is_nothing_to_learn_from(monkeypatch):
    monkeypatch.setattr(sources, "benchmarks", dict)
    with pytest.raises(NotRecorded, match="mini"):
        sources.curves()
