"""What is written to a disk without room: one clear error, what was there before, and no half files."""

import resource
from contextlib import contextmanager
from pathlib import Path

import pytest

from hpo_cli.main import main

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


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small = ["--benchmarks", "branin", "--optimizers", "rs,de", "--seeds", "3", "--trials", "25"]
    assert main(["leaderboard", "quick", *small, "--engine", "serial", "--store", "s.sqlite", "--out", "there"]) == 0
    assert main(["store", "export", "s.sqlite", "--out", "runs.csv"]) == 0


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
