"""Exports in IOHprofiler's format, read back by iohinspector and compared with the runs."""

import json

import numpy as np
import pandas as pd
import pytest
from score_tables import tasks_table, trials_table

import hpo_foundry as hpo
from hpo_leaderboard.exports.exporting import export_runs
from hpo_leaderboard.scores.fixed_target.expected_running_times import expected_running_times
from hpo_leaderboard.scores.from_runs import tables_of
from hpo_leaderboard.scores.incumbents import incumbents
from hpo_leaderboard.store.frames import Frames


@pytest.fixture
def manager():
    inspector = pytest.importorskip("iohinspector", reason="not installed: pip install iohinspector")
    return inspector.DataManager()


def rows_of(manager):
    """Lines of the .dat files, as dicts."""
    return manager.load(monotonic=False, include_meta_data=True).to_dicts()


def chosen(rows, **values):
    return [row for row in rows if all(row[key] == value for key, value in values.items())]


def best_so_far(run):
    """Noise-free loss of the incumbents of a run, the lowest so far; tables have noise."""
    b = hpo.Benchmark(run.benchmark)
    exact = np.array([b.objective(trial.config).loss for trial in run.trials])
    observed = [trial.loss for trial in run.trials]
    incumbent = [int(np.argmin(observed[:n])) for n in range(1, len(observed) + 1)]
    return np.minimum.accumulate(exact[incumbent])


@pytest.mark.slow
def test_iohinspector_reads_the_runs(manager, tmp_path):
    problems = {
        "bbob/f1-i3-d2": ("bbob", 1, "Sphere", 3, 2),
        "bbob/f1-i4-d2": ("bbob", 1, "Sphere", 4, 2),
        "bbob/f1-i3-d5": ("bbob", 1, "Sphere", 3, 5),
        "bbob-mixint/f8-i1-d5": ("bbob-mixint", 8, "Rosenbrock", 1, 5),
        "protein": ("hpo-foundry", 1, "protein", 1, 9),
    }
    runs = [hpo.run(hpo.Benchmark(n), o, n_trials=60, seed=s) for n in problems for o in ("rs", "de") for s in (5, 6)]
    export_runs(runs, tmp_path / "x", "ioh")
    manager.add_folder(str(tmp_path / "x"))
    lines, overview = rows_of(manager), manager.overview.to_dicts()
    assert len(overview) == len(runs)
    for run in runs:
        keys = ("suite", "function_id", "function_name", "instance", "dimension")
        of = dict(zip(keys, problems[run.benchmark], strict=True)) | {"algorithm_name": run.optimizer}
        record = sorted(chosen(overview, **of), key=lambda record: record["run_id"])[run.seed - 5]
        best, optimum = best_so_far(run), hpo.Benchmark(run.benchmark).optimum
        assert (record["evals"], record["best_y"]) == (60, best[-1] - optimum)
        rows = chosen(lines, data_id=record["data_id"])
        assert [row["evaluations"] for row in rows] == sorted({1, 60, *(np.flatnonzero(np.diff(best)) + 2)})
        for row in rows:
            place = row["evaluations"] - 1
            assert row["raw_y"] == pytest.approx(best[place] - optimum, rel=1e-14)
            assert row["loss"] == pytest.approx(best[place], rel=1e-14)
            assert row["seconds"] == pytest.approx(run.trials[place].end, rel=1e-14)


def test_expected_running_times_equal_ours(manager, tmp_path):
    metrics = pytest.importorskip("iohinspector.metrics")
    name = "bbob/f3-i1-d2"
    runs = [hpo.run(hpo.Benchmark(name), o, n_trials=40, seed=s) for o in ("rs", "de") for s in range(5)]
    export_runs(runs, tmp_path / "x", "ioh")
    manager.add_folder(str(tmp_path / "x"))
    data = manager.load(monotonic=True, include_meta_data=True)
    theirs = metrics.aggregate_running_time(data, eval_max=40, f_min=1e-2, f_max=1e2, return_as_pandas=True)
    theirs = theirs.sort_values(["algorithm_name", "raw_y"])
    targets = hpo.Benchmark(name).optimum + np.sort(theirs["raw_y"].unique()) * (1 + 1e-12)
    mine = expected_running_times(incumbents(runs), pd.DataFrame({"benchmark": name, "target": targets}))
    assert mine["n_success"].tolist() == theirs["success_count"].tolist()
    reached = mine["n_success"].to_numpy() > 0
    assert np.allclose(mine["ert"][reached], theirs["ERT"].to_numpy()[reached]) and reached.sum() > 10


def test_the_files_are_like_those_of_ioh_itself(tmp_path):
    """Keys and columns of IOHexperimenter 0.3.22 with a run attribute and two watched values."""
    export_runs([hpo.run(hpo.Benchmark("bbob/f1-i2-d2"), "rs", n_trials=9, seed=4)], tmp_path / "x", "ioh")
    folder = tmp_path / "x" / "bbob" / "rs"
    content = json.loads((folder / "IOHprofiler_f1_Sphere.json").read_text())
    assert list(content) == [
        *("version", "suite", "function_id", "function_name", "maximization", "algorithm"),
        *("run_attributes", "attributes", "scenarios"),
    ]
    assert (content["function_id"], content["function_name"], content["maximization"]) == (1, "Sphere", False)
    assert content["run_attributes"] == ["seed"] and content["attributes"][:2] == ["evaluations", "raw_y"]
    (scenario,) = content["scenarios"]
    (run,) = scenario["runs"]
    assert scenario["path"] == "data_f1_Sphere/IOHprofiler_f1_DIM2.dat"
    assert list(run) == ["instance", "evals", "best", "seed"] and list(run["best"]) == ["evals", "y", "x"]
    assert (run["instance"], run["evals"], run["seed"], len(run["best"]["x"])) == (2, 9, 4, 2)
    assert (folder / scenario["path"]).read_text().split("\n")[0] == "evaluations raw_y loss seconds"


def test_failures_and_unknown_optima(manager, tmp_path):
    """Two runs, the first of which fails at first: readers tell runs apart by their first evaluation."""
    trials = trials_table({("own", "rs", 0): [np.inf, 5e-7, np.inf, 4e-9], ("own", "rs", 1): [2.0, 1e22, -1.0]})
    frames = Frames(trials, tables_of(trials).runs, tasks_table(trials, optimum=np.nan))
    export_runs(frames, tmp_path / "x", "ioh")
    manager.add_folder(str(tmp_path / "x"))
    first, second = (chosen(rows_of(manager), run_id=number) for number in (1, 2))
    assert [(row["evaluations"], row["raw_y"]) for row in first] == [(1, np.inf), (2, 5e-7), (4, 4e-9)]
    assert [(row["evaluations"], row["raw_y"]) for row in second] == [(1, 2.0), (3, -1.0)]
    assert manager.overview["best_y"].to_list() == [4e-9, -1.0]


def test_names_of_benchmarks_with_any_characters(manager, tmp_path):
    names = ["profet-svm/3", "a b/../c", "x" * 200]
    trials = trials_table({(name, "my:Search(a=1, b='/')", 0): [1.0] for name in names})
    frames = Frames(trials, tables_of(trials).runs, tasks_table(trials))
    export_runs(frames, tmp_path / "x", "ioh")
    manager.add_folder(str(tmp_path / "x"))
    assert set(manager.overview["function_name"]) == set(names)
    assert set(manager.overview["algorithm_name"]) == {"my:Search(a=1, b='/')"}
    assert sorted(manager.overview["function_id"]) == [1, 2, 3]
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
