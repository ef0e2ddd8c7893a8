"""A name that a worker cannot find is no result: it is refused before, or tried again."""

import subprocess
import sys
from dataclasses import replace

import pytest
from misbehaving import Sampling

from baselines import registry
from hpo_cli.main import main
from hpo_core.errors import InvalidOption
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.engines.resolution import check_names
from hpo_leaderboard.engines.worker import worker_environment
from hpo_leaderboard.experiments.execution import execute
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.store.store import reading


@pytest.fixture
def mine(monkeypatch):
    monkeypatch.setattr(registry, "_ENTRIES", dict(registry._ENTRIES))
    registry.register_optimizer("mine", Sampling)
    return make_suite("own", ["branin"], ["mine", "rs"], n_seeds=2, n_trials=3)


@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_an_optimizer_that_only_this_process_knows_is_refused_while_planning(mine, tmp_path, engine):
    with pytest.raises(InvalidOption, match=r"only this process knows mine; put the class .* MODULE:CLASS"):
        run_experiment(mine, tmp_path / "s.sqlite", make_engine(engine))
    with reading(tmp_path / "s.sqlite") as store:
        assert store.keys() == []
    outcome = run_experiment(mine, tmp_path / "s.sqlite", make_engine("serial"))
    assert (outcome.n_present, outcome.failures) == (0, {})


def test_names_of_packages_and_modules_need_no_look_into_another_process(monkeypatch):
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("a process was started"))
    check_names(make_plan(make_suite("own", ["misbehaving:line"], ["rs", "misbehaving:Sampling"], n_seeds=1)).jobs)


@pytest.mark.slow
def test_what_a_script_defines_is_refused_with_the_way_out(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        """
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from misbehaving import Sampling

class Mine(Sampling):
    pass

run_experiment(make_suite("own", ["branin"], ["__main__:Mine"], n_seeds=1), "s.sqlite", make_engine("processes"))
"""
    )
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=worker_environment(), capture_output=True, text=True
    )
    assert "only this process knows __main__:Mine" in done.stderr


@pytest.mark.parametrize("name", ["not-there", "no_such_module:Search", "misbehaving:NoSuchClass"])
def test_a_name_that_is_missing_where_a_run_is_run_is_no_result(name):
    job = make_plan(make_suite("own", ["branin"], ["rs"], n_seeds=1, n_trials=3)).jobs[0]
    done = execute(replace(job, optimizer=Member(name)))
    assert "UnknownName" in done.failure and not done.settled


@pytest.mark.slow
def test_the_exit_status_is_1_when_all_runs_of_an_optimizer_broke(no_page, tmp_path, capsys):
    names = ["--benchmarks", "branin", "--optimizers", "rs,misbehaving:Raising", "--seeds", "2", "--trials", "4"]
    where = ["--engine", "serial", "--out", str(tmp_path)]
    for _ in range(2):  # the second time nothing is run
        assert main(["leaderboard", "quick", *names, *where]) == 1
        assert "not ranked: misbehaving:Raising, all of whose runs broke" in capsys.readouterr().out
