"""Engines: the same runs whoever executes them, and what becomes of those that go wrong."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from worker_processes import worker_pids

from hpo_cli.main import main
from hpo_core.errors import InvalidOption, UnknownName
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.engines.processes import ProcessesEngine
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.engines.threads import VARIABLES, one_thread
from hpo_leaderboard.engines.worker import WorkerClosed, WorkerFailed, WorkerProcess
from hpo_leaderboard.experiments.execution import DifferentVersion, execute
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import make_suite

BROAD = make_suite(
    "broad",
    ["branin", "counting-ones-4-4", "nb201-cifar10"],
    ["rs", "re", "de", "hyperband", "asha", "reinforce"],
    n_seeds=2,
    n_trials=9,
    workers=2,
)


@pytest.fixture(scope="module")
def jobs():
    return make_plan(BROAD).jobs


@pytest.fixture(scope="module")
def digests(jobs):
    finished = {job.key: execute(job) for job in jobs}
    assert all(done.failure is None for done in finished.values())
    return {key: done.digest for key, done in finished.items()}


@pytest.mark.slow
@pytest.mark.parametrize("engine", [SerialEngine(), ProcessesEngine(1, None), ProcessesEngine(3, 60.0)])
def test_every_engine_gives_the_same_runs(engine, jobs, digests):
    shuffled = random.Random(0).sample(jobs, len(jobs))
    results = list(engine.results(shuffled))
    assert len(results) == len(jobs)
    assert {job.key: done.digest for job, done in results} == digests
    assert all(job.key == done.key for job, done in results)


@pytest.mark.slow
def test_dask_gives_the_same_runs(jobs, digests, capsys):
    pytest.importorskip("distributed")
    results = list(make_engine("dask", processes=2).results(jobs))
    assert {job.key: done.digest for job, done in results} == digests
    assert len(results) == len(jobs)
    assert "Dask dashboard: http://127.0.0.1:" in capsys.readouterr().err


def test_dask_and_its_address(monkeypatch):
    pytest.importorskip("distributed")
    from hpo_core import clusters
    from hpo_core.clusters import ClusterLost

    monkeypatch.setattr(clusters, "CONNECTING", 0.5)
    with pytest.raises(ClusterLost, match="dask scheduler"):
        list(make_engine("dask", address="tcp://127.0.0.1:9").results([]))


class LostFuture:
    """A future of Dask that ends in an exception."""

    def __init__(self, error):
        self.error = error

    def result(self):
        raise self.error


def test_what_dask_cannot_do_is_tried_again_or_explained():
    distributed = pytest.importorskip("distributed")
    from hpo_core.clusters import ClusterLost
    from hpo_leaderboard.engines.dask import finished_run

    class Client:
        scheduler = None

    job, deaths = jobs_of("Sampling")[0], Counter()
    killed = LostFuture(distributed.KilledWorker("a task", None, 3))
    assert [finished_run(Client, killed, job, deaths) for _ in range(3)] == [None] * 3
    fourth = finished_run(Client, killed, job, deaths)
    assert fourth.failure.startswith("LostWorker")
    assert not fourth.settled
    with pytest.raises(ClusterLost, match="goes on once it is back"):
        finished_run(Client, LostFuture(ConnectionError()), job, deaths)
    with pytest.raises(WorkerFailed, match="No module named 'hpo_core'"):
        finished_run(Client, LostFuture(ModuleNotFoundError("No module named 'hpo_core'")), job, deaths)


def jobs_of(*optimizers, benchmark="misbehaving:line", n_seeds=1):
    return make_plan(
        make_suite("own", [benchmark], [f"misbehaving:{name}" for name in optimizers], n_seeds=n_seeds)
    ).jobs


def outcome(engine, jobs):
    return {job.optimizer.name.partition(":")[2]: done for job, done in engine.results(jobs)}


@pytest.mark.slow
def test_a_run_that_goes_wrong_is_recorded_and_the_others_finish():
    names = [
        "Sampling",
        "Raising",
        "Hanging",
        "Crashing",
        "Exiting",
        "Leaving",
        "OutsideSpace",
        "NoProposal",
        "NeedsFile",
    ]
    done = outcome(ProcessesEngine(2, 1.5), jobs_of(*names))
    for name, settled, words in (
        ("Raising", True, "ValueError: cannot learn from this (misbehaving.py:"),
        ("Hanging", False, "TimeOut: the run took more than 1.5 s"),
        ("Crashing", False, "LostWorker: the process that ran it died 4 times, the last time by SIGKILL"),
        ("Exiting", False, "LostWorker: the process that ran it died 4 times, the last time with exit status 7"),
        ("Leaving", True, "SystemExit: 0 (misbehaving.py:"),
        ("OutsideSpace", True, "InvalidConfig"),
        ("NoProposal", True, "InvalidOption"),
        ("NeedsFile", False, "FileNotFoundError: no licence file"),
    ):
        assert done[name].failure.startswith(words), name
        assert done[name].settled is settled, name
        assert done[name].n_trials == 0
    assert done["Sampling"].failure is None
    assert done["Sampling"].n_trials == 100


def test_a_worker_has_one_thread_and_no_standard_output(capfd, monkeypatch):
    job = jobs_of("Threads")[0]
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with one_thread():
        expected = execute(job)
    capfd.readouterr()
    assert expected.failure is None
    assert outcome(ProcessesEngine(1, None), [job])["Threads"].digest == expected.digest
    assert outcome(SerialEngine(), [job])["Threads"].digest == expected.digest
    assert capfd.readouterr().out == "a line on standard output\n" * 100  # of the serial engine alone


def test_one_thread_leaves_the_process_as_it_was(monkeypatch):
    from threadpoolctl import threadpool_info

    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before = threadpool_info()
    with one_thread():
        assert {os.environ[variable] for variable in VARIABLES} == {"1"}
        assert {pool["num_threads"] for pool in threadpool_info()} == {1}
    assert (os.environ["OMP_NUM_THREADS"], "MKL_NUM_THREADS" in os.environ) == ("7", False)
    assert threadpool_info() == before


@pytest.mark.slow
def test_a_worker_that_is_killed_starts_anew():
    worker = WorkerProcess()
    first, second = jobs_of("Sampling", n_seeds=2)
    done = worker.run(first, None)
    [killed] = worker_pids(os.getpid())
    os.kill(killed, signal.SIGKILL)
    assert worker.run(first, None).digest == done.digest
    assert worker.run(second, None).failure is None
    [pid] = worker_pids(os.getpid())
    assert pid != killed
    worker.close()
    assert not psutil.pid_exists(pid)


def wait_until(condition, seconds=30.0):
    """Whether a condition came true within some seconds."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def coordinator_of(name):
    """A process that has a worker process run an optimizer."""
    script = (
        "from hpo_leaderboard.engines.worker import WorkerProcess\n"
        "from test_engines import jobs_of\n"
        f"WorkerProcess().run(jobs_of({name!r})[0], None)\n"
    )
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    return subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path})


@pytest.mark.slow
def test_workers_end_with_the_process_that_started_them():
    parent = coordinator_of("Hanging")
    assert wait_until(lambda: worker_pids(parent.pid))
    [child] = worker_pids(parent.pid)
    time.sleep(1.0)
    assert psutil.pid_exists(child)
    parent.kill()
    parent.wait()
    assert wait_until(lambda: not psutil.pid_exists(child))


@pytest.fixture
def child(tmp_path, monkeypatch):
    """Waits for the process that an optimizer started, and gives it."""
    file = tmp_path / "child"
    monkeypatch.setenv("MISBEHAVING_CHILD", str(file))

    def started():
        assert wait_until(lambda: file.exists() and file.read_text())
        return psutil.Process(int(file.read_text()))

    return started


def is_gone(process):
    return wait_until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE, 10.0)


@pytest.mark.slow
@pytest.mark.parametrize("end", ["time-out", "close", "kill"])
def test_what_an_optimizer_started_ends_with_its_worker(child, end):
    worker = WorkerProcess()
    seconds = 3.0 if end == "time-out" else None
    thread = threading.Thread(target=run_quietly, args=(worker, jobs_of("Parent")[0], seconds), daemon=True)
    thread.start()
    grandchild = child()
    if end == "kill":
        [pid] = worker_pids(os.getpid())
        os.kill(pid, signal.SIGKILL)
    if end == "close":
        worker.close()
    assert is_gone(grandchild)
    worker.close()


def run_quietly(worker, job, seconds):
    with contextlib.suppress(WorkerClosed):
        worker.run(job, seconds)


@pytest.mark.slow
def test_what_an_optimizer_started_ends_with_the_coordinator(child):
    parent = coordinator_of("Parent")
    grandchild = child()
    parent.kill()
    parent.wait()
    assert is_gone(grandchild)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Leaving", "LeavingAtOnce"])
def test_an_optimizer_that_ends_the_program_breaks_its_runs_and_no_more(name, no_page, tmp_path, capsys):
    names = ["--benchmarks", "forrester", "--optimizers", f"rs,misbehaving:{name}", "--seeds", "2", "--trials", "3"]
    assert main(["leaderboard", "quick", *names, "--engine", "serial", "--store", str(tmp_path / "s"), "--json"]) == 1
    assert f"misbehaving:{name} on forrester: SystemExit: 0" in capsys.readouterr().err
    assert main(["run", "forrester", f"misbehaving:{name}"]) == (1 if name == "Leaving" else 2)


def test_an_engine_that_is_left_early_ends_its_workers():
    results = ProcessesEngine(2, None).results(jobs_of("Sampling", n_seeds=50))
    next(results)
    children = worker_pids(os.getpid())
    assert len(children) == 2
    results.close()
    assert worker_pids(os.getpid()) == []


def test_workers_that_cannot_start_are_explained(monkeypatch, tmp_path):
    broken = tmp_path / "python"
    broken.write_text(f"#!/bin/sh\necho started >> {tmp_path / 'starts'}\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(RuntimeError, match="exit status 1"):
        list(ProcessesEngine(1, None).results(jobs_of("Sampling")))
    assert (tmp_path / "starts").read_text() == "started\n"  # an interpreter that fails once fails again


def test_a_worker_with_other_versions_says_so():
    job = jobs_of("Sampling")[0]
    for change, words in (({"checksum": "0" * 64}, "benchmark 'misbehaving:line'"), ({"version": "0"}, "has version")):
        done = execute(replace(job, **change))
        assert done.failure.startswith(DifferentVersion.__name__)
        assert words in done.failure
        assert not done.settled


def test_engines_by_name():
    with pytest.raises(UnknownName, match="processes"):
        make_engine("process")
    with pytest.raises(InvalidOption, match="at least 1"):
        make_engine("processes", processes=-1)
    with pytest.raises(InvalidOption, match="time-out"):
        make_engine("processes", timeout=0.0)
