"""Exports in COCO's format, read back by cocopp and compared with this project's own numbers."""

import warnings
from unittest.mock import Mock
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest

import hpo_foundry as hpo
from hpo_core.errors import InvalidOption
from hpo_leaderboard.exports.exporting import export_runs
from hpo_leaderboard.scores.fixed_target.runtimes import runtimes
from hpo_leaderboard.scores.incumbents import incumbents

NAMES = [f"bbob/f{f}-i{i}-d{d}" for f, d in ((1, 2), (1, 5), (8, 2), (21, 5)) for i in (1, 4)]


@pytest.fixture(scope="module")
def cocopp():
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setattr("urllib.request.urlopen", Mock(side_effect=URLError("no network in tests")))
        warnings.simplefilter("ignore")
        return pytest.importorskip("cocopp", reason="not installed: pip install cocopp six")


def runs_of(names, optimizers=("rs", "de"), seeds=(0, 1, 2), n_trials=80):
    return [
        hpo.run(hpo.Benchmark(n), o, n_trials=n_trials + s, seed=s) for n in names for o in optimizers for s in seeds
    ]


def loaded(cocopp, folder):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.filterwarnings("ignore", message="  less than|.*was not consistent|  instance numbers not among")
        warnings.filterwarnings("error", message=".*(maxevals|First evaluation|not monotone|additional attribute).*")
        return cocopp.load(str(folder))


def times_of(table, names, targets):
    """(target, run) evaluations after which runs reached distances from the optimum, inf for never."""
    goals = [(name, hpo.Benchmark(name).optimum + target) for name in names for target in targets]
    return runtimes(table, pd.DataFrame(goals, columns=["benchmark", "target"])).to_numpy().T


@pytest.mark.slow
def test_cocopp_reads_the_runtimes_of_the_runs(cocopp, tmp_path, capsys):
    runs = runs_of(NAMES)
    assert export_runs(runs, tmp_path / "x", "coco")[:2] == (len(runs), sum(len(run.trials) for run in runs))
    assert sorted(path.name for path in (tmp_path / "x" / "bbob").iterdir()) == ["de", "rs"]
    for optimizer in ("rs", "de"):
        own = incumbents([run for run in runs if run.optimizer == optimizer])
        datasets = loaded(cocopp, tmp_path / "x" / "bbob" / optimizer)
        assert [(data.funcId, data.dim) for data in datasets] == [(1, 2), (8, 2), (1, 5), (21, 5)]
        for data in datasets:
            assert (data.algId, data.suite_name) == (optimizer, "bbob")
            assert list(data.instancenumbers) == [1, 1, 1, 4, 4, 4]
            assert list(data.maxevals) == [80, 81, 82] * 2
            names = [f"bbob/f{data.funcId}-i{i}-d{data.dim}" for i in (1, 4)]
            theirs, targets = data.evals[:, 1:], data.evals[:, 0]
            mine = times_of(own[own["benchmark"].isin(names)], names, targets)
            # cocopp takes its targets as reached within a relative 1e-9
            assert np.array_equal(np.where(np.isnan(theirs), np.inf, theirs), mine) and len(targets) > 5
            spent = np.where(np.isfinite(mine), mine, np.array([80, 81, 82] * 2)).sum(axis=1)
            np.testing.assert_allclose(data.ert, spent / np.isfinite(mine).sum(axis=1), rtol=1e-12)
    capsys.readouterr()


def test_cocopp_reads_final_values_and_values_at_evaluations(cocopp, tmp_path, capsys):
    runs = runs_of(["bbob-mixint/f1-i2-d5"], optimizers=("rs",), n_trials=260)
    export_runs(runs, tmp_path / "x", "coco")
    (data,) = loaded(cocopp, tmp_path / "x" / "bbob-mixint" / "rs")
    optimum = hpo.Benchmark("bbob-mixint/f1-i2-d5").optimum
    best = [np.minimum.accumulate([trial.loss for trial in run.trials]) - optimum for run in runs]
    assert data.finalfunvals.tolist() == [own[-1] for own in best]
    evaluations = {int(number) for number in data.funvals[:, 0]}
    assert {1, 2, 5, 10, 125, 250, 251, 260, 261, 262} <= evaluations  # 1, 2, 5 x 5 dimensions, 10^(k/20), the ends
    for row in data.funvals:
        assert row[1:].tolist() == [own[min(int(row[0]), len(own)) - 1] for own in best]
    capsys.readouterr()


def test_values_are_those_of_coco_itself(tmp_path, monkeypatch):
    """The same points through COCO's own logger: the same lines in the .dat file, to its number of digits."""
    cocoex = pytest.importorskip("cocoex")
    monkeypatch.chdir(tmp_path)
    run = hpo.run(hpo.Benchmark("bbob/f12-i3-d2"), "rs", n_trials=200)
    export_runs([run], tmp_path / "x", "coco")
    suite = cocoex.Suite("bbob", "instances:3", "dimensions:2 function_indices:12")
    observer = cocoex.Observer("bbob", "result_folder:theirs algorithm_name:rs")
    problem = suite.get_problem(0, observer)
    for trial in run.trials:
        problem([trial.config["x1"], trial.config["x2"]])
    problem.free()
    for ending in ("dat", "tdat"):
        theirs, mine = (
            {
                int(line.split()[0]): [float(word) for word in line.split()[2:]]
                for line in path.read_text().split("\n")[1:-1]
            }
            for path in (
                tmp_path / "exdata" / "theirs" / "data_f12" / f"bbobexp_f12_DIM2.{ending}",
                tmp_path / "x" / "bbob" / "rs" / "data_f12" / f"bbobexp_f12_DIM2.{ending}",
            )
        )
        assert set(theirs) <= set(mine)  # COCO leaves out improvements that reach none of its targets
        del theirs[200], mine[200]  # COCO repeats the best configuration at the end
        for evaluation, line in theirs.items():
            np.testing.assert_allclose(mine[evaluation], line, rtol=1e-4)
            np.testing.assert_allclose(mine[evaluation][:3], line[:3], rtol=1e-9)


def test_other_benchmarks_are_left_out_or_refused(tmp_path):
    other = hpo.run(hpo.Benchmark("branin"), "rs", n_trials=5)
    with pytest.raises(InvalidOption, match=r"nothing to export.*branin.*bbob and bbob-mixint only.*--format ioh"):
        export_runs([other], tmp_path / "x", "coco")
    assert list(tmp_path.iterdir()) == []
    both = [other, hpo.run(hpo.Benchmark("bbob/f1-i1-d2"), "rs", n_trials=5)]
    exported = export_runs(both, tmp_path / "x", "coco")
    assert exported.n_runs == 1 and "branin" in exported.left_out[0]
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["bbob"]


def test_a_label_with_any_characters_is_one_that_cocopp_reads(cocopp, tmp_path, capsys):
    import dataclasses

    run = hpo.run(hpo.Benchmark("bbob/f1-i1-d2"), "rs", n_trials=30)
    labels = ["re(population=20, 'x')", "../../up", "a, b = 'c'\n%", "öäü"]
    export_runs([dataclasses.replace(run, optimizer=label) for label in labels], tmp_path / "x", "coco")
    folders = list((tmp_path / "x" / "bbob").iterdir())
    assert len(folders) == 4 and [path.name for path in tmp_path.iterdir()] == ["x"]
    for folder in folders:
        (data,) = loaded(cocopp, folder)
        assert data.algId == folder.name and data.maxevals.tolist() == [30]
    capsys.readouterr()
