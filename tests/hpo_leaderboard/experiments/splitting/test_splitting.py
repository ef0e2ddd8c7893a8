"""Work split into shards, and experiments that end before a walltime."""

from collections import Counter

import pytest

from hpo_leaderboard.engines.processes import ProcessesEngine
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.splitting.dry_run import dry_run, missing_jobs
from hpo_leaderboard.experiments.splitting.estimates import GUESS, SHIPPED, STORE, Shard, estimate, jobs_of_shard
from hpo_leaderboard.experiments.splitting.walltime import Walltime
from hpo_leaderboard.experiments.suite import changed, make_suite
from hpo_leaderboard.store.joining import merge_stores
from hpo_leaderboard.store.store import reading

SUITE = make_suite("split", ["branin", "counting-ones-4-4"], ["rs", "tpe", "bohb"], n_seeds=4, n_trials=12)


def jobs_of(optimizers, n_seeds=7):
    return make_plan(make_suite("split", ["branin"], optimizers, n_seeds=n_seeds)).jobs


@pytest.mark.slow
def test_merged_shards_are_the_undivided_store(tmp_path):
    whole = run_experiment(SUITE, tmp_path / "whole.sqlite", SerialEngine())
    paths = [tmp_path / f"{i}.sqlite" for i in (1, 2, 3)]
    parts = [run_experiment(SUITE, path, SerialEngine(), shard=Shard(i, 3)) for i, path in enumerate(paths, 1)]
    assert sum(part.n_asked for part in parts) == whole.n_asked == 20
    merge_stores(tmp_path / "merged.sqlite", paths)
    with reading(tmp_path / "merged.sqlite") as store:
        assert store.digest() == whole.digest
    assert not missing_jobs(SUITE, tmp_path / "merged.sqlite")
    left = {(job.benchmark.label, job.optimizer.label, job.seed) for job in missing_jobs(SUITE, paths[0])}
    assert len(left) == 20 - parts[0].n_asked


@pytest.mark.parametrize("n_shards", [1, 2, 5, 40])
def test_shards_hold_each_job_once_whatever_the_order_of_jobs(n_shards):
    jobs = jobs_of(["rs", "tpe", "gp"])
    shards = [jobs_of_shard(jobs, Shard(i, n_shards)) for i in range(1, n_shards + 1)]
    assert Counter(job.key for shard in shards for job in shard) == Counter(job.key for job in jobs)
    assert {job.key for job in jobs_of_shard(jobs[::-1], Shard(1, n_shards))} == {job.key for job in shards[0]}


def test_shards_take_about_the_same_time():
    jobs = jobs_of(["rs", "tpe", "gp", "bohamiann"], n_seeds=20)
    loads = [sum(estimate(job).seconds for job in jobs_of_shard(jobs, Shard(i, 4))) for i in range(1, 5)]
    assert max(loads) < 1.01 * min(loads)
    costly = [sum(job.optimizer.label == "bohamiann" for job in jobs_of_shard(jobs, Shard(i, 4))) for i in range(1, 5)]
    assert costly == [5, 5, 5, 5]


def test_the_next_seeds_are_other_runs(tmp_path):
    first = changed(SUITE, optimizers=["rs"], n_seeds=2)
    later = changed(first, first_seed=2)
    for name, suite in (("first", first), ("later", later)):
        run_experiment(suite, tmp_path / f"{name}.sqlite", SerialEngine())
    merge_stores(tmp_path / "merged.sqlite", [tmp_path / "first.sqlite", tmp_path / "later.sqlite"])
    assert not missing_jobs(changed(first, n_seeds=4), tmp_path / "merged.sqlite")


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


def test_no_run_is_started_that_is_expected_to_end_too_late():
    clock = Clock()
    slow, fast = "bohamiann", "rs"
    jobs = jobs_of([slow, fast], n_seeds=3)  # slow, fast, slow, fast ...
    walltime = Walltime(100.0, now=clock)
    started = []
    for job in walltime.in_time(jobs):
        started.append(job.optimizer.label)
        clock.seconds += 50.0 if job.optimizer.label == slow else 1.0
        walltime.finished(job)
    assert started == [slow, fast, fast, fast]  # 49 s are left for the next one, which took 50 s
    assert walltime.n_left == 2


@pytest.mark.slow
@pytest.mark.parametrize("engine", [SerialEngine(), ProcessesEngine(2, None)], ids=["serial", "processes"])
def test_an_experiment_ends_at_its_walltime_and_goes_on_later(tmp_path, monkeypatch, engine):
    monkeypatch.setenv("MISBEHAVING_SLEEP", "0.2")  # at each evaluation
    suite = make_suite("slow", ["misbehaving:line"], ["misbehaving:Sampling"], n_seeds=30, n_trials=2)
    outcome = run_experiment(suite, tmp_path / "s.sqlite", engine, walltime=2.5)
    assert 0 < outcome.n_left < 30
    assert len(missing_jobs(suite, tmp_path / "s.sqlite")) == outcome.n_left
    monkeypatch.setenv("MISBEHAVING_SLEEP", "0")
    rest = run_experiment(suite, tmp_path / "s.sqlite", engine)
    assert (rest.n_present, rest.n_left) == (30 - outcome.n_left, 0)


def test_a_dry_run_runs_nothing_and_says_what_it_rests_on(tmp_path):
    suite = make_suite("dry", ["branin", "hartmann3"], ["rs", "hyperband", "misbehaving:Sampling"], n_seeds=3)
    planned = dry_run(suite, tmp_path / "s.sqlite")
    assert list(tmp_path.iterdir()) == []
    assert [(each.optimizer, each.n_runs, each.sources) for each in planned.optimizers] == [
        ("rs", 6, {SHIPPED: 6}),
        ("misbehaving:Sampling", 6, {GUESS: 6}),
    ]
    assert [line.startswith("hyperband is not run on branin, hartmann3: ") for line in planned.left_out] == [True]
    run_experiment(changed(suite, n_seeds=1), tmp_path / "s.sqlite", SerialEngine())
    with reading(tmp_path / "s.sqlite") as store:
        mean = store.frames().runs.groupby("optimizer").overhead.mean()
    again = dry_run(suite, tmp_path / "s.sqlite").optimizers
    assert [(each.n_present, each.sources) for each in again] == [(2, {STORE: 4}), (2, {STORE: 4})]
    assert again[0].cpu_seconds == pytest.approx(4 * (mean["rs"] + 3e-3 + 100 * 3e-5), rel=1e-6)


def test_time_for_training_on_demand_is_said_not_to_be_estimated(tmp_path):
    suite = make_suite("dry", ["cv-lm-wine"], ["rs"], n_seeds=1, n_trials=3)
    lines = dry_run(suite, tmp_path / "s.sqlite").left_out
    assert lines == ["evaluations of cv-lm-wine train on demand: their time is not estimated"]
