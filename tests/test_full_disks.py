"""What is written to a disk without room: one clear error, what was there before, and no half files."""

import resource
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

from hpo_cli.main import main
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite

ROOM = 3000  # bytes of a file


@contextmanager
def little_room():
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


COMMANDS = {
    "run": ["run", "branin", "rs", "--trials", "200", "--out"],
    "statistics": ["table", "stats", "mini-airfoil", "--out"],
    "tasks": ["profet", "sample", "svm", "--n", "2", "--plot"],
    "stop": ["stop", "replay", "runs.csv", "--out"],
    "report": ["report", "s.sqlite", "--out"],
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A directory with a small store and its runs as a CSV file."""
    folder = tmp_path_factory.mktemp("recorded")
    suite = make_suite("small", ["branin"], ["rs", "de"], n_seeds=3, n_trials=25)
    run_experiment(suite, folder / "s.sqlite", SerialEngine())
    assert main(["store", "export", str(folder / "s.sqlite"), "--out", str(folder / "runs.csv")]) == 0
    return folder


@pytest.fixture
def inputs(recorded, tmp_path, monkeypatch):
    shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_one_clear_error_and_leaves_no_half_file(name, inputs, capsys):
    out = "out.png" if name == "tasks" else "out"
    with little_room():
        status = main([*COMMANDS[name], out])
    said = capsys.readouterr().err
    assert status == 2 and "File too large" in said and "out" in said, said
    files = [file for file in Path().glob("out*/**/*") if file.is_file()] + list(Path().glob("*.part"))
    assert [file for file in files if file.suffix == ".part" or file.stat().st_size >= ROOM] == []
    assert main([*COMMANDS[name], out]) == 0
