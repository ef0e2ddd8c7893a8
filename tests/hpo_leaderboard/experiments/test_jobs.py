"""The jobs of a plan: keys without making jobs, shards, and a million of them in little memory."""

import tracemalloc
from itertools import islice

import numpy as np
import pytest

from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.jobs import Jobs
from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.experiments.splitting.estimates import Shard, estimate, jobs_of_shard

CONFUSING = {"run_seed": 7, "seed": 0, "suite": 1}  # options with the names of what stands beside them in a description


def pair(benchmark="branin", optimizer="rs", options=None, **fields):
    limits = {"n_trials": 10, "max_cost": None, "full_cost": None, "workers": 1, "suite_version": 1}
    members = Member(benchmark, options or {}), Member(optimizer, options or {})
    return Job(members[0], "c0", members[1], "v1", 0, **{**limits, **fields})


PAIRS = [
    pair(),
    pair("forrester", "gp", numerics="openblas 0.3"),
    pair("branin", 'a "run_seed":1,"seed":2,"suite":3} b', CONFUSING),
    pair("protein", "bohamiann", {"x": "\u00e9"}, full_cost=2.5, resume=True, suite_version=12),
]


def test_jobs_go_seed_by_seed_through_the_pairs():
    jobs = Jobs(PAIRS, range(5, 8))
    assert [(job.seed, job.benchmark) for job in jobs] == [(s, p.benchmark) for s in (5, 6, 7) for p in PAIRS]
    assert len(jobs) == 12 and jobs[-1].seed == 7
    assert [job.key for job in jobs[2:9:3]] == [jobs[i].key for i in (2, 5, 8)]
    assert [job.key for job in jobs.only(np.arange(12) % 5 == 0)] == [jobs[i].key for i in (0, 5, 10)]
    with pytest.raises(IndexError):
        jobs[12]


def test_keys_are_those_of_the_jobs():
    jobs = Jobs(PAIRS, range(98, 102))
    assert list(jobs.each_key()) == [job.key for job in jobs]
    assert list(jobs[::-3].each_key()) == [job.key for job in jobs[::-3]]


@pytest.mark.parametrize("n_shards", [1, 3, 7])
def test_the_longest_job_goes_to_the_shard_with_the_least_to_do(n_shards):
    jobs = Jobs(PAIRS, range(9))
    loads, shards = [0.0] * n_shards, [[] for _ in range(n_shards)]
    for i in sorted(range(len(jobs)), key=lambda i: (-estimate(jobs[i]).seconds, jobs[i].key)):
        least = loads.index(min(loads))
        loads[least] += estimate(jobs[i]).seconds
        shards[least].append(i)
    for number, rows in enumerate(shards, 1):
        assert [job.key for job in jobs_of_shard(jobs, Shard(number, n_shards))] == [jobs[i].key for i in sorted(rows)]


@pytest.mark.slow
def test_a_million_jobs_take_few_megabytes():
    tracemalloc.start()
    jobs = Jobs(PAIRS, range(250_000))
    for _ in islice(zip(jobs, jobs.each_key(), strict=True), 10_000):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(jobs) == 1_000_000
    assert peak < 10e6  # 8 of them for the numbers of the jobs; ten thousand that are kept take 10 more
