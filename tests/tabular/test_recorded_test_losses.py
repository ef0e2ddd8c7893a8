"""Test losses that come from recorded runs: their values, and what is said where there is none."""

import numpy as np
import pytest

from hpo_core import Benchmark
from hpo_core.errors import NotRecorded
from tabular import open_table


@pytest.mark.parametrize(
    ("name", "share"), [("protein", 0.650), ("slice", 0.649), ("naval", 0.629), ("parkinsons", 0.672)]
)
def test_about_two_thirds_of_the_configurations_have_a_test_loss(name, share):
    table = open_table(name)
    assert abs((~np.isnan(table.mean("test_loss"))).mean() - share) < 0.002
    best = np.argsort(table.mean("loss"))[:100]
    assert (~np.isnan(table.mean("test_loss")[best])).all()
    known = ~np.isnan(table.columns["test_loss"])
    assert np.corrcoef(np.log(table.values("loss")[known]), np.log(table.values("test_loss")[known]))[0, 1] > 0.99


def test_the_mean_is_over_all_four_repetitions_where_that_was_recorded():
    table = open_table("protein")
    single, mean = table.values("test_loss"), table.columns["mean_test_loss"]
    whole = ~np.isnan(single).any(axis=1) & ~np.isnan(mean)
    assert whole.sum() > 900
    np.testing.assert_allclose(single[whole].mean(axis=1), mean[whole], rtol=3e-7)
    partial = ~np.isnan(mean) & np.isnan(single).any(axis=1)
    assert np.array_equal(table.mean("test_loss")[partial], mean[partial].astype(float))


def test_the_best_of_protein_is_printed_with_this_test_error():
    """Klein (2020), table 7.4: the configuration with the lowest validation error has a test error of .2154."""
    benchmark = Benchmark("protein")
    assert benchmark.objective(benchmark.problem.best()).info["test_loss"] == pytest.approx(0.21537, abs=5e-6)


def test_what_is_not_recorded_is_left_out_and_named():
    benchmark = Benchmark("protein")
    table = benchmark.problem.table
    without = int(np.flatnonzero(np.isnan(table.mean("test_loss")))[0])
    info = benchmark.objective(benchmark.space.grid.config(without)).info
    assert "test_loss" not in info and "mean_test_loss" not in info and info["not_recorded"] == "test_loss"
    some = int(np.flatnonzero(np.isnan(table.columns["test_loss"]).any(axis=1) & ~np.isnan(table.mean("test_loss")))[0])
    config = benchmark.space.grid.config(some)
    found = ["test_loss" in benchmark.objective(config, seed=seed).info for seed in range(4)]
    assert found == (~np.isnan(table.columns["test_loss"][some])).tolist()


def test_a_column_with_gaps_cannot_be_the_loss():
    with pytest.raises(NotRecorded, match="recorded for 65% of its configurations"):
        Benchmark("protein", metric="test_loss")


@pytest.mark.parametrize(("name", "accuracy"), [("cifar10", 94.47), ("cifar100", 74.28), ("imagenet", 47.3333)])
def test_nas_bench_201_has_a_test_error_for_every_cell(name, accuracy):
    table = open_table(f"nb201-{name}")
    errors = table.columns["test_loss"]
    assert not np.isnan(errors).any()
    assert errors.min() == pytest.approx(1.0 - accuracy / 100.0, abs=1e-6)
    order = np.argsort(np.argsort(table.mean("loss"))), np.argsort(np.argsort(errors))
    assert np.corrcoef(*order)[0, 1] > 0.98


def test_sources_and_licences_are_in_the_provenance():
    for name in ("protein", "nb201-cifar10"):
        said = Benchmark(name).provenance["test_loss"]
        assert said["licence"] == "Apache-2.0" and "commit" in said["source"]
