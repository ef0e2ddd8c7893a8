"""Problems whose configurations differ in their keys, from the run to the page."""

import json

import pandas as pd
import pytest
import shaped_problems
from shaped_problems import LISTED, SVM

from hpo_cli.main import main
from hpo_core import Benchmark, Run, run
from hpo_core.errors import InvalidConfig

SPACES = {"shaped_problems:svm": SVM, "shaped_problems:listed": LISTED}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shaped")
    arguments = ["--benchmarks", ",".join(SPACES), "--optimizers", "rs,re,hyperband", "--seeds", "2", "--trials", "12"]
    where = ["--store", str(folder / "store.sqlite"), "--out", str(folder / "page"), "--engine", "serial"]
    assert main(["leaderboard", "quick", *arguments, *where]) == 0
    return folder / "store.sqlite"


@pytest.mark.slow
def test_runs_are_stored_verified_and_exported_with_their_configurations(store, tmp_path):
    assert main(["store", "verify", str(store)]) == 0
    assert main(["store", "export", str(store), "--out", str(tmp_path / "all.csv")]) == 0
    frame = pd.read_csv(tmp_path / "all.csv")
    assert set(frame["optimizer"]) == {"rs", "re", "hyperband"}
    for name, rows in frame.groupby("benchmark"):
        configs = [json.loads(text) for text in rows["config"]]
        assert len({tuple(config) for config in configs}) > 3  # of differing keys
        for config in configs:
            SPACES[name].check(config)


@pytest.mark.slow
def test_the_page_scores_them_by_targets_of_the_space(store):
    page = (store.parent / "page" / "index.html").read_text()
    assert "shaped_problems:svm" in page
    assert "those depend on the optimizers compared" not in page  # as where the random targets could not be drawn


def test_frames_and_files_of_a_run_have_empty_cells(tmp_path):
    b = Benchmark(shaped_problems.svm())
    r = run(b, "rs", n_trials=30, seed=1)
    r.save(tmp_path / "run.jsonl")
    assert Run.load(tmp_path / "run.jsonl") == r
    frame = r.frame()
    assert frame["gamma"].isna().sum() == sum("gamma" not in trial.config for trial in r.trials) > 0
    losses = [b.objective(trial.config).loss for trial in r.trials]
    assert b.objective_batch(frame[list(SVM.names)])[0].tolist() == losses
    frame.to_csv(tmp_path / "run.csv", index=False)
    assert b.objective_batch(pd.read_csv(tmp_path / "run.csv")[list(SVM.names)])[0].tolist() == losses


def test_an_optimizer_that_proposes_what_is_forbidden_is_told_the_clause(capsys):
    with pytest.raises(InvalidConfig, match=r"must not have kernel in \['poly'\] and degree in \[5\], got"):
        run(shaped_problems.svm(), shaped_problems.Careless, n_trials=3)
    assert main(["run", "shaped_problems:svm", "shaped_problems:Careless", "--trials", "3"]) == 1
    assert "kernel in ['poly'] and degree in [5]" in capsys.readouterr().out
