import numpy as np
import pytest

from hpo_core import Benchmark, Float, Result, SimpleProblem, Space, noisy, shifted, subset, with_budgets
from hpo_core.errors import InvalidBudget, InvalidConfig, InvalidOption


def test_noise_has_its_standard_deviation_and_is_pure():
    b = Benchmark(noisy("branin", 0.5))
    config = {"x1": 1.0, "x2": 2.0}
    exact = Benchmark("branin").objective(config).loss
    assert b.objective(config).loss == exact
    losses = np.array([b.objective(config, seed=s).loss for s in range(4000)]) - exact
    assert abs(losses.mean()) < 5 * 0.5 / np.sqrt(4000)
    assert abs(losses.std() / 0.5 - 1) < 5 / np.sqrt(2 * 4000)
    assert b.objective(config, seed=3) == b.objective(config, seed=3)
    assert b.objective({"x1": 1.1, "x2": 2.0}, seed=3).loss - Benchmark("branin").objective(
        {"x1": 1.1, "x2": 2.0}
    ).loss != pytest.approx(losses[3])
    batch, _ = b.objective_batch([config] * 3, seeds=[0, 1, 2])
    assert batch.tolist() == (losses[:3] + exact).tolist()
    assert b.optimum == Benchmark("branin").optimum
    assert b.name == "branin+noise(0.5)"


def test_shift_moves_the_landscape_and_keeps_its_values():
    b = Benchmark(shifted("branin", {"x1": 0.25}))
    inner = Benchmark("branin")
    assert b.objective({"x1": 0.0, "x2": 2.0}).loss == pytest.approx(inner.objective({"x1": 3.75, "x2": 2.0}).loss)
    assert b.objective({"x1": 9.0, "x2": 2.0}).loss == pytest.approx(inner.objective({"x1": -2.25, "x2": 2.0}).loss)
    table = Benchmark("nb201-cifar10")
    moved = Benchmark(shifted(table, {"Op0": 0.4}))
    codes = table.space.grid.codes(np.arange(table.space.grid.size))
    losses, _ = moved.objective_batch(codes)
    assert losses.min() == table.optimum
    expected = codes.copy()
    expected[:, 0] = (codes[:, 0] + 2) % 5
    assert np.array_equal(losses, table.objective_batch(expected)[0])
    config = table.space.decode(codes[77:78])[0]
    assert moved.objective(config).loss == losses[77]


def test_fewer_budgets():
    b = Benchmark(with_budgets("counting-ones-8-8", [72, 648]))
    assert b.budgets == (72, 648)
    assert b.optimum is None
    config = b.space.sample(np.random.default_rng(0))
    assert b.objective(config).budget == 648
    with pytest.raises(InvalidBudget, match="72, 648"):
        b.objective(config, 100)
    with pytest.raises(InvalidBudget, match=r"36\.\.5832"):
        with_budgets("counting-ones-8-8", [1, 648])
    assert Benchmark(with_budgets("counting-ones-8-8", [72, 5832])).optimum == -16.0


def in_range():
    def evaluate(config, budget, seed):
        return Result(config["x"] / budget, 1.0, budget, {})

    space = Space([Float("x", 0, 1), Float("y", 0, 1)])
    return SimpleProblem("ranged", space, evaluate, budgets=(0.1, 1), optimum=0.0, budget_range=(0.05, 1))


def test_wrappers_keep_the_range_of_budgets():
    for wrapped in (noisy(in_range(), 0.1), shifted(in_range(), {"x": 0.25}), subset(in_range(), {"y": 0.5})):
        assert wrapped.budget_range == (0.05, 1) and wrapped.budgets == (0.1, 1)
        assert Benchmark(wrapped).objective(dict.fromkeys(wrapped.space.names, 0.5), 0.07).budget == 0.07


def test_any_budgets_of_a_range_can_be_chosen_and_are_then_the_only_ones():
    b = Benchmark(with_budgets(in_range(), [0.5, 0.07, 1]))
    assert b.budgets == (0.07, 0.5, 1) and b.budget_range is None and b.optimum == 0.0
    with pytest.raises(InvalidBudget, match=r"one of 0\.07, 0\.5, 1"):
        b.objective({"x": 0.5, "y": 0.5}, 0.1)
    with pytest.raises(InvalidBudget, match=r"a number in \[0\.05, 1\], got \[0\.01, 1\]"):
        with_budgets(in_range(), [0.01, 1])
    assert with_budgets(in_range(), [0.2, 0.4]).optimum is None


def test_subset_holds_and_restricts():
    full = Benchmark("protein")
    b = Benchmark(subset("protein", {"batch_size": 8, "n_units_1": [256, 512], "activation_fn_1": ["tanh"]}))
    assert b.space.size == 62208 / 4 / 3 / 2
    assert "batch_size" not in b.space.names
    config = b.space.sample(np.random.default_rng(0))
    assert b.objective(config, seed=1) == full.objective({**config, "batch_size": 8}, seed=1)
    with pytest.raises(InvalidConfig, match="256, 512"):
        b.objective({**config, "n_units_1": 16})
    frame = full.problem.table.frame()
    kept = frame[(frame.batch_size == 8) & frame.n_units_1.isin([256, 512]) & (frame.activation_fn_1 == "tanh")]
    assert b.optimum == kept.loss.min()
    assert Benchmark(subset("branin", {"x1": [1.0, 2.0]})).space["x1"].values == (1.0, 2.0)


def test_a_subset_of_a_list_has_the_listed_configurations_with_the_values():
    whole = Benchmark("openml-rf/3")
    b = Benchmark(subset("openml-rf/3", {"bootstrap": True, "imputation": ["mean", "median"]}))
    frame = whole.problem.table.frame()
    kept = frame[frame.bootstrap & frame.imputation.isin(["mean", "median"])]
    assert b.space.size == len(kept) and "bootstrap" not in b.space.names
    assert b.optimum == kept.loss.min()
    for config in b.space.configs():
        assert b.objective(config) == whole.objective({**config, "bootstrap": True})


def test_wrappers_compose_and_say_so():
    b = Benchmark(noisy(subset(shifted("protein", {"dropout_1": 0.4}), {"batch_size": 8}), 0.01))
    assert b.provenance["wrapped"] == ["shift(dropout_1=0.4)", "subset(batch_size)", "noise(0.01)"]
    config = b.space.sample(np.random.default_rng(0))
    assert b.objective(config, seed=1).loss != b.objective(config).loss


@pytest.mark.parametrize(
    "wrap",
    [
        lambda: noisy("branin", -1.0),
        lambda: noisy("branin", float("nan")),
        lambda: shifted("branin", {"x1": 1.0}),
        lambda: subset("forrester", {"x": 0.5}),
        lambda: shifted("openml-rf/3", {"max_features": 0.1}),
        lambda: subset("openml-rf/3", {"max_features": 0.123}),
    ],
)
def test_impossible_changes_are_refused(wrap):
    with pytest.raises(InvalidOption):
        wrap()


@pytest.mark.parametrize("wrap", [lambda: shifted("branin", {"x3": 0.1}), lambda: subset("branin", {"x3": 0.1})])
def test_unknown_hyperparameters_are_named(wrap):
    with pytest.raises(InvalidConfig, match="x3"):
        wrap()
