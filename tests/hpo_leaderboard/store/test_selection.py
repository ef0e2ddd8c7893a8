"""Which runs are compared: those asked for, of the latest versions, under the same limits."""

from dataclasses import replace

import pandas as pd
import pytest

from hpo_core import run
from hpo_core.errors import InvalidOption, UnknownName
from hpo_leaderboard.experiments.execution import execute
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.scores.from_runs import tables_of
from hpo_leaderboard.store.joining import merge_stores
from hpo_leaderboard.store.selection import select
from hpo_leaderboard.store.store import reading, writing


def plan(n_trials=4, benchmarks=("branin", "forrester"), optimizers=("rs", "de")):
    return make_plan(make_suite("small", list(benchmarks), list(optimizers), n_seeds=2, n_trials=n_trials))


def add(path, jobs, tasks=()):
    with writing(path) as store:
        store.add_tasks(tasks, {})
        for job in jobs:
            store.add([(job, execute(job))])


@pytest.fixture
def path(tmp_path):
    """Runs of today; before them those of an older rs, after them one with fewer trials."""
    made = plan()
    older = [replace(job, version="zz older") for job in made.jobs if job.optimizer.name == "rs"]
    short = [job for job in plan(n_trials=2).jobs if job.optimizer.name == "de" and job.seed == 0]
    add(tmp_path / "runs.sqlite", [*older, *made.jobs, short[0]], made.tasks)
    return tmp_path / "runs.sqlite"


def of_both(path, **options):
    """What is selected, which must be the same from the store and from its frames."""
    with reading(path) as store:
        from_store, from_frames = select(store, **options), select(store.frames(), **options)
    assert from_store.left_out == from_frames.left_out
    for mine, theirs in zip(from_store.frames, from_frames.frames, strict=True):
        pd.testing.assert_frame_equal(mine.fillna(""), theirs.fillna(""), check_dtype=False)
    return from_store


def test_the_latest_version_under_the_common_limits_counts_and_the_rest_is_said(path):
    frames, left_out = of_both(path)
    assert frames.runs.groupby(["benchmark", "optimizer"]).size().to_dict() == {
        (benchmark, optimizer): 2 for benchmark in ("branin", "forrester") for optimizer in ("de", "rs")
    }
    assert set(frames.runs["n_trials"]) == {4} and "zz older" not in set(frames.runs["version"])
    older, short = left_out
    assert older.startswith("rs: 4 runs of an older version (zz older), since code ")
    assert short == "de: 1 run with n_trials=2 on branin, since the others ran with n_trials=4"


def test_all_versions_are_rivals_only_if_asked_for(path):
    frames, left_out = of_both(path, latest=False)
    assert frames.runs["optimizer"].str.startswith("rs zz older").sum() == 4
    assert len(frames.runs) == 12 and len(left_out) == 1


def test_a_version_can_be_asked_for_by_its_whole_label(path):
    with reading(path) as store:
        (older,) = [name for name in store.frames().runs["optimizer"].unique() if name.startswith("rs zz older")]
    frames, left_out = of_both(path, optimizers=[older], benchmarks=["for*"], seeds=[1])
    assert frames.runs[["benchmark", "optimizer", "seed", "version"]].to_numpy().tolist() == [
        ["forrester", "rs", 1, "zz older"]
    ]
    assert left_out == []


def test_latest_is_the_order_of_storing_also_after_merging(path, tmp_path):
    """Keys and names would put the older version last or first by chance; storing it again last makes it the latest."""
    merge_stores(tmp_path / "merged.sqlite", [path])
    assert of_both(tmp_path / "merged.sqlite").left_out == of_both(path).left_out
    again = tmp_path / "again.sqlite"
    add(again, [replace(job, version="aa newest") for job in plan().jobs if job.optimizer.name == "rs"])
    merge_stores(path, [again])
    assert set(of_both(path, optimizers=["rs"]).frames.runs["version"]) == {"aa newest"}


def test_unknown_names_and_empty_selections_are_refused(path):
    with reading(path) as store:
        with pytest.raises(UnknownName, match="no runs of optimizer 'rd'"):
            select(store, optimizers=["rd"])
        with pytest.raises(UnknownName, match="no runs of benchmark 'hartmann3'"):
            select(store, benchmarks=["hartmann3"])
        with pytest.raises(InvalidOption, match="at least one run"):
            select(store, seeds=[7])


def test_runs_in_memory_are_selected_by_their_names():
    tables = tables_of([run("branin", name, n_trials=2, seed=seed) for name in ("rs", "de") for seed in range(2)])
    frames, left_out = select(tables, optimizers=["de"], seeds=range(1, 5))
    assert frames.trials[["optimizer", "seed"]].drop_duplicates().to_numpy().tolist() == [["de", 1]]
    assert len(frames.runs) == 1 and left_out == []
