"""The store: what goes in comes out, damage is named, stores can be joined and exported."""

import json
import sqlite3
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hpo_cli.main import main
from hpo_core import Benchmark, run
from hpo_core.errors import DamagedFile, InvalidOption
from hpo_core.names import make_optimizer
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.execution import broken_run, execute, run_digest
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.run_seeds import run_seed
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.store.columns import config_lines, decompress, pack_numbers, unpack_numbers
from hpo_leaderboard.store.export import export_trials
from hpo_leaderboard.store.joining import merge_stores
from hpo_leaderboard.store.schema import ConflictingRuns
from hpo_leaderboard.store.store import reading, writing

SMALL = make_suite("small", ["branin", "counting-ones-4-4"], ["rs", "hyperband"], n_seeds=2, n_trials=6, workers=2)


@pytest.fixture(scope="module")
def jobs():
    return make_plan(SMALL).jobs


@pytest.fixture
def path(tmp_path):
    run_experiment(SMALL, tmp_path / "small.sqlite", make_engine("serial"))
    return tmp_path / "small.sqlite"


def damage(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def as_run_of(job, done):
    """A finished run with the digest that it has as the run of another job."""
    numbers, configs = (decompress(data) for data in (done.numbers, done.configs))
    return done._replace(digest=run_digest(job.key, done.reason, numbers, configs))


def test_frames_hold_the_runs_as_the_loop_made_them(path):
    with reading(path) as store:
        trials, runs, tasks = store.frames()
    names = "benchmark optimizer seed step budget loss cost start end worker failed exact test config"
    assert " ".join(trials.columns) == names
    assert len(runs) == 6  # hyperband cannot run on branin
    b = Benchmark("counting-ones-4-4")
    limit = 6.0 * b.budgets[-1]
    seed = run_seed(1, "counting-ones-4-4")
    made = run(b, make_optimizer("hyperband", b.space, b.budgets, seed), None, limit, seed=seed, workers=2)
    mine = trials[(trials.optimizer == "hyperband") & (trials.seed == 1)].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        mine[["step", "budget", "loss", "cost", "start", "end", "worker"]],
        made.frame()[["step", "budget", "loss", "cost", "start", "end", "worker"]].astype({"budget": float}),
        check_dtype=False,
        check_exact=True,
    )
    assert [json.loads(text) for text in mine.config] == [dict(trial.config) for trial in made.trials]
    assert mine.exact.tolist() == [b.objective(trial.config).loss for trial in made.trials]
    assert mine.test.isna().all()
    row = runs[(runs.optimizer == "hyperband") & (runs.seed == 1)].iloc[0]
    assert (row.n_trials, row.reason, row.max_cost_limit) == (len(mine), made.reason, limit)
    assert np.isnan(row.n_trials_limit)
    assert row.overhead > 0
    assert tasks.set_index("benchmark").loc["counting-ones-4-4", ["optimum", "n_budgets"]].tolist() == [-8.0, 11593]
    assert trials.groupby(["benchmark", "optimizer", "seed"]).end.apply(lambda end: end.is_monotonic_increasing).all()
    order = list(zip(runs.benchmark, runs.optimizer, runs.seed, strict=True))
    assert order == sorted(order)


def test_test_losses_and_failed_trials_are_kept(tmp_path):
    suite = make_suite(
        "own", ["misbehaving:line", "misbehaving:failing"], ["misbehaving:Sampling"], n_seeds=1, n_trials=20
    )
    run_experiment(suite, tmp_path / "s.sqlite", make_engine("serial"))
    with reading(tmp_path / "s.sqlite") as store:
        trials = store.frames().trials
    x = trials.config.map(lambda text: json.loads(text)["x"])
    line = trials.benchmark == "misbehaving:line"
    assert (trials.exact[line] == x[line]).all()
    assert (trials.test[line] == 2 * x[line]).all()
    assert (trials.loss[line] == x[line] + 0.1).all()
    assert trials.failed[~line].tolist() == (x[~line] > 0.5).tolist()
    assert 0 < trials.failed[~line].sum() < 20
    assert np.isinf(trials.loss[trials.failed]).all()
    assert trials.exact[trials.failed].isna().all()
    assert (trials.exact[~line & ~trials.failed] == x[~line & ~trials.failed]).all()


def test_columns_survive_packing(jobs):
    made = run("branin", "rs", n_trials=5, seed=3)
    exact, test = np.arange(5.0), np.full(5, np.nan)
    packed = pack_numbers(made.trials, exact, test)
    back = unpack_numbers([packed, b"", packed], [5, 0, 5])
    assert back["exact"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0] * 2
    assert back["loss"].tolist() == [trial.loss for trial in made.trials] * 2
    assert np.isnan(back["test"]).all()


@pytest.mark.parametrize(
    "configs",
    [[], [{}], [{"a": "}, {"}, {"a": 1}], [{"b": np.int64(2), "a": np.float64(0.5)}], [{"a": [1]}, {"a": None}]],
)
def test_config_lines_are_json_with_sorted_keys(configs):
    trials = [run("branin", "rs", n_trials=1).trials[0]] * len(configs)
    trials = [t._replace(proposal=t.proposal._replace(config=c)) for t, c in zip(trials, configs, strict=True)]
    plain = [
        {key: value.item() if isinstance(value, np.generic) else value for key, value in c.items()} for c in configs
    ]
    assert config_lines(trials) == [json.dumps(config, sort_keys=True) for config in plain]


def test_the_digest_depends_on_outcomes_only(jobs, tmp_path):
    finished = [(job, execute(job)) for job in jobs]
    with writing(tmp_path / "a.sqlite") as store:
        store.add(finished)
        digest = store.digest()
    with writing(tmp_path / "b.sqlite") as store:
        for job, done in reversed(finished):
            store.add([(job, done._replace(overhead=99.0))])
        assert store.digest() == digest
    changed = run_digest(jobs[0].key, finished[0][1].reason, b"other numbers", b"")
    with writing(tmp_path / "c.sqlite") as store:
        store.add([(jobs[0], finished[0][1]._replace(digest=changed)), *finished[1:]])
        assert store.digest() != digest


def test_what_is_settled_stays_and_what_is_not_is_replaced(jobs, tmp_path):
    job, done = jobs[0], execute(jobs[0])
    with writing(tmp_path / "s.sqlite") as store:
        store.add([(job, broken_run(job, "TimeOut", settled=False))])
        assert store.settled() == {}
        assert [run.failure for run in store.runs()] == ["TimeOut"]
        store.add([(job, done)])
        assert store.settled() == {job.key: done.digest}
        store.add([(job, broken_run(job, "TimeOut", settled=False))])
        assert [run.failure for run in store.runs()] == [None]


def test_a_store_is_one_file_when_nobody_uses_it(path):
    assert [p.name for p in path.parent.iterdir() if not p.name.endswith(".lock")] == ["small.sqlite"]


def test_another_connection_reads_while_one_writes(path, jobs):
    with writing(path) as store:
        store.drop([jobs[0].key])
        with reading(path) as other:
            assert len(other.settled()) == 5
            store.add([(jobs[0], execute(jobs[0]))])
            assert len(other.settled()) == 6


def test_runs_of_two_releases_are_told_apart(path, jobs):
    with writing(path) as store:
        for job in jobs:
            newer = replace(job, version="9.9") if job.optimizer.name == "rs" else job
            store.add([(newer, as_run_of(newer, execute(job)))])
        names = set(store.frames().runs.optimizer)
    current = next(job.version for job in jobs)
    assert names == {f"rs {current}", "rs 9.9", "hyperband"}


def test_longer_runs_are_told_apart(tmp_path):
    for n_trials in (3, 5):
        suite = make_suite("small", ["branin"], ["rs"], n_seeds=1, n_trials=n_trials)
        run_experiment(suite, tmp_path / "s.sqlite", make_engine("serial"))
    with reading(tmp_path / "s.sqlite") as store:
        counts = store.frames().trials.optimizer.value_counts().to_dict()
    assert counts == {"rs n_trials=3": 3, "rs n_trials=5": 5}


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE runs SET numbers = configs WHERE rowid = 3", "its columns"),
        ("UPDATE runs SET configs = x'00' WHERE rowid = 3", "decompress"),
        ("UPDATE runs SET reason = 'other' WHERE rowid = 3", "seal"),
        ("UPDATE runs SET n_trials = n_trials + 1 WHERE rowid = 3", "seal"),
        ("UPDATE runs SET description = replace(description, '\"seed\":', '\"seed\": ') WHERE rowid = 3", "key"),
    ],
)
def test_a_damaged_run_is_named_and_can_be_run_again(path, jobs, capsys, statement, words):
    with reading(path) as store:
        before = store.digest()
    damage(path, statement)
    with reading(path) as store:
        damages = list(store.damages())
        assert len(damages) == 1
        assert words in damages[0][1]
        assert jobs[2].key[:12] in damages[0][1]
        with pytest.raises(DamagedFile, match=jobs[2].key[:12]):
            store.frames()
        with pytest.raises(DamagedFile, match=jobs[2].key[:12]):
            merge_stores(path.with_name("target.sqlite"), [path])
    with writing(path) as store:
        store.drop_damaged(row for row, _ in damages)
    run_experiment(SMALL, path, make_engine("serial"))
    with reading(path) as store:
        assert store.digest() == before
        assert list(store.damages()) == []


def test_a_file_that_is_cut_off_or_scribbled_over_is_named(path, tmp_path):
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"\0" * 100 + whole[100:], b"no database, but long enough for one" * 100):
        path.write_bytes(content)
        for door in (reading, writing):
            with pytest.raises(DamagedFile, match=r"small\.sqlite"), door(path):
                pass
    path.write_bytes(whole[:8192] + b"\xff" * 4096 + whole[12288:])
    with reading(path) as store:
        assert any(run is None for run, _ in store.damages())
    with pytest.raises(FileNotFoundError, match="hpo leaderboard"), reading(tmp_path / "nowhere.sqlite"):
        pass


def test_a_store_whose_making_was_interrupted_is_empty_and_can_be_filled(tmp_path):
    path = tmp_path / "s.sqlite"
    damage(path, "PRAGMA journal_mode = WAL")  # the first thing that is written to a new store
    with pytest.raises(FileNotFoundError, match=r"s\.sqlite is empty; `hpo leaderboard"), reading(path):
        pass
    run_experiment(SMALL, path, make_engine("serial"))
    with reading(path) as store:
        assert len(store.settled()) == 6


def test_other_databases_and_newer_stores_are_refused(path, tmp_path):
    other = tmp_path / "other.sqlite"
    damage(other, "CREATE TABLE runs (x)")
    damage(path, "PRAGMA user_version = 4")
    for door in (reading, writing):
        with pytest.raises(DamagedFile, match="no store of HPO Foundry"), door(other):
            pass
        with pytest.raises(DamagedFile, match=r"version 4 of the store, .* up to 3; upgrade"), door(path):
            pass


def test_merged_stores_equal_one_experiment(path, tmp_path):
    with reading(path) as store:
        expected = store.digest()
    halves = []
    for name in ("rs", "hyperband"):
        half = make_suite("half", ["branin", "counting-ones-4-4"], [name], n_seeds=2, n_trials=6, workers=2)
        halves.append(tmp_path / f"{name}.sqlite")
        run_experiment(half, halves[-1], make_engine("serial"))
    assert merge_stores(tmp_path / "all.sqlite", halves) == 6
    assert merge_stores(tmp_path / "all.sqlite", [path, *halves]) == 0
    with reading(tmp_path / "all.sqlite") as store:
        assert store.digest() == expected
        assert len(store.frames().tasks) == 2
    with pytest.raises(InvalidOption, match="into itself"):
        merge_stores(path, [path])


def test_a_run_that_came_out_differently_is_no_merge(tmp_path):
    suite = make_suite("own", ["misbehaving:line"], ["misbehaving:Unseeded"], n_seeds=1, n_trials=3)
    for name in ("a", "b"):
        run_experiment(suite, tmp_path / name, make_engine("serial"))
    with pytest.raises(ConflictingRuns, match="Unseeded, seed 0"):
        merge_stores(tmp_path / "a", [tmp_path / "b"])


def exactly(texts, kinds):
    """The frame whose numbers were written as these texts; not every pandas reads the last bit of a float."""
    numbers = [name for name, kind in kinds.items() if kind.kind == "f"]
    return (
        texts.assign(**{name: [float(text) for text in texts[name].fillna("nan")] for name in numbers})
        .astype({name: kind for name, kind in kinds.items() if kind.kind == "i"})
        .assign(failed=texts.failed == "True")
    )


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_exports_have_a_row_per_trial(path, tmp_path, ending):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / "exported" / f"trials.{ending}"
    with reading(path) as store:
        trials = store.frames().trials
    assert export_trials(path, out) == (len(trials), [])
    back = pd.read_parquet(out) if ending == "parquet" else exactly(pd.read_csv(out, dtype=str), trials.dtypes)
    pd.testing.assert_frame_equal(back, trials, check_dtype=False, check_exact=True)
    assert [p.name for p in out.parent.iterdir()] == [out.name]
    with pytest.raises(InvalidOption, match=r"\.csv"):
        export_trials(path, tmp_path / "trials.xlsx")


def test_the_command_line_of_stores(path, tmp_path, capsys):
    def call(*arguments):
        status = main(["store", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    assert "6 runs" in call("info", path)[1]
    assert call("verify", path)[1].startswith("ok: ")
    assert call("export", path, "--out", tmp_path / "t.csv")[0] == 0
    assert {"benchmark", "optimizer", "seed", "step", "budget", "loss", "cost", "config"} <= set(
        pd.read_csv(tmp_path / "t.csv").columns
    )
    assert call("merge", tmp_path / "new.sqlite", path) == (0, f"added 6 runs to {tmp_path / 'new.sqlite'}\n")
    damage(path, "UPDATE runs SET reason = 'other' WHERE rowid = 3")
    status, text = call("verify", path)
    assert status == 2
    assert "--drop-damaged" in text
    assert "removed 1" in call("verify", path, "--drop-damaged")[1]
    assert call("verify", path)[0] == 0
    assert "5 runs" in call("info", path)[1]


@pytest.mark.slow
def test_a_hundred_thousand_trials_are_read_in_seconds(tmp_path):
    job = make_plan(make_suite("one", ["protein"], ["rs"], n_seeds=1)).jobs[0]
    made = execute(job)
    jobs = [replace(job, seed=seed) for seed in range(1000)]
    with writing(tmp_path / "s.sqlite") as store:
        store.add([(j, as_run_of(j, made)) for j in jobs])
        start = time.process_time()
        assert len(store.frames().trials) == 100_000
        assert time.process_time() - start < 3.0  # some 0.4 s on a calm machine
