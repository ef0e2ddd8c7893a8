"""Experiments: what is there is not run again, what is asked for is there in the end, and it costs little."""

import os
import signal
import subprocess
import sys
import time

import pytest

from hpo_cli.main import main
from hpo_core import Benchmark, run
from hpo_core.names import make_optimizer
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.execution import TimedOptimizer
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import changed, make_suite
from hpo_leaderboard.store.store import reading

SUITE = make_suite("small", ["branin", "hartmann3"], ["rs", "re"], n_seeds=3, n_trials=5)


class Recording:
    """A serial engine that notes what it was asked for, and may stop after some jobs."""

    def __init__(self, stop_after=None, error=KeyboardInterrupt):
        self.asked, self.stop_after, self.error = [], stop_after, error

    def results(self, jobs):
        jobs = list(jobs)
        self.asked = [(job.benchmark.label, job.optimizer.label, job.seed) for job in jobs]
        for count, result in enumerate(SerialEngine().results(jobs)):
            if count == self.stop_after:
                raise self.error
            yield result


def test_asking_again_runs_nothing_and_asking_for_more_runs_the_rest(tmp_path):
    path = tmp_path / "s.sqlite"
    first = run_experiment(SUITE, path, SerialEngine())
    assert (first.n_asked, first.n_present, first.failures, first.n_open, first.lost) == (12, 0, {}, 0, [])
    again = Recording()
    second = run_experiment(SUITE, path, again)
    assert again.asked == []
    assert (second.n_present, second.digest) == (12, first.digest)
    third = run_experiment(changed(SUITE, n_seeds=4, optimizers=["re"]), path, again)
    assert again.asked == [("branin", "re", 3), ("hartmann3", "re", 3)]
    assert third.digest != first.digest


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_what_is_finished_is_stored_when_it_is_interrupted(tmp_path, error):
    path = tmp_path / "s.sqlite"
    with pytest.raises(error):
        run_experiment(SUITE, path, Recording(stop_after=5, error=error))
    with reading(path) as store:
        assert len(store.settled()) == 5
    rest = Recording()
    outcome = run_experiment(SUITE, path, rest)
    assert len(rest.asked) == 7
    assert outcome.digest == run_experiment(SUITE, tmp_path / "other.sqlite", SerialEngine()).digest


def test_failures_are_counted_and_those_of_circumstances_tried_again(tmp_path):
    names = ["misbehaving:Raising", "misbehaving:NeedsFile", "misbehaving:Sampling"]
    suite = make_suite("own", ["misbehaving:line"], names, n_seeds=2, n_trials=5)
    outcome = run_experiment(suite, tmp_path / "s.sqlite", SerialEngine())
    assert sorted(outcome.failures.values()) == [2, 2]
    assert outcome.n_open == 2
    again = Recording()
    run_experiment(suite, tmp_path / "s.sqlite", again)
    assert {optimizer for _, optimizer, _ in again.asked} == {"misbehaving:NeedsFile"}
    with reading(tmp_path / "s.sqlite") as store:
        runs = store.frames().runs
    assert runs.failure.notna().sum() == 4
    assert runs[runs.optimizer == "misbehaving:Raising"].reason.tolist() == ["broke", "broke"]


@pytest.mark.slow
def test_an_optimizer_that_changed_is_run_again(tmp_path):
    script = (
        "import sys; from test_experiment import Recording, make_suite, run_experiment\n"
        "suite = make_suite('own', ['branin'], ['changing_search:make'], n_seeds=1, n_trials=3)\n"
        "engine = Recording(); run_experiment(suite, sys.argv[1], engine); print(len(engine.asked))\n"
    )
    source = "from baselines.simple.rs import RandomSearch\ndef make(space, **o): return RandomSearch(space, **o)"
    commented = source + "  # the same"
    changed_code = source.replace("Search(space, **o)", "Search(space, **dict(o))")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), str(tmp_path), *sys.path])}

    def n_run(text):
        (tmp_path / "changing_search.py").write_text(text)
        command = [sys.executable, "-B", "-c", script, str(tmp_path / "s.sqlite")]
        return int(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)

    assert [n_run(source), n_run(commented), n_run(changed_code), n_run(source)] == [1, 0, 1, 0]


@pytest.mark.slow
def test_control_c_stores_what_is_finished(tmp_path):
    path = tmp_path / "s.sqlite"
    script = (
        "import sys; from hpo_leaderboard.experiments.suite import make_suite\n"
        "from hpo_leaderboard.experiments.experiment import run_experiment\n"
        "from hpo_leaderboard.engines import make_engine\n"
        "suite = make_suite('own', ['misbehaving:line'], ['misbehaving:Sampling'], n_seeds=500, n_trials=2)\n"
        "run_experiment(suite, sys.argv[1], make_engine('processes', processes=2))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MISBEHAVING_SLEEP": "0.05"}
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # also where the tests run in the background
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.1)
        if path.exists():
            try:
                with reading(path) as store:
                    if store.settled():
                        break
            except OSError:
                continue  # not made yet
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert errors.count("Traceback") == 1  # the coordinator's own; its workers do not see the signal
    with reading(path) as store:
        assert 0 < len(store.settled()) < 500
        assert list(store.damages()) == []


def test_the_bar_shows_the_rate_and_what_is_left(tmp_path, capsys):
    run_experiment(changed(SUITE, n_seeds=1), tmp_path / "s.sqlite", SerialEngine())
    run_experiment(SUITE, tmp_path / "s.sqlite", SerialEngine(), progress=True)
    bar = capsys.readouterr().err
    assert "4/12" in bar
    assert "12/12" in bar
    assert "run/s" in bar


def test_the_overhead_is_the_cpu_time_of_ask_and_tell():
    class Busy:
        def __init__(self, asking, telling, sleeping):
            self.asking, self.telling, self.sleeping = asking, telling, sleeping

        def ask(self):
            burn(self.asking)
            time.sleep(self.sleeping)

        def tell(self, proposal, loss, cost):
            burn(self.telling)

    def burn(seconds):
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass

    for asking, telling, sleeping, outside in ((0.05, 0.1, 0.0, 0.15), (0.1, 0.0, 0.1, 0.0)):
        timed = TimedOptimizer(Busy(asking, telling, sleeping))
        timed.ask()
        timed.tell(None, 0.0, 0.0)
        burn(outside)
        assert timed.overhead() == pytest.approx(asking + telling, rel=0.5)


@pytest.mark.slow
def test_experiment_and_store_take_little_of_a_core(tmp_path):
    n_runs, best = 60, []
    b = Benchmark("protein")
    for repetition in range(4):
        start = time.process_time()
        for seed in range(n_runs):
            run(b, make_optimizer("rs", b.space, b.budgets, seed), n_trials=100, seed=seed)
        bare = time.process_time() - start
        suite = make_suite("one", ["protein"], ["rs"], n_seeds=n_runs)
        start = time.process_time()
        run_experiment(suite, tmp_path / f"{repetition}.sqlite", SerialEngine())
        best.append((time.process_time() - start - bare) / n_runs)
    assert min(best) < 6e-3  # seconds: some four times what docs/speed.md says


@pytest.mark.slow
def test_the_command_line_ranks_optimizers_that_ran_on_the_same_benchmarks(no_page, tmp_path, capsys):
    arguments = ["leaderboard", "functions", "--benchmarks", "branin,counting-ones-4-4,hartmann3"]
    arguments += ["--optimizers", "rs,hyperband", "--seeds", "2", "--trials", "3", "--engine", "serial"]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    first, second, _ = capsys.readouterr().out.split("\n\n")
    assert first.startswith("on branin, hartmann3\n")
    assert "hyperband" not in first
    assert second.startswith("on counting-ones-4-4\n")
    assert "hyperband" in second


@pytest.mark.slow
def test_the_command_line_names_some_of_many_benchmarks(no_page, tmp_path, capsys):
    arguments = ["leaderboard", "functions", "--benchmarks", "profet-svm/0..9", "--optimizers", "rs,re"]
    assert main([*arguments, "--seeds", "2", "--trials", "2", "--engine", "serial", "--out", str(tmp_path)]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("on profet-svm/0, ") and first.endswith("profet-svm/6, and 3 more")


@pytest.mark.slow
def test_the_command_line(no_page, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["leaderboard", "functions", "--benchmarks", "branin,hartmann3", "--optimizers", "rs,re"]
    arguments += ["--seeds", "2", "--trials", "5", "--engine", "serial"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert out.startswith("on branin, hartmann3\noptimizer ")
    assert {line.split()[0] for line in out.splitlines()[2:4]} == {"rs", "re"}
    assert "leaderboard/functions.sqlite (8 runs" in out
    with reading("leaderboard/functions.sqlite") as store:
        assert len(store.settled()) == 8
    assert main([*arguments, "--store", "other.sqlite"]) == 0
    assert main(["leaderboard", "functions", "--benchmarks", "branin,branim", *arguments[4:]]) == 2
    captured = capsys.readouterr()
    assert "did you mean branin" in captured.err
    assert "optimizer " in captured.out
    assert main(["leaderboard", "functoins"]) == 2
    assert "functions" in capsys.readouterr().err
    assert main([*arguments, "--address", "tcp://127.0.0.1:8786"]) == 2
