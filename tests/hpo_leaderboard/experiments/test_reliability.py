"""What an experiment survives: kills, full and read-only disks, rivals, bad optimizers, lost tables, a lost Dask."""

import multiprocessing
import os
import random
import resource
import shutil
import signal
import tempfile
import time
from pathlib import Path

import psutil
import pytest
from dask_cluster import DaskCluster
from worker_processes import worker_pids

from hpo_cli.main import main
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments import experiment
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.store.schema import StoreBusy, StoreUnavailable
from hpo_leaderboard.store.store import reading, writing

FORK = multiprocessing.get_context("fork")  # a coordinator in milliseconds; its workers are fresh interpreters anyway
N_KILLS = 40  # `scripts/check_kills.py` takes as many as it is told


def settled(path):
    """Digests by key of what a store holds, after a check that all of it is whole; empty before it is made."""
    try:
        with reading(path) as store:
            assert list(store.damages()) == []
            return store.settled()
    except FileNotFoundError:
        return {}


def coordinate(suite, path, n_processes):
    experiment.BATCH_SECONDS = 0.05  # more transactions to be killed in
    run_experiment(suite, path, make_engine("processes", processes=n_processes))


def n_settled(path):
    try:
        with reading(path) as store:
            return len(store.settled())
    except OSError:  # not made yet
        return 0


def wait_for_progress(path, n_runs, seconds):
    """Until a store holds `n_runs` more runs, but no longer than some seconds."""
    aim, deadline = n_settled(path) + n_runs, time.monotonic() + seconds
    while n_settled(path) < aim and time.monotonic() < deadline:
        time.sleep(0.02)


@pytest.mark.slow
def test_forty_kills_change_nothing(tmp_path, monkeypatch):
    suite = make_suite("own", ["misbehaving:line", "branin"], ["misbehaving:Sampling", "rs"], n_seeds=400, n_trials=5)
    path, chance = tmp_path / "killed.sqlite", random.Random(0)
    monkeypatch.setenv("MISBEHAVING_SLEEP", "0.05")  # so that it is not finished before the last kill
    n_kills, n_coordinators, held, workers = 0, 0, {}, set()
    while n_kills < N_KILLS:
        coordinator = FORK.Process(target=coordinate, args=(suite, path, 2))
        coordinator.start()
        while n_kills < N_KILLS and coordinator.is_alive():
            if chance.random() < 0.5:
                wait_for_progress(path, 1, seconds=10.0)
            time.sleep(chance.uniform(0.0, 0.2))
            victims = worker_pids(coordinator.pid)
            workers.update(victims)
            victim = chance.choice(victims) if victims and chance.random() < 0.8 else coordinator.pid
            os.kill(victim, signal.SIGKILL)
            n_kills += 1
            if victim == coordinator.pid:
                n_coordinators += 1
                break
        coordinator.kill()
        coordinator.join()
        now = settled(path)
        assert held.items() <= now.items()  # what was stored once stays
        held = now
    assert 0 < len(held) < 1600
    assert 0 < n_coordinators < 30
    monkeypatch.setenv("MISBEHAVING_SLEEP", "0")
    outcome = run_experiment(suite, path, make_engine("processes", processes=2))
    assert outcome.n_open == 0
    assert outcome.digest == run_experiment(suite, tmp_path / "undisturbed.sqlite", SerialEngine()).digest
    assert settled(path) == settled(tmp_path / "undisturbed.sqlite")
    time.sleep(0.5)
    assert [pid for pid in workers if psutil.pid_exists(pid)] == []


SUITE = make_suite("own", ["branin"], ["rs"], n_seeds=60, n_trials=50)


def in_child(function, *arguments):
    """What a function returns in a child process, or its exception."""
    with FORK.Pool(1) as pool:
        return pool.apply(function, arguments)


def run_with_file_limit(path, limit):
    experiment.BATCH_SECONDS = 0.0
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    run_experiment(SUITE, path, SerialEngine())


def test_a_full_disk_is_explained_and_loses_nothing_that_was_stored(tmp_path):
    path = tmp_path / "s.sqlite"
    with pytest.raises(StoreUnavailable, match=r"s\.sqlite .*make room.*goes on from there"):
        in_child(run_with_file_limit, path, 200_000)
    assert 0 < len(settled(path)) < 60
    outcome = run_experiment(SUITE, path, SerialEngine())
    assert outcome.n_present > 0
    assert outcome.digest == run_experiment(SUITE, tmp_path / "undisturbed.sqlite", SerialEngine()).digest


def become_nobody():
    if os.getuid() == 0:
        os.setuid(65534)  # permissions do not bind root


def read_as_nobody(path):
    become_nobody()
    with reading(path) as store:
        return len(store.frames(configs=False).runs)


def run_as_nobody(path):
    become_nobody()
    run_experiment(SUITE, path, SerialEngine())


@pytest.fixture
def read_only():
    """A directory that all may enter, for stores; a function makes it and what lies in it read-only."""
    import pandas  # noqa: F401  imported before the privileges are dropped, as everything else here

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def protect():
            for path in folder.iterdir():
                path.chmod(0o444)
            folder.chmod(0o555)

        yield folder, protect
        folder.chmod(0o755)


@pytest.mark.parametrize("keeps_lock", [False, True])
def test_a_read_only_store_is_readable_and_says_why_it_cannot_grow(read_only, keeps_lock):
    folder, protect = read_only
    path = folder / "s.sqlite"
    run_experiment(SUITE, path, SerialEngine())
    if not keeps_lock:
        path.with_name("s.sqlite.lock").unlink()
    protect()
    if keeps_lock:
        path.with_name("s.sqlite.lock").chmod(0o666)
    assert in_child(read_as_nobody, path) == 60
    with pytest.raises(StoreUnavailable, match=r"s\.sqlite.*--store"):
        in_child(run_as_nobody, path)


def test_a_log_that_cannot_be_read_is_not_passed_over(read_only, tmp_path):
    folder, protect = read_only
    with writing(tmp_path / "s.sqlite") as store:
        store.add_tasks([], {"a note": "in the log"})
        for name in ("s.sqlite", "s.sqlite-wal"):
            shutil.copy(tmp_path / name, folder / name)
    protect()
    with pytest.raises(StoreUnavailable, match=r"s\.sqlite-wal.*copy both files"):
        in_child(read_as_nobody, folder / "s.sqlite")


@pytest.mark.slow
def test_a_second_coordinator_is_turned_away(tmp_path, capsys):
    path = tmp_path / "s.sqlite"
    with writing(path):
        with pytest.raises(StoreBusy, match="another process is writing"):
            run_experiment(SUITE, path, SerialEngine())
        with pytest.raises(StoreBusy, match="another process is writing"):
            in_child(coordinate, SUITE, path, 1)
        assert main(["leaderboard", "functions", "--benchmarks", "branin", "--store", str(path)]) == 2
        assert "another process is writing" in capsys.readouterr().err
    in_child(coordinate, SUITE, path, 1)
    assert len(settled(path)) == 60


@pytest.mark.slow
def test_bad_optimizers_leave_the_others_alone(tmp_path):
    bad = ["Raising", "Hanging", "OutsideSpace", "NoProposal", "Crashing"]
    names = [f"misbehaving:{name}" for name in (*bad, "Sampling")]
    suite = make_suite("own", ["misbehaving:line"], names, n_seeds=2, n_trials=5)
    outcome = run_experiment(suite, tmp_path / "s.sqlite", make_engine("processes", processes=3, timeout=1.0))
    said = "\n".join(outcome.failures)
    for words in (
        "ValueError: cannot learn",
        "TimeOut: the run took more than 1 s",
        "InvalidConfig",
        "must return a Proposal",
    ):
        assert words in said
    assert sum(outcome.failures.values()) == 10
    assert outcome.n_open == 4
    with reading(tmp_path / "s.sqlite") as store:
        runs = store.frames().runs
    assert runs[runs.failure.isna()].optimizer.tolist() == ["misbehaving:Sampling"] * 2


class Losing:
    """A serial engine during whose work a file is lost."""

    def __init__(self, file):
        self.file = file

    def results(self, jobs):
        from hpo_leaderboard.experiments.identity import close_benchmarks

        for count, job in enumerate(jobs):
            if count == 3:
                self.file.unlink()
                close_benchmarks()  # as in a worker that has not opened it yet
            yield from SerialEngine().results([job])


def test_a_benchmark_that_disappears_is_made_up_for_later(tmp_path):
    file = tmp_path / "table"
    file.touch()
    vanishing = {"name": "misbehaving:vanishing", "options": {"path": str(file)}, "label": "vanishing"}
    suite = make_suite("own", [vanishing, "branin"], ["rs"], n_seeds=5, n_trials=5)
    outcome = run_experiment(suite, tmp_path / "s.sqlite", Losing(file))
    assert outcome.n_open == 3
    assert "FileNotFoundError: the table" in next(iter(outcome.failures))
    assert len(settled(tmp_path / "s.sqlite")) == 7
    without = run_experiment(suite, tmp_path / "s.sqlite", SerialEngine())  # now it is missed from the start
    assert len(without.lost) == 1
    assert "'vanishing' cannot be opened" in without.lost[0]
    file.touch()
    complete = run_experiment(suite, tmp_path / "s.sqlite", SerialEngine())
    assert (complete.n_present, complete.n_open, complete.lost) == (7, 0, [])
    assert complete.digest == run_experiment(suite, tmp_path / "undisturbed.sqlite", SerialEngine()).digest


DASK = make_suite("own", ["misbehaving:line"], ["misbehaving:Sampling"], n_seeds=30, n_trials=3)


@pytest.fixture
def cluster():
    pytest.importorskip("distributed")
    running = DaskCluster()
    yield running
    running.close()


class After:
    """A Dask engine, and something that happens after its third result."""

    def __init__(self, address, event):
        self.engine, self.event = make_engine("dask", address=address), event

    def results(self, jobs):
        for count, result in enumerate(self.engine.results(jobs)):
            if count == 2:
                self.event()
            yield result


@pytest.mark.slow
def test_dask_goes_on_when_a_worker_is_killed_and_resumes_when_the_scheduler_was(cluster, tmp_path):
    from hpo_core.clusters import ClusterLost

    expected = run_experiment(DASK, tmp_path / "undisturbed.sqlite", SerialEngine()).digest
    scheduler = cluster.scheduler()
    workers = [cluster.worker() for _ in range(2)]
    killed = run_experiment(DASK, tmp_path / "worker.sqlite", After(cluster.address, workers[0].kill))
    assert (killed.digest, killed.n_open) == (expected, 0)
    path = tmp_path / "scheduler.sqlite"
    with pytest.raises(ClusterLost, match=r"the Dask scheduler .* is gone .*; finished runs are stored"):
        run_experiment(DASK, path, After(cluster.address, scheduler.kill))
    assert 0 < len(settled(path)) < 30
    cluster.close()
    cluster.scheduler()
    cluster.worker()
    resumed = run_experiment(DASK, path, make_engine("dask", address=cluster.address))
    assert resumed.n_present > 0
    assert resumed.digest == expected
