"""Two reports into one directory at the same time: every file is whole, and nothing is left over."""

import multiprocessing

import pytest

from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.report import write_report


@pytest.mark.slow
def test_two_reports_of_one_store_into_one_directory_are_one_report(tmp_path):
    store = tmp_path / "s.sqlite"
    run_experiment(make_suite("own", ["forrester"], ["rs", "de"], n_seeds=3, n_trials=5), store, SerialEngine())
    write_report(store, tmp_path / "alone")
    fork = multiprocessing.get_context("fork")
    both = [fork.Process(target=write_report, args=(store, tmp_path / "both")) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    assert contents(tmp_path / "both") == contents(tmp_path / "alone")


def contents(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
