"""Runs of every file that the package writes: listed first, read when they are wanted."""

from dataclasses import replace

import numpy as np
import pytest

from baselines import criterion
from hpo_cli.main import main
from hpo_core import Benchmark, run
from hpo_core.errors import DamagedFile, InvalidOption
from hpo_core.names import make_problem
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.stopping import recorded_runs, run_sources
from hpo_leaderboard.stopping.replay import scored, stop_of
from hpo_leaderboard.stopping.run_sources import chosen, list_runs, read_runs
from hpo_leaderboard.store.export import export_trials
from hpo_leaderboard.store.store import Store, reading


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Two benchmarks, two optimizers, three seeds."""
    path = tmp_path_factory.mktemp("runs") / "s.sqlite"
    suite = make_suite("s", ["branin", "mini-wine"], ["rs", "de"], n_seeds=3, n_trials=12)
    run_experiment(suite, path, make_engine("serial"))
    return path


def assert_equal(first, second):
    assert first[:3] == second[:3]
    assert first.trials == second.trials
    assert first.space == second.space
    assert first.optimum == second.optimum
    np.testing.assert_array_equal(first.validation, second.validation)
    np.testing.assert_array_equal(first.test, second.test)


@pytest.mark.parametrize("name", ["trials.csv", "trials.csv.gz", "trials.parquet"])
def test_an_exported_store_has_the_same_runs(store, tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    export_trials(store, tmp_path / name)
    stored, exported = read_runs(store), read_runs(tmp_path / name)
    assert len(stored) == len(exported) == 12
    for first, second in zip(stored, exported, strict=True):
        assert_equal(first, second)


def test_saved_runs_have_the_numbers_of_a_store(tmp_path):
    for seed in range(2):
        run("mini-wine", "rs", n_trials=8, seed=seed).save(tmp_path / f"{seed}.jsonl")
    first, second = read_runs(tmp_path)
    assert (first.benchmark, first.optimizer, first.seed, second.seed) == ("mini-wine", "rs", 0, 1)
    benchmark = Benchmark("mini-wine")
    results = [benchmark.objective(trial.config) for trial in first.trials]
    assert first.validation.tolist() == [result.loss for result in results]
    assert first.test.tolist() == [result.info["test_loss"] for result in results]
    (alone,) = read_runs(tmp_path / "0.jsonl")
    assert_equal(alone, first)


def test_a_saved_run_of_an_unknown_benchmark_has_the_space_that_its_runs_span(tmp_path):
    for seed in range(2):
        replace(run("branin", "rs", n_trials=5, seed=seed), benchmark="elsewhere").save(tmp_path / f"{seed}.jsonl")
    runs = read_runs(tmp_path)
    lowest = min(trial.config["x1"] for one in runs for trial in one.trials)
    assert runs[0].space == runs[1].space
    assert runs[0].space["x1"].low == lowest
    assert np.isnan(runs[0].optimum)


def test_nothing_is_read_of_runs_that_are_not_chosen(store, monkeypatch):
    read = []
    one = Store.run
    monkeypatch.setattr(Store, "run", lambda self, key: read.append(key) or one(self, key))
    monkeypatch.setattr(Store, "runs", None)
    listed = chosen(list_runs(store), ["branin"], ["de"], range(2))
    assert [(found.benchmark, found.optimizer, found.seed) for found in listed] == [
        ("branin", "de", 0),
        ("branin", "de", 1),
    ]
    assert not read
    assert len(listed[0].read().trials) == 12
    assert len(read) == 1


def test_a_benchmark_is_opened_once(store, tmp_path, monkeypatch):
    export_trials(store, tmp_path / "trials.csv")
    opened = []
    monkeypatch.setattr(recorded_runs, "Benchmark", lambda name: opened.append(name) or Benchmark(make_problem(name)))
    for path in (store, tmp_path / "trials.csv"):
        opened.clear()
        read_runs(path)
        assert sorted(opened) == ["branin", "mini-wine"]


def test_an_optimizer_may_be_named_without_its_version():
    runs = [run_sources.ListedRun("b", name, 0, lambda: None) for name in ("tpe 0.1.0", "tpe-univariate", "rs")]
    assert [found.optimizer for found in chosen(runs, optimizers=["tpe"])] == ["tpe 0.1.0"]


def test_directories_and_files_without_runs(tmp_path):
    with pytest.raises(InvalidOption, match="has none"):
        read_runs(tmp_path)
    (tmp_path / "cut.jsonl").write_text("{}\n")
    with pytest.raises(DamagedFile):
        read_runs(tmp_path)
    (tmp_path / "trials.parquet").write_bytes(b"no table")
    with pytest.raises(DamagedFile, match="Parquet"):
        read_runs(tmp_path / "trials.parquet")


def test_what_hpo_run_writes_is_replayed(tmp_path, capsys):
    assert main(["run", "branin", "rs", "--trials", "20", "--seeds", "2", "--out", str(tmp_path / "runs")]) == 0
    capsys.readouterr()
    assert main(["stop", "replay", str(tmp_path / "runs"), "--criteria", "limit:5", "--json"]) == 0
    assert '"rtc": 0.75' in capsys.readouterr().out


def test_seconds_saved_count_what_a_promotion_costs(tmp_path):
    """svm-subsets trains from scratch at a larger budget, so its clock counts the whole cost of each trial."""
    savings = []
    for resume in (None, True):
        run("svm-subsets", "hyperband", n_trials=160, seed=0, resume=resume).save(tmp_path / "run.jsonl")
        (read,) = read_runs(tmp_path / "run.jsonl")
        clock = np.cumsum([trial.cost for trial in read.trials])
        whole = np.cumsum([trial.result.cost for trial in read.trials])
        assert (clock[-1] < whole[-1]) == bool(resume)
        savings.append(scored(read, "c", 80, "", True)["rtc_time"])
        assert savings[-1] == pytest.approx(1.0 - clock[79] / clock[-1])
        limit = criterion("limit", read.space, max_cost=float(clock[79]) * 0.9999)
        assert stop_of(limit, read.trials)[0] == 80
    assert savings[0] != savings[1]


def test_the_heads_of_a_store_are_its_runs_without_their_trials(store):
    with reading(store) as opened:
        whole = list(opened.runs())
        assert list(opened.heads()) == [one._replace(numbers=b"", configs=b"") for one in whole]
        assert opened.run(whole[3].key) == whole[3]
        with pytest.raises(DamagedFile, match="no longer"):
            opened.run("0" * 64)


def test_pictures_of_a_run_without_a_success_are_drawn(tmp_path, capsys):
    made = run("branin", "rs", n_trials=6)
    failed = [t._replace(result=t.result._replace(loss=np.inf), failure="crash") for t in made.trials]
    replace(made, benchmark="elsewhere", trials=tuple(failed)).save(tmp_path / "r.jsonl")
    replay = ["stop", "replay", str(tmp_path / "r.jsonl"), "--criteria", "conv:2", "--out", str(tmp_path / "page")]
    assert main(replay) == 0
    assert (tmp_path / "page" / "overfitting.png").is_file()
