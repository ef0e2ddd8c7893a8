from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hpo_core import Benchmark, Float, Int, Result, SimpleProblem, Space, benchmarks
from hpo_core.errors import (
    InvalidBudget,
    InvalidConfig,
    InvalidOption,
    InvalidProblem,
    InvalidSeed,
    NotRecorded,
    UnknownName,
)


def evaluate(config, budget, seed):
    return Result(config["x"] + config["n"] / budget + (seed or 0), float(budget), budget, {"seed": seed})


PROBLEM = SimpleProblem("toy", Space([Float("x", 0, 1), Int("n", 0, 9)]), evaluate, budgets=(1, 3, 9))


@pytest.fixture
def toy():
    return Benchmark(PROBLEM)


def test_the_contract_members(toy):
    assert (toy.name, toy.budgets, toy.optimum, toy.provenance) == ("toy", (1, 3, 9), None, {})
    assert toy.objective({"n": 9, "x": 0.5}) == Result(1.5, 9.0, 9, {"seed": None})
    assert toy.objective({"n": 9, "x": 0.5}, 3, seed=4).loss == 7.5
    assert toy.objective({"n": 9, "x": 0.5}, budget=np.int64(3)).budget == 3
    assert list(toy.configspace) == ["n", "x"]
    assert Benchmark(toy).problem is PROBLEM


def test_batch_takes_codes_frames_and_configurations(toy):
    configs = toy.space.sample(np.random.default_rng(0), 6)
    expected = [toy.objective(c, 3, seed=2).loss for c in configs]
    for form in (toy.space.encode(configs), pd.DataFrame(configs)[["n", "x"]], configs, iter(configs)):
        losses, costs = toy.objective_batch(form, 3, seeds=2)
        assert losses.tolist() == expected
        assert costs.tolist() == [3.0] * 6
    losses, _ = toy.objective_batch(configs, 3, seeds=[0, 1, 2, 3, 4, 5])
    assert losses.tolist() == [toy.objective(c, 3, seed=s).loss for s, c in enumerate(configs)]
    assert [a.shape for a in toy.objective_batch([])] == [(0,), (0,)]


@pytest.mark.parametrize("budget", [2, 10, 0, -1, 1.5, "3", True, float("nan"), float("inf"), [3], 10**400])
def test_a_budget_that_is_not_there(toy, budget):
    with pytest.raises(InvalidBudget, match="one of 1, 3, 9"):
        toy.objective({"n": 9, "x": 0.5}, budget)


@pytest.mark.parametrize(
    ("asked", "taken"),
    [(1.23, 1), (1, 1), (2, 1), (2.0001, 3), (3.0, 3), (5.99, 3), (6, 3), (6.5, 9), (np.float32(8), 9)],
)
def test_the_nearest_budget_is_taken_where_that_is_asked_for(asked, taken):
    b = Benchmark(PROBLEM, nearest_budget=True)
    result = b.objective({"n": 9, "x": 0.5}, asked)
    assert result == b.objective({"n": 9, "x": 0.5}, taken)
    assert type(result.budget) is int
    losses, _ = b.objective_batch([{"n": 9, "x": 0.5}], asked)
    assert losses.tolist() == [result.loss]


@pytest.mark.parametrize("budget", [0.99, 9.01, 0, -1, "3", True, float("nan"), float("inf"), 10**400])
def test_a_budget_beyond_the_known_ones_has_no_nearest(budget):
    with pytest.raises(InvalidBudget, match="one of 1, 3, 9"):
        Benchmark(PROBLEM, nearest_budget=True).objective({"n": 9, "x": 0.5}, budget)


def test_the_nearest_of_a_range_of_budgets():
    b = Benchmark("counting-ones-8-8", nearest_budget=True)
    assert b.objective(b.space.sample(np.random.default_rng(0)), 36.5).budget == 36
    assert b.objective(b.space.sample(np.random.default_rng(0)), 36.51).budget == 37


RANGED = replace(PROBLEM, budget_range=(0.5, 9.5))


@pytest.mark.parametrize("asked", [0.5, 1.25, 9.5, np.float32(2.5), 5, np.int64(7)])
def test_every_budget_in_a_range_is_taken_as_it_is(asked):
    for nearest in (False, True):
        b = Benchmark(RANGED, nearest_budget=nearest)
        result = b.objective({"n": 9, "x": 0.5}, asked)
        assert (result.budget, type(result.budget)) == (asked, float) and result.loss == 0.5 + 9 / asked
        assert b.objective_batch([{"n": 9, "x": 0.5}], asked)[0].tolist() == [result.loss]


def test_the_ladder_of_a_range_stays_its_own():
    b = Benchmark(RANGED)
    assert b.budgets == (1, 3, 9) and b.objective({"n": 9, "x": 0.5}).budget == 9
    assert type(b.check_budget(3.0)) is int  # a member of `budgets` keeps its type
    assert len(b.curve({"n": 9, "x": 0.5})) == 3


@pytest.mark.parametrize("budget", [0.49, 9.51, 0, -1, "3", True, float("nan"), float("inf"), [3], 10**400])
def test_a_budget_outside_of_the_range(budget):
    with pytest.raises(InvalidBudget, match=r"must be a number in \[0.5, 9.5\] \(None for the full budget\), got"):
        Benchmark(RANGED).objective({"n": 9, "x": 0.5}, budget)


@pytest.mark.parametrize("budget_range", [(1.5, 9), (1, 8)])
def test_a_range_must_hold_the_budgets(budget_range):
    with pytest.raises(InvalidProblem, match="must be in its range"):
        Benchmark(replace(PROBLEM, budget_range=budget_range))


def test_the_curve_is_the_loss_at_each_budget(toy):
    assert toy.curve({"n": 9, "x": 0.5}).tolist() == [9.5, 3.5, 1.5]
    assert toy.curve({"x": 0.5, "n": 9}, seed=np.int64(4)).tolist() == [13.5, 7.5, 5.5]
    with pytest.raises(InvalidConfig, match="'x'"):
        toy.curve({"n": 9, "x": 1.5})
    with pytest.raises(InvalidSeed):
        toy.curve({"n": 9, "x": 0.5}, seed=-1)


@pytest.mark.parametrize("options", [{}, {"metric": "train_loss"}])
@pytest.mark.parametrize("seed", [None, 6])
def test_the_curve_of_a_table_agrees_with_its_lookups(options, seed):
    b = Benchmark("mini-wine", **options)
    config = b.space.sample(np.random.default_rng(1))
    assert b.curve(config, seed).tolist() == [b.objective(config, budget, seed=seed).loss for budget in b.budgets]


def test_what_has_no_curve_says_so():
    with pytest.raises(InvalidBudget, match=r"several budgets.*'branin'"):
        Benchmark("branin").curve({"x1": 0.0, "x2": 0.0})
    protein = Benchmark("protein")
    with pytest.raises(NotRecorded, match="hpo table import"):
        protein.curve(protein.problem.best())


@pytest.mark.parametrize("seed", [-1, 1.0, "1", True, np.float64(2), [1]])
def test_a_seed_of_a_wrong_type(toy, seed):
    with pytest.raises(InvalidSeed, match="integer >= 0"):
        toy.objective({"n": 9, "x": 0.5}, seed=seed)


@pytest.mark.parametrize("seeds", [-1, [1, 2], [0.5] * 3, "abc", [[1, 2, 3]]])
def test_bad_seeds_of_a_batch(toy, seeds):
    with pytest.raises(InvalidSeed):
        toy.objective_batch([{"n": 9, "x": 0.5}] * 3, seeds=seeds)


def test_configurations_are_checked_before_the_problem_sees_them(toy):
    with pytest.raises(InvalidConfig, match="'x'"):
        toy.objective({"n": 9, "x": 1.5})


def test_unknown_names_come_with_the_nearest():
    with pytest.raises(UnknownName, match="protein") as caught:
        Benchmark("protien")
    assert isinstance(caught.value, KeyError)
    assert not str(caught.value).startswith("'")


def test_options():
    with pytest.raises(InvalidOption, match="'a'"):
        Benchmark("branin", a=3)
    with pytest.raises(InvalidOption, match="noise"):
        Benchmark(PROBLEM, noise=True)
    with pytest.raises(InvalidOption, match="metric"):
        Benchmark("protein", metrik="loss")


@pytest.mark.parametrize("missing", ["name", "space", "budgets", "optimum", "provenance", "evaluate"])
def test_an_incomplete_problem_is_told_what_it_lacks(missing):
    members = ("name", "space", "budgets", "optimum", "provenance", "evaluate")

    class Incomplete:
        pass

    problem = Incomplete()
    for member in members:
        if member != missing:
            setattr(problem, member, getattr(PROBLEM, member))
    with pytest.raises(InvalidProblem, match=missing):
        Benchmark(problem)


def test_budgets_must_ascend():
    with pytest.raises(InvalidProblem, match="ascending"):
        Benchmark(SimpleProblem("toy", PROBLEM.space, evaluate, budgets=(9, 3)))
    with pytest.raises(InvalidProblem, match="ascending"):
        Benchmark(SimpleProblem("toy", PROBLEM.space, evaluate, budgets=()))


def test_every_listing_has_a_family_and_a_line():
    listed = benchmarks()
    assert {"protein", "slice", "naval", "parkinsons", "nb201-cifar10", "mlp-australian", "branin"} <= set(listed)
    assert all(entry.family and entry.summary for entry in listed.values())
