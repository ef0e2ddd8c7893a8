"""`hpo table import results.csv`."""

import pytest

from hpo_core import Benchmark
from tabular.families import own_tables

CSV = "lr,depth,act,epoch,err,secs,auc\n" + "".join(
    f"{lr},{depth},{act},{epoch},{lr * depth / epoch + len(act) / 100},{depth * epoch},{lr}\n"
    for lr, depth, act in ((0.1, 1, "relu"), (0.033, 2, "tanh"), (0.5, 4, "relu"), (0.0007, 9, "sigmoid"))
    for epoch in (1, 2, 4)
)


@pytest.fixture
def results(tmp_path, cache):
    (tmp_path / "results.csv").write_text(CSV)
    return tmp_path / "results.csv"


def test_a_csv_file_becomes_a_benchmark(hpo, results):
    arguments = ["--loss", "err", "--cost", "secs", "--budget", "epoch", "--config", "lr,depth,act", "--name", "own"]
    answer = hpo("table", "import", results, *arguments)
    assert answer.status == 0
    for words in ("imported own: 4 configurations, listed", "lr", "on a log scale", "categorical", "column err", "auc"):
        assert words in answer.out
    b = Benchmark("own")
    result = b.objective({"lr": 0.5, "depth": 4, "act": "relu"}, 2)
    assert (result.loss, result.cost, result.info) == (0.5 * 4 / 2 + 0.04, 8.0, {"auc": 0.5})
    assert "own" in hpo("list").out and "4 configurations" in hpo("table", "info", "own").out
    assert hpo("table", "remove", "own").status == 0 and not own_tables.names()


def test_the_name_is_the_file_s_own_by_default(hpo, results):
    assert hpo("table", "import", results, "--loss", "err").status == 0
    assert own_tables.names() == ["results"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--loss must name the column to minimise; the columns of"),
        (["--loss", "er"], "did you mean err"),
        (["--loss", "err", "--name", "protein"], "--replace"),
        (["--loss", "err", "--name", "a/b"], "letters, digits"),
        (["--loss", "err", "--name", "branin"], "no table"),
        (["--loss", "err", "--budget", "secs", "--config", "lr,depth,act"], "has none at"),
    ],
)
def test_bad_arguments(hpo, results, arguments, words):
    status, _, err = hpo("table", "import", results, *arguments)
    assert status == 2 and words in err
    assert not own_tables.names()


def test_columns_go_with_a_csv_file(hpo, tmp_path, cache):
    (tmp_path / "t.h5").write_bytes(b"")
    status, _, err = hpo("table", "import", tmp_path / "t.h5", "--loss", "x", "--budget", "y")
    assert status == 2 and "--loss, --budget go with a CSV file" in err
