"""Choosing runs for the page, the comparison and the export; what is left out is said."""

import re

import pandas as pd
import pytest
from packed_files import payload_of

from hpo_cli.main import main
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.report import pair, score_store


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Four optimizers on three benchmarks, and short runs of one of them."""
    path = tmp_path_factory.mktemp("choosing") / "s.sqlite"
    names = ["branin", "forrester", "hartmann3"]
    run_experiment(make_suite("s", names, ["rs", "de", "tpe", "re"], n_seeds=4, n_trials=12), path, SerialEngine())
    run_experiment(make_suite("short", ["branin"], ["tpe"], n_seeds=2, n_trials=5), path, SerialEngine())
    return path


@pytest.mark.slow
def test_runs_under_other_limits_are_left_out_and_named_on_the_page(store, tmp_path, capsys):
    assert main(["report", str(store), "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "left out: tpe: 2 runs" in out
    text = (tmp_path / "index.html").read_text()
    assert "so these are left out:" in text and "tpe: 2 runs" in text
    board = pd.read_csv(tmp_path / "group-1" / "leaderboard.csv").set_index("optimizer")
    assert sorted(board.index) == ["de", "re", "rs", "tpe"] and board.loc["tpe", "n_runs"] == 12


@pytest.mark.slow
def test_optimizers_benchmarks_and_seeds_are_chosen(store, tmp_path, capsys):
    chosen = ["--optimizers", "rs,tpe", "--benchmarks", "branin,hart*", "--seeds", "1:3"]
    assert main(["report", str(store), "--out", str(tmp_path), *chosen, "--highlight", "tpe"]) == 0
    board = pd.read_csv(tmp_path / "group-1" / "leaderboard.csv")
    assert sorted(board["optimizer"]) == ["rs", "tpe"] and set(board["n_runs"]) == {4}
    text = (tmp_path / "index.html").read_text()
    assert payload_of(text)["highlight"] == "tpe" and "forrester" not in text.partition("<script")[0]
    assert main(["store", "export", str(store), "--out", str(tmp_path / "all.csv"), *chosen]) == 0
    exported = pd.read_csv(tmp_path / "all.csv")
    assert set(exported["seed"]) == {1, 2} and set(exported["optimizer"]) == {"rs", "tpe"}
    assert set(exported["benchmark"]) == {"branin", "hartmann3"}
    assert main(["store", "export", str(store), "--out", str(tmp_path / "all.csv")]) == 0
    assert len(pd.read_csv(tmp_path / "all.csv")) == 4 * 4 * 3 * 12 + 2 * 5  # an export without choices is whole
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["report", str(store), "--seeds", "3:1"])
    assert "or A:B with A < B" in capsys.readouterr().err


def test_compare_says_in_words_what_it_found_and_what_would_be_needed(store, capsys):
    assert main(["compare", str(store), "rs", "re", "--benchmarks", "branin,hartmann3"]) == 0
    out = capsys.readouterr().out
    assert "rs and re cannot be told apart over all benchmarks with these runs" in out
    assert "Bayesian signed-rank test: rs better" in out
    assert "more seeds would tell them apart" in out or "no number of seeds up to 1,000" in out
    assert main(["compare", str(store), "tpe", "rs", "--benchmarks", "branin"]) == 0
    lines = capsys.readouterr().out
    assert "on branin" in lines and "signed-rank" not in lines  # one benchmark says nothing about others


def test_missing_seeds_are_counted_at_the_level_that_the_correction_leaves(store, monkeypatch, capsys):
    """The p-value beside them is corrected for all pairs of the four optimizers, as on the page."""
    levels = []
    monkeypatch.setattr(pair, "power", lambda values, a, b, alpha: levels.append(alpha))
    assert main(["compare", str(store), "rs", "re", "--benchmarks", "branin,hartmann3"]) == 0
    assert "cannot be told apart" in capsys.readouterr().out
    assert levels == [pytest.approx(0.05 / 6)]


@pytest.mark.slow
def test_scores_do_not_depend_on_who_takes_part(store):
    few, all_of_them = (score_store(store, optimizers=names) for names in (["rs", "tpe"], None))
    reached = [scored.groups[0].board.set_index("optimizer").loc["tpe", "reached"] for scored in (few, all_of_them)]
    assert reached[0] == reached[1]


@pytest.mark.slow
def test_figures_for_a_paper_have_the_width_and_the_names_that_are_asked_for(store, tmp_path, capsys):
    chosen = ["--optimizers", "rs,tpe", "--width", "8.4cm", "--labels", "tpe=Tree Parzen,rs=random"]
    assert main(["report", str(store), "--figures", "--out", str(tmp_path), *chosen]) == 0
    assert not (tmp_path / "index.html").exists()
    drawn = (tmp_path / "group-1" / "ranks.svg").read_text()
    assert "Tree Parzen" in drawn and ">tpe<" not in drawn
    width = float(re.search(r'<svg [^>]*width="([\d.]+)pt"', drawn)[1])
    assert width == pytest.approx(72 * 8.4 / 2.54, abs=0.1)
    capsys.readouterr()
    assert main(["report", str(store), "--width", "3in"]) == 2
    assert "add --figures" in capsys.readouterr().err
