"""Forward selection of features: what is added, what it costs, and what cannot be selected from."""

import numpy as np
import pytest

pytest.importorskip("xgboost", reason="selections need the extra 'collect'")

from fcnet_data.collection import feature_selection
from fcnet_data.collection.collecting import collect
from fcnet_data.collection.feature_selection import SPACE, SelectionTable, forward_selection
from fcnet_data.datasets import InvalidDataset, open_dataset
from fcnet_data.datasets.splits import split
from hpo_core.errors import InvalidOption
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Ordinal
from tabular import read_table
from tabular.families import open_table, shipped_path

CONFIG = {"learning_rate": 0.3, "max_depth": 2, "colsample_bytree": 1.0, "reg_alpha": 0.0}


def test_each_step_adds_the_candidate_with_the_lowest_error(monkeypatch):
    """Errors are made up, the mean of the chosen columns over 100, and all columns are candidates."""
    asked = []

    def errors(config, parts, columns, seed):
        asked.append(list(columns))
        return sum(columns) / len(columns) / 100, 0.5

    monkeypatch.setattr(feature_selection, "_errors", errors)
    monkeypatch.setattr(feature_selection, "N_CANDIDATES", 99)
    parts = split(open_dataset("breast-cancer"))
    numbers = forward_selection(CONFIG, parts, 4, 0)
    assert numbers[0].tolist() == pytest.approx([0.0, 0.005, 0.01, 0.015])
    assert len(asked) == 30 + 29 + 28 + 27
    assert (np.diff(numbers[2]) > 0).all()


def test_a_selection_is_a_function_of_its_seed():
    parts = split(open_dataset("breast-cancer"))
    first, again, other = (forward_selection(CONFIG, parts, 4, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first[:2], again[:2])
    assert (first[:2] != other[:2]).any()
    assert first[0, -1] < 0.15


def test_a_collected_table_continues_a_selection(tmp_path):
    space = Space(
        [Ordinal(h.name, h.values[:2] if h.name == "max_depth" else h.values[-1:]) for h in SPACE], name="few"
    )
    work = SelectionTable("few", "breast-cancer", space, n_features=3)
    table = read_table(collect(work, tmp_path / "few.h5", n_threads=1, progress=False))
    assert table.columns["loss"].shape == (2, 1, 3) and table.resumable and table.budget_unit == "features"
    assert (np.diff(table.columns["cost"], axis=2) > 0).all()
    assert work.is_saved(tmp_path / "few.h5")


def test_what_cannot_be_selected_from_is_refused():
    with pytest.raises(InvalidDataset, match="needs 2 classes and as many features"):
        SelectionTable("x", "digits").measure(0)
    with pytest.raises(InvalidOption, match="at least 2 features"):
        SelectionTable("x", "spambase", n_features=1)


def test_the_shipped_table_is_small_and_says_where_it_comes_from():
    assert shipped_path("features-spambase").stat().st_size < 1_000_000
    table = open_table("features-spambase")
    losses = table.columns["loss"]
    assert losses.shape == (72, 1, 50) and np.isfinite(losses).all() and table.resumable
    assert losses[..., -1].mean() < losses[..., 9].mean() < losses[..., 0].mean()
    assert (np.diff(table.columns["cost"], axis=2) > 0).all()
    assert {"dataset", "split", "licence", "source", "versions", "collection"} <= set(table.provenance)
