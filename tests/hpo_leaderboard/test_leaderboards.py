"""Leaderboard, report and comparison as functions."""

from dataclasses import replace

import pandas as pd
import pytest
from misbehaving import Raising, Sampling

import hpo_foundry as hpo
from hpo_core.errors import InvalidOption, UnknownName
from hpo_leaderboard.experiments.run_seeds import run_seed
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.leaderboards import NothingToRank, ranked
from hpo_leaderboard.scores.fixed_target.targets import random_targets
from hpo_leaderboard.scores.incumbents import incumbents
from hpo_leaderboard.scores.leaderboard import leaderboard as ranked_frame
from hpo_leaderboard.store.store import reading

SMALL = {"seeds": 3, "trials": 12, "engine": "serial"}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "runs.sqlite"
    hpo.leaderboard(["branin", "forrester"], ["rs", "de"], store=path, **SMALL)
    return path


def test_a_list_of_benchmarks_is_run_and_ranked(store):
    with reading(store) as opened:
        frames = opened.frames()
    assert len(frames.runs) == 2 * 2 * 3
    assert len(frames.trials) == 2 * 2 * 3 * 12
    board = ranked(store)
    expected = ranked_frame(
        incumbents(frames.trials, frames.tasks), frames.runs, random_targets(["branin", "forrester"])
    )
    pd.testing.assert_frame_equal(board.drop(columns="benchmarks"), expected)
    assert board["benchmarks"].tolist() == ["branin, forrester"] * 2


def test_what_a_store_holds_is_not_run_again(store):
    with reading(store) as opened:
        before = opened.digest()
    again = hpo.leaderboard(["branin", "forrester"], ["rs", "de"], store=store, **SMALL)
    pd.testing.assert_frame_equal(again, ranked(store))
    with reading(store) as opened:
        assert opened.digest() == before


def test_without_a_store_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    board = hpo.leaderboard(["forrester"], ["rs", "de"], **SMALL)
    assert sorted(board["optimizer"]) == ["de", "rs"]
    assert list(tmp_path.iterdir()) == []


def test_a_suite_by_name_and_as_an_object():
    suite = make_suite("mine", ["forrester"], ["rs", "de"], n_seeds=9, n_trials=50)
    board = hpo.leaderboard(suite, seeds=2, trials=8, engine="serial")
    assert board["n_runs"].tolist() == [2, 2]
    named = hpo.leaderboard("functions", ["rs"], seeds=1, trials=2, engine="serial")
    assert "branin" in named["benchmarks"][0]


def test_benchmarks_with_other_optimizers_make_a_table_of_their_own():
    with pytest.warns(UserWarning, match="sh"):  # it needs several budgets
        board = hpo.leaderboard(["forrester", "counting-ones-4-4"], ["rs", "sh"], **SMALL)
    assert [(row.benchmarks, row.optimizer) for row in board.itertuples() if row.optimizer == "sh"] == [
        ("counting-ones-4-4", "sh")
    ]
    assert set(board["benchmarks"]) == {"forrester", "counting-ones-4-4"}


def test_a_class_of_a_module_and_why_runs_broke():
    with pytest.warns(UserWarning, match=r"3 x Raising on forrester: ValueError: cannot learn from this"):
        board = hpo.leaderboard(["forrester"], [Sampling, Raising], **SMALL)
    assert board["optimizer"].tolist() == ["Sampling"]


def test_a_class_that_other_processes_cannot_find_is_refused():
    class Local(Sampling):
        pass

    with pytest.raises(InvalidOption, match=r"importable from a module, got .*Local.*use `run`"):
        hpo.leaderboard(["forrester"], [Local], **SMALL)


def test_finished_runs_are_ranked_and_compared(store):
    runs = [
        replace(hpo.run(name, optimizer, n_trials=12, seed=run_seed(seed, name)), seed=seed)
        for name in ("branin", "forrester")
        for optimizer in ("rs", "de")
        for seed in range(3)
    ]
    columns = ["benchmarks", "optimizer", "rank", "regret", "reached", "wins", "n_runs"]
    pd.testing.assert_frame_equal(hpo.leaderboard(runs)[columns], ranked(store)[columns])
    pd.testing.assert_frame_equal(hpo.compare(runs, "rs", "de"), hpo.compare(store, "rs", "de"))
    with pytest.raises(InvalidOption, match="seeds must be left out, got 3"):
        hpo.leaderboard(runs, seeds=3)


def test_wrong_calls_say_the_way_out():
    with pytest.raises(InvalidOption, match="needs a list of optimizers"):
        hpo.leaderboard(["forrester"])
    with pytest.raises(InvalidOption, match=r"write \['rs'\]"):
        hpo.leaderboard(["forrester"], "rs")
    with pytest.raises(UnknownName, match="no suite 'quik'; did you mean quick"):
        hpo.leaderboard("quik")
    with pytest.warns(UserWarning), pytest.raises(NothingToRank, match="all of its runs broke"):
        hpo.leaderboard(["forrester"], [Raising], **SMALL)


def test_comparison_of_a_store(store):
    compared = hpo.compare(store, "rs", "de")
    assert compared["benchmark"].tolist()[:2] == ["branin", "forrester"]
    assert (compared["n_a"][:2] == 3).all()


@pytest.mark.slow
def test_report_of_a_store(store, tmp_path):
    pytest.importorskip("plotly")
    page = hpo.report(store, tmp_path / "page")
    assert page == tmp_path / "page" / "index.html"
    assert "forrester" in page.read_text()
