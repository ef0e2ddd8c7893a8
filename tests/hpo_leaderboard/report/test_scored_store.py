"""A store is read and scored once, for the terminal and for the page."""

import pandas as pd
import pytest

from hpo_cli.main import main
from hpo_core.errors import InvalidOption
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.report import score_store, write_report
from hpo_leaderboard.report.scored import groups
from hpo_leaderboard.scores.fixed_target.targets import random_targets
from hpo_leaderboard.scores.leaderboard import leaderboard
from hpo_leaderboard.store import frames, selection
from hpo_leaderboard.store.store import reading


def made_store(path, benchmarks, optimizers):
    run_experiment(make_suite("s", benchmarks, optimizers, n_seeds=2, n_trials=8), path, SerialEngine())
    return path


def test_groups_have_the_leaderboards_of_their_benchmarks(tmp_path):
    store = made_store(tmp_path / "s.sqlite", ["branin", "counting-ones-4-4"], ["rs", "de", "hyperband"])
    scored = score_store(store)
    assert [group.benchmarks for group in scored.groups] == [("counting-ones-4-4",), ("branin",)]
    with reading(store) as opened:
        tables = opened.frames()
    for group in scored.groups:
        own = (frame[frame["benchmark"].isin(group.benchmarks)].reset_index(drop=True) for frame in tables)
        pd.testing.assert_frame_equal(
            group.board, leaderboard(frames.Frames(*own), targets=random_targets(group.benchmarks))
        )


@pytest.mark.slow
def test_the_command_reads_and_scores_its_store_once(tmp_path, monkeypatch, capsys):
    calls = []

    def counted(name, original):
        def call(*args, **options):
            calls.append(name)
            return original(*args, **options)

        return call

    for module, name in ((selection, "make_frames"), (groups, "incumbents"), (groups, "leaderboard")):
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    suite = ["leaderboard", "functions", "--benchmarks", "branin", "--optimizers", "rs,de", "--seeds", "2"]
    assert main([*suite, "--trials", "8", "--engine", "serial", "--out", str(tmp_path)]) == 0
    assert calls == ["make_frames", "incumbents", "leaderboard"]
    assert "page:" in capsys.readouterr().out


def test_a_store_without_a_trial(tmp_path):
    scored = score_store(made_store(tmp_path / "s.sqlite", ["branin"], ["misbehaving:Raising"]))
    assert scored.groups == [] and len(scored.runs) == 2
    with pytest.raises(InvalidOption, match="hpo store info"):
        write_report(scored, tmp_path / "page")
