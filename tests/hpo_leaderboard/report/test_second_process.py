"""A second process that draws changes nothing but the time, whatever becomes of it."""

import subprocess

import matplotlib
import pandas as pd
import pytest

from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.report import page, second_process, write_report
from hpo_leaderboard.report.scored.groups import with_slices, without_slices
from hpo_leaderboard.report.scored.whole_store import score_store
from hpo_leaderboard.report.second_process import SecondProcess

SUITE = make_suite(
    "two", ["counting-ones-4-4", "branin", "forrester"], ["rs", "de", "hyperband"], n_seeds=3, n_trials=12
)


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A store with two groups, and the files of its report by one process."""
    folder = tmp_path_factory.mktemp("alone")
    run_experiment(SUITE, folder / "two.sqlite", SerialEngine())
    write_report(folder / "two.sqlite", folder / "out")
    return folder / "two.sqlite", files_of(folder / "out")


@pytest.fixture
def drawn_there(monkeypatch):
    """A second process for every report; figures that it drew."""
    drawn, draw = [], SecondProcess.draw

    def noted(self, task):
        drawn.append(draw(self, task))
        return drawn[-1]

    monkeypatch.setattr(page, "LARGE", range(1, 10**9))
    monkeypatch.setattr(second_process, "_n_cores", lambda: 2)
    monkeypatch.setattr(SecondProcess, "draw", noted)
    return drawn


def only_there(monkeypatch):
    """Let the first process draw only what the second one leaves."""
    monkeypatch.setattr(second_process.Thread, "start", second_process.Thread.run)
    monkeypatch.setattr(second_process.Thread, "join", lambda self: None)


def test_files_drawn_by_the_other_process_are_the_same(alone, drawn_there, monkeypatch, tmp_path):
    store, files = alone
    only_there(monkeypatch)
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9}):  # of a session, which the other does not know
        write_report(store, tmp_path / "out")
        assert matplotlib.rcParams["font.size"] == 30
    assert len(drawn_there) == 2 * len(second_process.FIGURES)
    assert None not in drawn_there
    assert files_of(tmp_path / "out") == files


def test_both_processes_draw(alone, drawn_there, tmp_path):
    store, files = alone
    write_report(score_store(store), tmp_path / "out")
    assert files_of(tmp_path / "out") == files


@pytest.mark.parametrize("when", ["begin", "draw"])
def test_what_a_process_that_died_had_taken_is_drawn_here(alone, drawn_there, monkeypatch, tmp_path, when):
    store, files = alone
    only_there(monkeypatch)
    usual = getattr(SecondProcess, when)

    def killed(self, *arguments):
        self._process.kill()
        self._process.wait()
        return usual(self, *arguments)

    monkeypatch.setattr(SecondProcess, when, killed)
    write_report(store, tmp_path / "out")
    assert not drawn_there
    assert files_of(tmp_path / "out") == files


def test_a_report_needs_no_second_process(alone, drawn_there, monkeypatch, tmp_path):
    def refused(*_, **__):
        raise OSError("no room for another process")

    store, files = alone
    monkeypatch.setattr(subprocess, "Popen", refused)
    write_report(store, tmp_path / "out")
    assert not drawn_there
    assert files_of(tmp_path / "out") == files


def test_the_process_ends_with_the_report(drawn_there):
    with second_process.second_process(True) as second:
        assert second._process.poll() is None
    assert second._process.poll() is not None
    with second_process.second_process(False) as second:
        assert second is None


def test_a_group_is_whole_again_in_the_other_process(alone):
    for group in score_store(alone[0]).groups:
        again = with_slices(without_slices(group))
        assert list(again.of) == list(group.of)
        for name, own in group.of.items():
            pd.testing.assert_frame_equal(again.of[name].reset_index(drop=True), own.reset_index(drop=True))
