"""`hpo leaderboard`, `hpo compare` and `hpo store info` for machines, and their exit status."""

import pytest

ARGUMENTS = ["leaderboard", "functions", "--seeds", "2", "--trials", "5", "--engine", "serial"]


@pytest.fixture
def out(tmp_path, monkeypatch):
    """Where a leaderboard is written to, without its page, which takes most of the time."""
    monkeypatch.setattr("hpo_leaderboard.report.write_report", lambda store, folder: folder / "index.html")
    return tmp_path / "out"


def test_rows_of_a_leaderboard(hpo, out):
    benchmarks = "branin,counting-ones-4-4"
    answer = hpo(*ARGUMENTS, "--benchmarks", benchmarks, "--optimizers", "rs,hyperband", "--out", out, "--json")
    assert answer.status == 0
    assert {(row["optimizer"], *row["benchmarks"], row["n_runs"]) for row in answer.rows} == {
        ("rs", "branin", 2), ("rs", "counting-ones-4-4", 2), ("hyperband", "counting-ones-4-4", 2)
    }  # fmt: skip
    assert f"store: {out / 'functions.sqlite'}" in answer.err and "page: " in answer.err


def test_broken_runs_are_told_at_once_and_by_the_exit_status(hpo, out):
    arguments = (*ARGUMENTS, "--benchmarks", "branin", "--optimizers", "rs,misbehaving:Raising", "--out", out)
    for _ in range(2):  # again from the store, where nothing is run
        answer = hpo(*arguments)
        assert answer.status == 1
        assert "optimizer" in answer.out
    assert (
        "broke on branin, seed 0: ValueError: cannot learn from this"
        in hpo(*arguments, "--store", out / "new.sqlite").err
    )
    answer = hpo(*ARGUMENTS, "--benchmarks", "branin", "--optimizers", "misbehaving:Raising", "--out", out / "all")
    assert answer.status == 1
    assert "nothing to rank" in answer.err
    facts = hpo("store", "info", out / "functions.sqlite", "--json").rows
    assert {"section": "", "name": "runs", "value": 4} in facts
    broke = [fact["value"] for fact in facts if fact["section"] == "broke"]
    assert len(broke) == 1 and broke[0].startswith("misbehaving:Raising on branin")


def test_compare_takes_short_labels(hpo, out):
    optimizers = "rs,misbehaving:Sampling"
    assert hpo(*ARGUMENTS, "--benchmarks", "branin", "--optimizers", optimizers, "--out", out).status == 0
    store = out / "functions.sqlite"
    rows = hpo("compare", store, "Sampling", "r", "--json").rows
    assert [(row["benchmark"], row["a"], row["b"], row["n_a"]) for row in rows] == [
        ("branin", "misbehaving:Sampling", "rs", 2)
    ]
    assert hpo("compare", store, "Sampling", "r").out.splitlines()[0].split()[2:4] == ["misbehaving:Sampling", "rs"]
    assert hpo("compare", store, "sampling", "rs").status == 2


def test_runs_under_other_limits_are_left_out_and_named(hpo, out):
    store = out / "s.sqlite"
    shared = (*ARGUMENTS, "--benchmarks", "branin", "--store", store, "--out", out, "--optimizers")
    assert "left out" not in hpo(*shared, "rs").out
    assert "left out: rs: 2 runs with n_trials=5 on branin" in hpo(*shared, "rs,tpe,de", "--trials", "8").out
    export = ("store", "export", store, "--out", out / "trials.csv")
    assert "left out: " in hpo(*export, "--optimizers", "rs").out
    assert "left out" not in hpo(*export).out
