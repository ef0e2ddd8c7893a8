"""Pieces of the report by themselves: grids, distributions, colours, suites, pairs, LaTeX."""

import json
import re
import tomllib

import numpy as np
import pandas as pd
import pytest
from score_tables import random_losses, tasks_table, trials_table

from hpo_core.errors import InvalidOption
from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.experiments.plan import BenchmarkRecord
from hpo_leaderboard.experiments.scoring import Scoring, Targets
from hpo_leaderboard.experiments.suite import open_suite
from hpo_leaderboard.report.described import describe_benchmarks, describe_optimizers
from hpo_leaderboard.report.figures.comparisons import N_VALUES, _distribution
from hpo_leaderboard.report.figures.curves import grid_points
from hpo_leaderboard.report.figures.figure import numbers
from hpo_leaderboard.report.figures.palette import DASHES, styles
from hpo_leaderboard.report.latex import escaped, latex_number
from hpo_leaderboard.report.page import script_json
from hpo_leaderboard.report.pair import compare_pair
from hpo_leaderboard.report.papers import Link, links
from hpo_leaderboard.report.recipe import recipe
from hpo_leaderboard.report.suites import suite_files
from hpo_leaderboard.report.tables import number
from hpo_leaderboard.scores.incumbents import incumbents
from hpo_leaderboard.scores.robustness import robustness


def table_of(losses):
    trials = trials_table(losses)
    return incumbents(trials, tasks_table(trials))


@pytest.mark.parametrize("n_trials", [1, 7, 5000])
@pytest.mark.parametrize("over", ["evaluations", "seconds", "share"])
def test_places_are_few_and_reach_from_the_first_trial_to_the_end(n_trials, over):
    table = table_of({("t", "o", 0): np.linspace(1, 0, n_trials), ("t", "o", 1): [1.0]})
    grid = grid_points(table, over, 40)
    assert len(grid) == min(n_trials, 40) if over == "evaluations" and n_trials < 40 else 1 <= len(grid) <= 40
    assert (np.diff(grid) > 0).all()
    assert grid[-1] == (1.0 if over == "share" else n_trials)
    assert grid[0] == (1 / n_trials if over == "share" else 1.0)
    if over == "evaluations":
        assert (grid == np.round(grid)).all()


def test_places_where_nothing_takes_time():
    trials = trials_table({("t", "o", 0): [1.0, 2.0]}, cost={("t", "o", 0): [0.0, 0.0]})
    assert grid_points(incumbents(trials, tasks_table(trials)), "seconds").tolist() == [0.0]


@pytest.mark.parametrize("n_runs", [5, 400])
def test_distributions_are_exact_where_they_are_given(n_runs):
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([["t"], ["a", "b"], range(n_runs)], names=["benchmark", "optimizer", "seed"])
    values = pd.Series(rng.exponential(size=2 * n_runs), index=index)
    values.iloc[0] = np.inf
    view = _distribution(robustness(values), "regret")
    assert len(view.x) == min(2 * n_runs - 1, N_VALUES)
    for line in view.lines:
        own = values.xs(line.optimizer, level="optimizer").to_numpy()
        np.testing.assert_allclose(line.y, [(own <= x).mean() for x in view.x])
    assert view.lines[0].y[-1] == pytest.approx(1 - 1 / n_runs)


def test_looks_belong_to_names():
    quick = open_suite("quick")
    looks = styles(member.label for member in quick.optimizers)
    assert len(set(looks.values())) == len(quick.optimizers)
    assert all(styles([name]) == {name: look} for name, look in looks.items())
    assert styles(["mine", "rs"])["mine"] == styles(["mine", "tpe", "another"])["mine"]
    others = styles(f"mine {i}" for i in range(40)).values()
    assert len({look.colour for look in others}) > 20 and {look.dash for look in others} == set(DASHES)
    assert all(re.fullmatch("#[0-9a-f]{6}", look.colour) for look in others)


def test_papers_are_linked():
    assert [link.address for link in links("Bergstra et al. (2011); Falkner et al. (2018)")] == [
        "https://arxiv.org/abs/1807.01774"
    ]
    assert links("Me (2030), doi:10.1000/x.1.") == [Link("doi:10.1000/x.1.", "https://doi.org/10.1000/x.1.")]
    assert links("Me (2030), arXiv:2030.00001, section 2")[0].text == "arXiv:2030.00001"
    assert links("") == []


def described_job(benchmark, optimizer):
    return json.loads(job(benchmark, optimizer).description)


def test_benchmarks_and_optimizers_are_described_in_a_line():
    said = [
        described_job(Member("branin"), Member("bohb", {"eta": 4}, "fast")),
        described_job(Member("x"), Member("m:Own")),
    ]
    fast, own = describe_optimizers(["fast 0.2.0", "m:Own"], said)
    assert fast.line == "Hyperband with configurations from a kernel density estimate (eta = 4)"
    assert (fast.paper, fast.links[0].text) == ("Falkner et al. (2018)", "arXiv:1807.01774")
    assert (own.line, own.paper) == ("Own of the module m", "")
    tasks = [
        BenchmarkRecord(name, "c", "profet", None, None, 1.0, 1, json.dumps({"source": f"sampled task {i}"}))
        for i, name in enumerate([f"profet-svm/{n}" for n in (5, 6, 7, 800)])
    ]
    said = [described_job(Member(task.benchmark), Member("rs")) for task in tasks]
    (row,) = describe_benchmarks([task.benchmark for task in tasks], said, tasks)
    assert row.name == "profet-svm/5 ... profet-svm/800" and row.line.startswith("4 benchmarks")
    assert row.links[0].text == "arXiv:1905.12982"


def test_the_recipe_names_extras_and_modules_of_your_own():
    members = [Member("cmaes"), Member("optuna-tpe"), Member("my_search:Mine")]
    said = [described_job(Member(name), member) for name in ("branin", "cv-rf-protein") for member in members]
    lines = recipe("s.sqlite", {"hpo-foundry": "1.2"}, ["suite.toml"], said, "0123456789abcdef")
    assert lines[0] == 'pip install "hpo-foundry[cmaes,collect,peers,report]==1.2"'
    assert any("PYTHONPATH: my_search" in line for line in lines)
    assert "hpo leaderboard suite.toml --store s.sqlite --out report" in lines


def test_numbers_for_the_page():
    assert numbers(np.array([0.123456, np.inf, -np.inf, np.nan, 0.0])) == [0.1235, None, None, None, 0.0]
    assert [number(value) for value in (0.000123456, np.inf, np.nan)] == ["0.000123", "∞", "-"]
    assert json.loads(script_json({"</script>": 1})) == {"</script>": 1}
    assert "<" not in script_json({"</script>": 1})
    with pytest.raises(ValueError):
        script_json([float("nan")])


def test_latex():
    assert latex_number("3.19e-05") == r"$3.19\times10^{-5}$"
    assert latex_number("0.25") == "0.25"
    assert latex_number("∞") == r"$\infty$"
    assert latex_number("0.25", bold=True) == r"\textbf{0.25}"
    assert latex_number("3.19e-05", bold=True) == r"{\boldmath$3.19\times10^{-5}$}"  # \textbf leaves math as it is
    assert escaped(r"a\b_{c}^~") == r"a\textbackslash{}b\_\{c\}\textasciicircum{}\textasciitilde{}"


def job(benchmark, optimizer, seed=0, **limits):
    limits = {"n_trials": 10, "max_cost": None, "full_cost": None, "workers": 1, "suite_version": 2, **limits}
    return Job(benchmark=benchmark, checksum="c", optimizer=optimizer, version="1", seed=seed, **limits)


def test_suites_from_runs(tmp_path):
    small = Member("re", {"population": 5, "nested": {"a": [1, 2.5]}, "flag": True}, "small é")
    members = [Member("rs"), small, Member("re", {"population": 7})]
    jobs = [job(Member(b), o, seed) for b in ("x", "y") for o in members for seed in range(3)]
    jobs += [job(Member("z"), Member("rs"), 4, max_cost=1.5, workers=2, resume=False)]
    files = suite_files([json.loads(each.description) for each in jobs], 'my "suite"')
    assert list(files) == ["suite-1.toml", "suite-2.toml"]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    first, second = (open_suite(tmp_path / name) for name in files)
    assert [member.label for member in first.benchmarks] == ["x", "y"]
    assert sorted(member.label for member in first.optimizers) == sorted(member.label for member in members)
    assert next(member for member in first.optimizers if member.label == "small é") == small
    assert (first.n_seeds, first.n_trials, first.max_cost, first.workers, first.version) == (3, 10, None, 1, 2)
    assert (first.resume, second.resume) == (None, False)
    assert (list(second.seeds), second.max_cost, second.workers) == ([4], 1.5, 2)
    assert first.name == 'my "suite"'


def test_suites_from_runs_are_scored_as_theirs_was(tmp_path):
    targets = Targets("fixed", values={"x": (0.2, 0.3)})
    scoring = Scoring("lowest-loss", targets, repetitions=3, cutoffs={"x": (10.0,)}, split="test")
    for given in (scoring, Scoring()):
        (text,) = suite_files([json.loads(job(Member("x"), Member("rs")).description)], "s", given).values()
        (tmp_path / "s.toml").write_text(text)
        assert open_suite(tmp_path / "s.toml").scoring == given
    assert "targets" not in text  # the usual scoring takes no lines


def test_optimizers_under_one_label_come_into_suites_of_their_own():
    twins = [Member("re", {"population": n}, "re") for n in (5, 7)]
    files = suite_files([json.loads(job(Member("x"), each).description) for each in twins], "s")
    parsed = [tomllib.loads(text)["optimizers"] for text in files.values()]
    assert sorted(entry["options"]["population"] for entries in parsed for entry in entries) == [5, 7]
    assert list(map(len, parsed)) == [1, 1]


def test_pairs_are_compared_alike_from_either_side():
    table = table_of(random_losses(0, n_tasks=3, n_runs=6))
    straight = compare_pair(table, "optimizer0", "optimizer2").set_index("benchmark")
    turned = compare_pair(table, "optimizer2", "optimizer0").set_index("benchmark")
    assert list(straight.index) == ["task0", "task1", "task2", "all benchmarks"]
    np.testing.assert_allclose(straight["effect"], 1 - turned["effect"])
    np.testing.assert_allclose(straight["effect_low"], 1 - turned["effect_high"])
    np.testing.assert_array_equal(straight["median_a"], turned["median_b"])
    np.testing.assert_array_equal(straight["p_holm"], turned["p_holm"])
    assert straight.loc["all benchmarks", "effect"] == pytest.approx(straight["effect"].iloc[:3].mean())
    assert (straight["p_holm"] >= straight["p"]).all()
    assert straight.loc["all benchmarks", "n_a"] == 18


def test_pairs_need_a_common_benchmark():
    table = table_of({("t", "a", 0): [1.0], ("u", "b", 0): [1.0]})
    with pytest.raises(InvalidOption, match="never ran on the same benchmark"):
        compare_pair(table, "a", "b")
