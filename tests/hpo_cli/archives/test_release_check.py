"""The workflow for a library's release check: its commands, called as they stand there."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from small_archives import archive_file, run_store

FILE = Path(__file__).parents[3] / "examples/release_check/release-check.yml"
SUITE = 'name = "mini"\nbenchmarks = ["branin", "hartmann3"]\noptimizers = ["rs"]\nn_trials = 40\n'
SEARCH = """\
from baselines.simple.rs import RandomSearch
from baselines.tpe.tpe import TPE

MySearch = {}
"""


def commands(**values):
    """The calls of `hpo` of the workflow, in their order, with its variables replaced."""
    lines = [line.strip() for line in FILE.read_text().splitlines() if line.strip().startswith("hpo ")]
    for name, value in values.items():
        lines = [line.replace(f'"${name}"', value) for line in lines]
    return [shlex.split(line)[1:] for line in lines]


def test_every_variable_is_set_in_the_workflow():
    text = FILE.read_text()
    used = set(re.findall(r'"\$([A-Z]+)"', text))
    assert used == {"OPTIMIZER", "PACKAGE", "SUITE", "SEEDS"}
    assert all(re.search(rf"^      {name}: ", text, re.MULTILINE) for name in used)


@pytest.mark.slow
def test_a_release_that_is_worse_ends_in_red(hpo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "mini.toml").write_text(SUITE)
    store = run_store(tmp_path / "a.sqlite", ["branin", "hartmann3"], ["rs", "de"], name="mini", n_trials=40)
    archive = archive_file(tmp_path / "a.h5", store)
    monkeypatch.setattr("hpo_leaderboard.archive.shipped.shipped_archive", lambda: archive)
    before, now, diff = commands(OPTIMIZER="my_library:MySearch", SUITE="mini.toml", SEEDS="15")
    for words, made in ((before, "TPE"), (now, "RandomSearch")):
        (tmp_path / "my_library.py").write_text(SEARCH.format(made))
        monkeypatch.delitem(sys.modules, "my_library", raising=False)
        assert hpo(*words, "--engine", "serial").status == 0
    assert (tmp_path / "new/index.html").is_file()
    assert hpo(*diff).status == 1
    assert hpo(*diff[:2], *diff[:1:-1]).status == 0  # the other way round it became better
