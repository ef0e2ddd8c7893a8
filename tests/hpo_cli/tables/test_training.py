"""`hpo table train` and `hpo table subsets` on a user's file."""

import numpy as np
import pytest

pytest.importorskip("numba", reason="training needs the extra 'collect'")

from fcnet_data.collection import own_table
from hpo_core import Benchmark
from tabular import open_table

TINY = ["n_units_1=16", "n_units_2=16", "batch_size=64", "init_lr=0.005,0.05", "dropout_1=0", "dropout_2=0"]
QUICK = ["--grid", *TINY, "--repetitions", "2", "--epochs", "3"]


@pytest.fixture
def houses(tmp_path):
    """A file with the price first and the number of floors, 1 to 3, last."""
    rng = np.random.default_rng(0)
    lines = []
    for i in range(60):
        size, floors = rng.uniform(40, 200), i % 3 + 1
        lines.append(f"{3 * size + 50 * floors + rng.normal():.2f},{size:.1f},{'town' if i % 2 else 'land'},{floors}")
    path = tmp_path / "my houses.csv"
    path.write_text("price,size,place,floors\n" + "\n".join(lines))
    return path


def test_a_regression_on_the_first_column_becomes_a_benchmark(hpo, cache, houses):
    answer = hpo("table", "train", houses, "--target", "price", "--name", "houses", *QUICK)
    assert answer.status == 0
    assert answer.out.splitlines()[:3] == [
        "data: my houses, 60 rows, 3 features; categories: place (2 values)",
        "target: first column 'price', regression since it holds numbers that are not whole: "
        + f"{open_prices(houses).min():g} to {open_prices(houses).max():g}",
        "training: 16 configurations x 2 repetitions x 3 epochs, seconds",
    ]
    assert 'Benchmark("houses") is ready' in answer.out and "next: hpo run houses tpe" in answer.out
    b = Benchmark("houses")
    assert list(b.budgets) == [1, 2, 3] and b.optimum > 0
    assert open_table("houses").provenance["target"] == "price, regression"
    run = hpo("run", "houses", "hyperband", "--trials", "5")
    assert run.status == 0 and "5 were started" in run.out


def open_prices(path):
    return np.array([float(line.split(",")[0]) for line in path.read_text().splitlines()[1:]])


def test_classes_are_understood_and_printed_and_can_be_amounts(hpo, cache, houses):
    answer = hpo("table", "train", houses, *QUICK)
    assert answer.status == 0
    assert (
        "target: last column 'floors', classification into 3 classes since it holds 3 different whole numbers: "
        "1 (20 rows), 2 (20), 3 (20)\nif these whole numbers are amounts: --task regression\n"
    ) in answer.out
    assert open_table("my-houses").units["loss"] == "share of wrong classes"
    amounts = hpo("table", "train", houses, "--task", "regression", "--name", "floors", *QUICK)
    assert "target: last column 'floors', regression: 1 to 3\n" in amounts.out
    assert open_table("floors").units["loss"].startswith("mean squared error")


def test_a_file_is_written_as_before_and_imported_afterwards(hpo, cache, houses, tmp_path):
    out = tmp_path / "houses.h5"
    answer = hpo("table", "train", houses, "--target", "place", "--out", out, *QUICK)
    assert answer.status == 0 and f"wrote {out}" in answer.out
    assert f"next: hpo table import {out} --name my-houses" in answer.out
    assert not cache.exists()
    assert hpo("table", "import", out, "--name", "my-houses").status == 0
    assert open_table("my-houses").provenance["collection"]["target"] == "place"
    assert "letters" not in hpo("table", "info", "my-houses").err


def test_names_that_are_taken(hpo, cache, houses, monkeypatch):
    assert hpo("table", "train", houses, *QUICK).status == 0
    same = hpo("table", "train", houses, *QUICK)
    assert same.status == 0 and "is ready" in same.out
    other = hpo("table", "train", houses, "--seed", "1", *QUICK)
    assert other.status == 2 and "another table of yours" in other.err
    assert hpo("table", "train", houses, "--seed", "1", "--replace", *QUICK).status == 0
    assert open_table("my-houses").provenance["collection"]["seed"] == 1
    monkeypatch.setattr(own_table, "collect", None)
    built_in = hpo("table", "train", houses, "--name", "protein", *QUICK)
    assert built_in.status == 2 and "built-in table" in built_in.err and built_in.out == ""
    both = hpo("table", "train", houses, "--replace", "--out", "a.h5", *QUICK)
    assert both.status == 2 and "--replace" in both.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--target", "prize"), "did you mean price"),
        (("--target", "place", "--task", "regression"), "is not a number, 'land' for example"),
        (("--target", "price", "--task", "classification"), "with one row"),
        (("--rows", "5"), "a split into three parts needs at least 10"),
    ],
)
def test_bad_input_is_explained(hpo, cache, houses, arguments, message):
    status, _, err = hpo("table", "train", houses, *arguments, *QUICK)
    assert status == 2 and message in err and "Traceback" not in err


def test_a_named_dataset_has_a_fixed_target(hpo, cache):
    status, _, err = hpo("table", "train", "diabetes", "--target", "age", *QUICK)
    assert status == 2 and "those of 'diabetes' are fixed" in err


def test_subsets_of_a_file(hpo, cache, houses):
    arguments = ["--values", "2", "--repetitions", "1", "--threads", "1"]
    answer = hpo("table", "subsets", houses, "--target", "place", "--name", "svm", *arguments)
    assert answer.status == 0 and "column 3 of 4 'place'" in answer.out
    assert Benchmark("svm").budgets[0] == 1 / 128
    assert open_table("svm").provenance["collection"]["target"] == "place"


def test_meta_data_of_files(hpo, cache, houses, tmp_path):
    arguments = ["--target", "place", "--configs", "2", "--out", tmp_path / "m.h5"]
    assert hpo("collect", "svm", "--datasets", f"wine,{houses}", *arguments).status == 0
    wrong = hpo("collect", "svm", "--datasets", f"wine,{houses}", "--target", "plaice", *arguments[2:])
    assert wrong.status == 2 and "did you mean place" in wrong.err


def test_help_teaches(hpo):
    text = hpo("table", "train", "--help").out
    for words in ("--target price", "The target is the last column unless", "at most 10 different whole numbers"):
        assert words in text
