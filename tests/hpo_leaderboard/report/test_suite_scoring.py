"""The page follows the suite's scoring, and says in words what its tests show."""

import re

import numpy as np
import pandas as pd
import pytest
from score_tables import tasks_table, trials_table

from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.scoring import Scoring, Targets
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.report import score_store, write_report
from hpo_leaderboard.report.conclusions import conclusions
from hpo_leaderboard.report.figures.curves import regret_figure
from hpo_leaderboard.report.scored.groups import make_groups
from hpo_leaderboard.report.scored.targets import make_targets
from hpo_leaderboard.scores.incumbents import incumbents
from hpo_leaderboard.store.frames import Frames


def compared(rows):
    return pd.DataFrame(rows, columns=["benchmark", "a", "b", "p_holm"])


def test_conclusions_are_those_of_the_tests():
    pairs = {("x", "y"): 0.0005, ("y", "x"): 1.0, ("x", "z"): 0.03, ("z", "x"): 1.0, ("y", "z"): 0.4, ("z", "y"): 0.6}
    rows = [("all benchmarks", *pair, p) for pair, p in pairs.items()]
    rows += [("s", *pair, 0.01 if pair == ("x", "y") else 1.0) for pair in pairs]
    rows += [("t", *pair, 1.0) for pair in pairs]
    x, y, z = conclusions(compared(rows), ("x", "y", "z"))
    assert x.sentences == [
        "x is better than y (1 of 2 benchmarks alone) (p < .001 after Holm's correction).",
        "x is better than z (0 of 2 benchmarks alone) (p < .05 after Holm's correction).",
    ]
    assert y.sentences == ["y and z cannot be told apart with these runs.", "y is worse than x."]
    assert z.optimizer == "z"


def test_conclusions_on_one_benchmark():
    rows = [("t", "x", "y", 0.005), ("t", "y", "x", 1.0)]
    assert conclusions(compared(rows), ("x", "y"))[0].sentences == [
        "x is better than y (p < .01 after Holm's correction)."
    ]


def table_of(losses):
    trials = trials_table(losses)
    return incumbents(trials, tasks_table(trials))


def test_targets_are_those_of_the_suite():
    table = table_of({("branin", "o", 0): [3.0, 2.0], ("here, a=2", "o", 0): [5.0, 4.0]})
    fixed = make_targets(Targets("fixed", values={"branin": (1.0, 2.0)}), table, {})
    assert fixed.table[fixed.table["benchmark"] == "branin"]["target"].tolist() == [1.0, 2.0]
    assert "for here, a=2 50 quantiles of the losses that incumbents had" in fixed.words
    sobol = make_targets(Targets("sobol", n=8), table, {"here, a=2": ("forrester", {"a": 2.0})})
    assert sobol.table.groupby("benchmark").size().to_dict() == {"branin": 8, "here, a=2": 8}
    assert "Sobol" in sobol.words and "incumbents had" not in sobol.words
    other = make_targets(Targets("sobol", n=8), table.iloc[:1], {})  # whoever takes part, the same targets
    pd.testing.assert_frame_equal(other.table, sobol.table[sobol.table["benchmark"] == "branin"])


@pytest.mark.parametrize("losses, rises", [([[3.0, 2.0, 1.0]], False), ([[3.0, np.inf, 2.0]], False)])
def test_a_curve_that_rises_is_explained(losses, rises):
    trials = trials_table({("t", "o", i): own for i, own in enumerate(losses)})
    for shift, expected in ((0.0, rises), (1.5, True)):
        noisy = trials.copy()
        noisy["exact"] = np.where(np.arange(len(noisy)) == len(noisy) - 1, noisy["exact"] + shift, noisy["exact"])
        runs = pd.DataFrame({"benchmark": ["t"], "optimizer": ["o"], "n_trials": [3], "n_trials_limit": [3.0]})
        runs = runs.assign(overhead=0.1, failure=None, n_random=np.nan, seed=0)
        (group,) = make_groups(Frames(noisy, runs, tasks_table(trials)))
        assert ("It may rise" in regret_figure(group).caption) == expected


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scoring")
    settings = {"targets": {"kind": "sobol", "n": 20}, "repetitions": 2, "cutoffs": {"mini-wine": [0.5, 2.0]}}
    suite = make_suite(
        "s", ["mini-wine", "mini-airfoil"], ["rs", "re"], n_seeds=3, n_trials=12, split="test", **settings
    )
    run_experiment(suite, folder / "s.sqlite", SerialEngine())
    return score_store(folder / "s.sqlite"), write_report(folder / "s.sqlite", folder / "out")


@pytest.mark.slow
def test_the_page_shows_what_the_scoring_asks_for(scored):
    store, page = scored
    text = page.read_text()
    assert store.groups[0].scoring == Scoring(
        targets=Targets("sobol", n=20), repetitions=2, cutoffs={"mini-wine": (0.5, 2.0)}, split="test"
    )
    table = pd.read_csv(page.parent / "group-1" / "robustness.csv")
    cut = table[(table["benchmark"] == "mini-wine") & (table["over"] == "test regret")]
    assert sorted(cut["seconds"].unique()) == [0.5, 2.0]
    tested = pd.read_csv(page.parent / "group-1" / "p-values.csv")
    assert "averages of tasks" in set(tested["benchmark"])
    assert len(pd.read_csv(page.parent / "group-1" / "running-times.csv").query("over == 'seconds'")) <= 2 * 2 * 20
    assert "noise-free losses of configurations on a Sobol grid" in text
    assert re.search(r"<b>re</b> never left its random phase", text)  # a population of 100, 12 evaluations
    assert "<b>rs</b> never left" not in text
