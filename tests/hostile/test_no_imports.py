"""No command imports what a received file names: tables, models, stores, runs, tables of trials and suites."""

import sys

import pytest

from hpo_cli.main import main
from hpo_core import Benchmark, run
from hpo_core.storage.sealed_hdf5 import read_sealed, write_sealed
from profet.family import shipped_model
from profet.model_file import KIND as MODEL
from tabular import write_table
from tabular.hdf5 import TABLE

PLANTED = "planted:problem"


@pytest.fixture
def touched(tmp_path, monkeypatch):
    """A file that appears when the planted module is imported, which lies in the current directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "planted", raising=False)
    (tmp_path / "planted.py").write_text(f"open({str(tmp_path / 'TOUCHED')!r}, 'w').close()\n")
    return tmp_path / "TOUCHED"


def renamed(source, target, kind):
    """A sound file whose header has the planted name wherever there is a text."""
    header, columns = read_sealed(source, kind)
    for key in ("name", "family", "tasks", "provenance"):
        if key in header:
            header[key] = {str: PLANTED, list: [PLANTED] * len(header[key]), dict: {"source": PLANTED}}[
                type(header[key])
            ]
    write_sealed(target, kind, header, columns)
    return target


def test_a_table_names_nothing_that_is_imported(touched, tmp_path):
    write_table(Benchmark("mini-airfoil").problem.table, tmp_path / "mine.h5")
    received = renamed(tmp_path / "mine.h5", tmp_path / "received.h5", TABLE)
    for words in (["info", str(received)], ["import", str(received), "--name", "received"], ["info", "received"]):
        assert main(["table", *words]) == 0
    assert main(["table", "import", str(received), "--name", PLANTED]) == 2
    assert not touched.exists()


def test_a_model_names_nothing_that_is_imported(touched, tmp_path):
    received = renamed(shipped_model("svm"), tmp_path / "model.h5", MODEL)
    assert main(["profet", "info", str(received)]) == 0
    assert main(["profet", "sample", str(received), "--n", "1"]) == 0
    assert not touched.exists()


def test_runs_and_tables_of_trials_name_nothing_that_is_imported(touched, tmp_path, capsys):
    run("branin", "rs", n_trials=20).save(tmp_path / "run.jsonl")
    text = (tmp_path / "run.jsonl").read_text()
    (tmp_path / "run.jsonl").write_text(text.replace('"branin"', f'"{PLANTED}"').replace('"rs"', f'"{PLANTED}"'))
    main(["stop", "replay", "run.jsonl"])
    lines = [
        "benchmark,optimizer,seed,step,loss,cost",
        *(f"{PLANTED},{PLANTED},0,{i},{1 / (i + 1)},1" for i in range(9)),
    ]
    (tmp_path / "runs.csv").write_text("\n".join(lines))
    main(["stop", "replay", "runs.csv"])
    assert not touched.exists()


def test_a_suite_out_of_a_report_is_refused_until_it_is_allowed(touched, tmp_path, capsys):
    (tmp_path / "suite.toml").write_text(f'benchmarks = ["{PLANTED}"]\noptimizers = ["rs"]\nn_seeds = 1\n')
    for words in (
        ["leaderboard", "suite.toml"],
        ["leaderboard", "suite.toml", "--dry-run"],
        ["store", "missing", "suite.toml", "s"],
    ):
        assert main(words) == 2
        assert "--allow-import" in capsys.readouterr().err
    assert not touched.exists()
    main(["leaderboard", "suite.toml", "--allow-import", "--engine", "serial", "--store", "s.sqlite"])
    assert touched.exists()  # so the module is found, and what is refused above would have imported it
