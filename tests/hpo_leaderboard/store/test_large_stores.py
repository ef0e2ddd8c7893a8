"""What keeps a store of a million runs in time and memory: settings are read once, runs are read in parts."""

import gzip
import json
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_core.shown_text import csv_frame
from hpo_leaderboard.experiments.execution import execute, run_digest
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.store import frames as frames_module
from hpo_leaderboard.store.columns import decompress
from hpo_leaderboard.store.export import export_trials
from hpo_leaderboard.store.file import descriptions
from hpo_leaderboard.store.file.descriptions import is_canonical, read_description, read_setting
from hpo_leaderboard.store.joining import merge_stores
from hpo_leaderboard.store.listed_runs import list_runs
from hpo_leaderboard.store.selection import select
from hpo_leaderboard.store.store import reading, writing

JOBS = make_plan(make_suite("large", ["branin", "forrester"], ["rs", "re"], n_seeds=30, n_trials=3)).jobs
OPTIONS = {"run_seed": 3, "seed": 4}
COUNTED = st.integers(0, 2**53)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """120 runs of four pairs, of which one was run and stored again as the others."""
    found = tmp_path_factory.mktemp("large") / "runs.sqlite"
    done = [execute(job) for job in JOBS.pairs]
    contents = [(decompress(run.numbers), decompress(run.configs)) for run in done]
    with writing(found) as store:
        for i, job in enumerate(JOBS):
            run, own = done[i % len(done)], contents[i % len(done)]
            store.add([(job, run._replace(key=job.key, digest=run_digest(job.key, run.reason, *own)))])
    return found


@given(
    COUNTED, COUNTED, st.integers(0, 99), st.sampled_from(JOBS.pairs), st.sampled_from([{}, {"run_seed": 3, "seed": 4}])
)
def test_descriptions_say_what_their_json_says(run_seed, seed, suite, job, options):
    said = json.loads(replace(job, optimizer=replace(job.optimizer, options=options)).description)
    said |= {"run_seed": run_seed, "seed": seed, "suite": suite}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    assert read_description(text) == said
    assert is_canonical(text)
    setting, found = read_setting(text)
    assert found == seed
    assert {**setting, "run_seed": run_seed, "seed": seed} == said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"seed":0', '"seed":00'),
        ('"seed":0', '"seed":-1'),
        ('"seed":0', f'"seed":{2**53 + 1}'),
        ('"seed":0', '"seed":0.0'),
        ('"suite":1}', '"suite":1}}'),
        ('{"benchmark"', '[{"benchmark"'),
        ('"benchmark":{', '"benchmark":{{'),
        ('"n_trials":3', '"n_trials":0'),
        ('"run_seed"', 'run_seed"'),
    ],
)
def test_a_description_that_no_job_has_is_refused_also_after_a_good_one(old, new):
    text = JOBS[0].description
    assert read_description(text)["seed"] == 0
    assert text.count(old) >= 1
    with pytest.raises(ValueError, match=r"description|JSON"):
        read_description(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"seed":0', '"seed": 0'),
        ('"limits":{', '"limits": {'),
        ('{"benchmark"', '{"seed":5,"benchmark"'),
        ('{"benchmark"', '{"zzz":5,"benchmark"'),
    ],
)
def test_a_description_that_is_written_otherwise_is_told(old, new):
    text = JOBS[0].description.replace(old, new)
    assert text != JOBS[0].description and not is_canonical(text)
    assert read_description(text) == json.loads(text)


def test_settings_are_read_once_and_shared(path, tmp_path, monkeypatch):
    read, read_one = [], descriptions._checked
    monkeypatch.setattr(descriptions, "_checked", lambda text: read.append(text) or read_one(text))
    descriptions._setting.cache_clear()
    with reading(path) as store:
        assert len({id(setting) for setting in list_runs(store).settings}) == 4
        assert list(store.damages()) == []
        assert len(select(store).frames.runs) == 120
    merge_stores(tmp_path / "merged.sqlite", [path])
    assert len(read) == 4  # of 120 runs, each looked at several times


def test_parts_make_up_the_whole(path, tmp_path, monkeypatch):
    with reading(path) as store:
        whole = store.frames()
    monkeypatch.setattr(frames_module, "BATCH", 7)
    with reading(path) as store:
        in_parts = store.frames()
    for mine, theirs in zip(in_parts, whole, strict=True):
        pd.testing.assert_frame_equal(mine, theirs)
    csv_frame(whole.trials).to_csv(tmp_path / "expected.csv", index=False)
    assert export_trials(path, tmp_path / "t.csv").n_trials == len(whole.trials) == 360
    assert (tmp_path / "t.csv").read_text() == (tmp_path / "expected.csv").read_text()
    export_trials(path, tmp_path / "t.csv.gz")
    assert gzip.decompress((tmp_path / "t.csv.gz").read_bytes()) == (tmp_path / "t.csv").read_bytes()
    export_trials(path, tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "t.parquet"), whole.trials)


def test_an_empty_store_is_exported_as_its_columns(tmp_path):
    with writing(tmp_path / "empty.sqlite"):
        pass
    for ending in (".csv", ".parquet"):
        assert export_trials(tmp_path / "empty.sqlite", tmp_path / f"t{ending}").n_trials == 0
    columns = ["benchmark", "optimizer", "seed", "step", "budget", "loss"]
    assert list(pd.read_csv(tmp_path / "t.csv").columns)[:6] == columns
    assert list(pd.read_parquet(tmp_path / "t.parquet").columns)[:6] == columns


def test_runs_that_are_there_are_found_one_by_one(path):
    with reading(path) as store:
        assert {job.key: store.digest_of(job.key) for job in JOBS} == store.settled()
        assert store.digest_of("0" * 64) is None
        assert store.n_runs() == store.n_runs(settled=True) == 120
