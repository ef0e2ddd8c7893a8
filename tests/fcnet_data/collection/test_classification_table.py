"""Tables of classifications: what is recorded, against networks trained by the plain reference."""

import numpy as np
import pytest

pytest.importorskip("numba", reason="training needs the extra 'collect'")

import reference_fcnet as reference

from fcnet_data.collection.collecting import collect
from fcnet_data.collection.grids import fcnet_grid
from fcnet_data.collection.table import FcnetTable, training_seed
from fcnet_data.datasets import InvalidDataset, open_dataset, split, standardised
from fcnet_data.fcnet import REGRESSION_SPACE, fcnet_recipe
from hpo_core import Benchmark
from tabular import TableProblem, read_table
from tabular.statistics import all_statistics, budget_correlation, noise

SMALL = ["n_units_1=16", "n_units_2=16", "batch_size=16", "init_lr=0.005", "dropout_1=0.3", "dropout_2=0"]
EPOCHS = 3


@pytest.fixture
def path(tmp_path):
    """Ninety rows of three classes, the class in the first column, as numbers."""
    rng = np.random.default_rng(1)
    kinds = np.repeat([4, 7, 9], [45, 30, 15])
    x = rng.normal(size=(90, 3)) + np.stack([kinds, -kinds, 0 * kinds], axis=1) / 4
    lines = [f"{k},{a:.5f},{b:.5f},{c:.5f}" for k, (a, b, c) in zip(kinds, x, strict=True)]
    (tmp_path / "flowers.csv").write_text("kind,a,b,c\n" + "\n".join(rng.permutation(lines)))
    return str(tmp_path / "flowers.csv")


@pytest.fixture
def work(path):
    return FcnetTable("flowers", path, fcnet_grid(SMALL), n_repetitions=2, epochs=EPOCHS, target="kind")


@pytest.fixture
def table(work, tmp_path):
    return read_table(collect(work, tmp_path / "t.h5", progress=False))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("activation", "schedule", "repetition"), [("relu", "cosine", 0), ("tanh", "const", 1), ("tanh", "cosine", 1)]
)
def test_the_columns_are_those_of_the_reference(table, path, activation, schedule, repetition):
    config = {"activation_fn_1": activation, "activation_fn_2": "relu", "lr_schedule": schedule, "batch_size": 16}
    config |= {"dropout_1": 0.3, "dropout_2": 0.0, "init_lr": 0.005, "n_units_1": 16, "n_units_2": 16}
    parts = standardised(split(open_dataset(path, target="kind")), target=False)
    sets = [(parts[2 * k].astype(np.float32).astype(float), parts[2 * k + 1]) for k in range(3)]
    seed = training_seed(0, REGRESSION_SPACE.grid.index(config), repetition)
    _, curves = reference.train(fcnet_recipe(config), sets, 3, seed, EPOCHS)
    item = table.space.grid.index(config)
    for k, column in enumerate(("train_loss", "loss", "test_loss")):  # shares of wrong classes: the nearest float32
        found = table.columns[column][item, repetition]
        np.testing.assert_array_equal(found, curves[:, k, 1].astype(np.float32))
        counts = curves[:, k, 1] * len(sets[k][0])
        np.testing.assert_allclose(counts, np.rint(counts), atol=1e-9)
    np.testing.assert_allclose(table.columns["cross_entropy"][item, repetition], curves[:, 1, 0], rtol=2e-4)


def test_the_table_says_what_it_holds(table):
    assert set(table.columns) == {"train_loss", "loss", "test_loss", "cross_entropy", "cost", "n_params"}
    assert table.units["loss"] == table.units["test_loss"] == "share of wrong classes"
    assert table.columns["n_params"][0] == 4 * 16 + 17 * 16 + 17 * 3
    card = table.provenance
    assert card["dataset"] == "flowers, 90 rows x 3 features, 3 classes"
    assert card["target"] == "kind, classification"
    assert card["split"] == "54 rows to train on, 18 to validate, 18 to test, stratified by class"
    assert {"target": "kind", "task": "classification", "dataset": "flowers.csv"}.items() <= card["collection"].items()


def test_it_is_a_benchmark_with_curves_and_other_metrics(table):
    b = Benchmark(TableProblem(table))
    config = b.space.grid.config(2)
    found = b.objective(config, budget=2, seed=1)
    assert found.loss == table.columns["loss"][2, 1, 1] and 0 <= found.loss <= 1
    assert found.info["test_loss"] == table.columns["test_loss"][2, 1, 1]
    smooth = Benchmark(TableProblem(table, metric="cross_entropy"))
    assert smooth.objective(config, budget=2, seed=1).loss == table.columns["cross_entropy"][2, 1, 1]
    assert {"metrics", "noise", "importance", "neighbourhood", "budget_correlation"} == set(all_statistics(table))


def test_two_collections_give_the_same_bytes_and_the_task_tells_them_apart(work, path, tmp_path):
    one = collect(work, tmp_path / "1.h5", n_threads=1, progress=False)
    two = collect(work, tmp_path / "2.h5", n_threads=3, progress=False)
    assert one.read_bytes() == two.read_bytes()
    amounts = FcnetTable("flowers", path, work.space, 0, 0, 2, EPOCHS, target="kind", task="regression")
    assert not amounts.is_saved(one) and work.is_saved(one)
    other = read_table(collect(amounts, tmp_path / "3.h5", progress=False))
    assert other.units["loss"].startswith("mean squared error") and "cross_entropy" not in other.columns


def test_a_dataset_of_the_catalogue_may_be_a_classification():
    work = FcnetTable("t", "wine", fcnet_grid(SMALL), n_repetitions=1, epochs=2)
    numbers = work.measure(0)
    assert numbers.shape == (1, 4, 2) and ((numbers[:, :3] >= 0) & (numbers[:, :3] <= 1)).all()
    assert "task" not in work.settings


@pytest.mark.slow
def test_learning_curves_of_real_data_behave_like_those_of_a_regression(tmp_path):
    """As in section 7.2 of Klein (2020): ranks settle with the epochs, and the noise between repetitions falls."""
    grid = ["n_units_1=16,64", "n_units_2=16", "batch_size=32", "dropout_1=0", "dropout_2=0,0.6"]
    work = FcnetTable("digits", "digits", fcnet_grid(grid), n_repetitions=2, epochs=30, n_rows=700)
    table = read_table(collect(work, tmp_path / "t.h5", progress=False))
    ranks = budget_correlation(table, (100,)).loc[[1, 3, 9, 20, 30], "all"].to_numpy()
    assert (np.diff(ranks) > 0).all() and ranks[0] < 0.8 and ranks[-1] == pytest.approx(1)
    assert np.median(noise(table)) < np.median(noise(table, 3)) < np.median(noise(table, 1))
    assert table.mean("loss").min() < 0.08 and np.median(table.mean("loss", 1)) > 0.3


def test_a_target_that_does_not_vary_among_the_training_rows_is_refused(tmp_path):
    path = str(tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("a,y\n30,1\n" + "\n".join(f"{i},0" for i in range(30)))
    with pytest.raises(InvalidDataset, match=r"one value in all of its 19 training rows; use another split seed"):
        for split_seed in range(20):  # one of them leaves the only other value out of the training rows
            FcnetTable("t", path, fcnet_grid(SMALL), 0, split_seed, task="regression").expected_costs()
