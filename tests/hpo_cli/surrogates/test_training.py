"""`hpo surrogate`: from a CSV file to a benchmark, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from hpo_core import Benchmark
from tabular.surrogates import choice
from tabular.surrogates.trees.fitting import Boosting


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A file of 120 evaluations of two tasks, and a choice among few models."""
    monkeypatch.setattr(choice, "settings_for", lambda records: [Boosting(leaves=8, n_trees=40, rate=0.2)])
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"lr": 10 ** rng.uniform(-4, -1, 120), "depth": rng.integers(1, 9, 120)})
    rows["error"] = (np.log10(rows["lr"]) + 2.5) ** 2 + 1 / rows["depth"]
    rows["seconds"] = 2.0 * rows["depth"]
    rows["task"] = np.repeat(["a", "b"], 60)
    rows.to_csv(tmp_path / "results.csv", index=False)
    return tmp_path / "results.csv"


TRAIN = ("--loss", "error", "--cost", "seconds", "--config", "lr,depth", "--name", "own")


@pytest.mark.slow
def test_a_file_becomes_a_benchmark(hpo, cache, results, tmp_path):
    trained = hpo("surrogate", "train", results, *TRAIN, "--out", tmp_path / "own.h5")
    assert trained.status == 0 and "not used: task" in trained.out and "120 rows" in trained.out
    rows = {row["name"]: row for row in hpo("surrogate", "list", "--json").rows}
    assert rows["own"]["configurations"] == 120 and rows["own"]["spearman"] > 0.8
    assert "lowest of" in hpo("surrogate", "info", "own").out
    b = Benchmark("own")
    assert b.space["lr"].log and b.objective({"lr": 0.003, "depth": 8}).cost == pytest.approx(16, rel=0.2)
    assert hpo("run", "own", "rs", "--trials", "3").status == 0
    assert hpo("surrogate", "import", tmp_path / "own.h5", "--name", "theirs").status == 0
    assert Benchmark("theirs").objective({"lr": 0.003, "depth": 8}) == b.objective({"lr": 0.003, "depth": 8})
    assert hpo("surrogate", "remove", "own").status == 0
    assert hpo("run", "own", "rs", "--trials", "3").status == 2


@pytest.mark.slow
def test_rows_are_chosen_by_their_values(hpo, cache, results):
    assert "60 rows" in hpo("surrogate", "train", results, *TRAIN, "--where", "task=b").out
    assert "no row has it" in hpo("surrogate", "train", results, *TRAIN, "--where", "task=c").err


@pytest.mark.slow
def test_what_is_refused_leaves_no_benchmark(hpo, cache, results):
    too_good = hpo("surrogate", "train", results, *TRAIN, "--min-correlation", "0.99999")
    assert too_good.status == 2 and "held-out rank correlation must be at least" in too_good.err
    taken = hpo("surrogate", "train", results, "--loss", "error", "--name", "lcbench")
    assert taken.status == 2 and "'lcbench' is the name of a benchmark or family" in taken.err
    assert "did you mean error" in hpo("surrogate", "train", results, "--loss", "eror", "--name", "own").err
    assert {row["state"] for row in hpo("surrogate", "list", "--json").rows} == {"comes with the package"}
