"""Dry runs, shards, seeds and walltimes on the command line; missing runs, and runs to remove."""

import pytest

from hpo_leaderboard.store.store import reading

SMALL = ("functions", "--benchmarks", "branin,hartmann3", "--optimizers", "rs,de", "--trials", "4")
RUN = ("leaderboard", *SMALL, "--engine", "serial")


def test_a_dry_run_prints_a_row_per_optimizer(hpo, tmp_path):
    rows = hpo(*RUN, "--seeds", "3", "--dry-run", "--json", "--out", tmp_path).rows
    assert [(row["optimizer"], row["n_runs"], row["n_missing"]) for row in rows] == [("rs", 6, 6), ("de", 6, 6)]
    text = hpo(*RUN, "--dry-run", "--shard", "1/4", "--out", tmp_path).out
    assert "20 runs to run" in text and "Nothing was run" in text
    assert list(tmp_path.iterdir()) == []


def test_shards_are_stored_and_merged_and_what_is_missing_is_told(hpo, tmp_path):
    whole = tmp_path / "all.sqlite"
    for i in (1, 2):
        done = hpo(*RUN, "--seeds", "10:13", "--shard", f"{i}/2", "--store", tmp_path / f"{i}.sqlite")
        assert done.status == 0 and "holds 6 of 6 runs of functions" in done.out
    hpo("store", "merge", whole, tmp_path / "1.sqlite")
    left = hpo("store", "missing", *SMALL, "--seeds", "10:13", whole, "--json")
    assert left.status == 1 and sum(row["n_runs"] for row in left.rows) == 6
    hpo("store", "merge", whole, tmp_path / "2.sqlite")
    assert hpo("store", "missing", *SMALL, "--seeds", "10:13", whole).status == 0
    with reading(whole) as store:
        assert sorted(set(store.frames().runs.seed)) == [10, 11, 12]


def test_the_exit_status_says_that_the_walltime_left_runs_open(hpo, tmp_path):
    cut = hpo(*RUN, "--seeds", "2", "--store", tmp_path / "s.sqlite", "--walltime", "0s")
    assert cut.status == 3
    assert "holds 0 of 8 runs" in cut.out and "the same command goes on" in cut.err


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--shard", "4/3", "i in 1..n"),
        ("--shard", "0/3", "i in 1..n"),
        ("--seeds", "5:5", "A < B"),
        ("--seeds", "0", "N >= 1"),
        ("--walltime", "1 day", "1h30m"),
    ],
)
def test_what_cannot_be_read_is_explained(hpo, option, value, words):
    refused = hpo(*RUN, option, value)
    assert refused.status == 2 and words in refused.err


def test_runs_are_removed_when_that_is_confirmed(hpo, tmp_path):
    path = tmp_path / "s.sqlite"
    hpo(*RUN, "--seeds", "3", "--shard", "1/1", "--store", path)
    chosen = ("store", "remove", path, "--optimizers", "d*", "--benchmarks", "branin", "--seeds", "1:3")
    asked = hpo(*chosen)
    assert asked.status == 1 and "would remove 2 of 12 runs" in asked.out
    assert "removed 2 of 12 runs" in hpo(*chosen, "--yes").out
    with reading(path) as store:
        runs = store.frames().runs
    assert len(runs) == 10
    assert runs[(runs.optimizer == "de") & (runs.benchmark == "branin")].seed.tolist() == [0]
    assert hpo(*chosen, "--yes").status == 1
    refused = hpo("store", "remove", path, "--yes")
    assert refused.status == 2 and "say which runs" in refused.err
