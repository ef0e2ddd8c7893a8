"""What a store keeps beside the trials: how suites are scored, random proposals; and stores of the first version."""

import pandas as pd
import pytest
from older_stores import as_version

from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.random_phases import only_random
from hpo_leaderboard.experiments.scoring import Scoring
from hpo_leaderboard.experiments.suite import changed, make_suite
from hpo_leaderboard.store.joining import merge_stores
from hpo_leaderboard.store.store import reading, writing

SMALL = make_suite("small", ["branin", "counting-ones-4-4"], ["rs", "hyperband"], n_seeds=2, n_trials=6)


@pytest.fixture
def path(tmp_path):
    run_experiment(SMALL, tmp_path / "small.sqlite", make_engine("serial"))
    return tmp_path / "small.sqlite"


def test_stores_of_the_first_version_are_read_and_go_on(path):
    with reading(path) as store:
        before, digest = store.frames(), store.digest()
    as_version(path, 1)
    with reading(path) as store:
        assert store.suites() == [] and store.scoring() == Scoring()
        old = store.frames()
        assert old.runs.n_random.isna().all()
        pd.testing.assert_frame_equal(old.trials, before.trials)
    outcome = run_experiment(changed(SMALL, n_seeds=SMALL.n_seeds + 1), path, make_engine("serial"))
    assert outcome.n_present == 6
    with reading(path) as store:
        assert len(store.suites()) == 1
        new = store.frames().runs
    assert new[new.seed < SMALL.n_seeds].n_random.isna().all()
    assert store_digest_of(path, SMALL.n_seeds) == digest


@pytest.mark.parametrize("grown", [False, True])
def test_stores_of_the_second_version_are_read_verified_and_sealed_when_they_go_on(path, grown):
    with reading(path) as store:
        before, digest, suites, about = store.frames(), store.digest(), store.suites(), store.about()
        keys = store.keys()
    as_version(path, 2, grown=grown)
    with reading(path) as store:
        assert list(store.damages()) == []
        for mine, theirs in zip(store.frames(), before, strict=True):
            pd.testing.assert_frame_equal(mine, theirs)
    with writing(path) as store:
        assert (store.digest(), store.suites(), store.about()) == (digest, suites, about)
    with reading(path) as store:
        assert list(store.damages()) == [] and store.keys() == keys
        assert all(run.seal for run in store.runs())
        for mine, theirs in zip(store.frames(), before, strict=True):
            pd.testing.assert_frame_equal(mine, theirs)


def store_digest_of(path, n_seeds):
    """Digest of a store without the runs of later seeds."""
    with writing(path) as store:
        store.drop(run.key for run in list(store.runs()) if run.seed >= n_seeds)
        return store.digest()


def test_a_store_knows_how_its_suites_are_scored(path, tmp_path):
    with reading(path) as store:
        assert store.suites() == [(SMALL.name, SMALL.version, Scoring())]
    mine = make_suite("mine", ["branin"], ["rs"], n_seeds=1, n_trials=2, incumbent="lowest-loss", repetitions=3)
    run_experiment(mine, path, make_engine("serial"))
    merge_stores(tmp_path / "merged.sqlite", [path])
    for each in (path, tmp_path / "merged.sqlite"):
        with reading(each) as store:
            assert [suite.name for suite in store.suites()] == [SMALL.name, "mine"]
            assert store.scoring() == Scoring(incumbent="lowest-loss", repetitions=3)


def test_runs_hold_how_many_proposals_were_random(tmp_path):
    optimizers = ["rs", {"name": "re", "options": {"population": 4}}, {"name": "tpe", "options": {"n_initial": 9}}]
    suite = make_suite("random", ["branin"], optimizers, n_seeds=2, n_trials=9)
    run_experiment(suite, tmp_path / "s.sqlite", make_engine("serial"))
    with reading(tmp_path / "s.sqlite") as store:
        runs = store.frames().runs
    assert runs[runs.optimizer == "rs"].n_random.isna().all()
    assert runs[runs.optimizer == "re(population=4)"].n_random.tolist() == [4, 4]
    assert only_random(runs) == ["tpe(n_initial=9)"]
