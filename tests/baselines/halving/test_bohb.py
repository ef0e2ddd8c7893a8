"""BOHB: when it models, what it models, and that the model pays."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from baselines import optimizer
from baselines.halving.bohb import DensityModel
from hpo_core import Benchmark, Categorical, Float, Ordinal, Proposal, Space, run
from hpo_core.errors import InvalidOption

SPACE = Space([Float("x", 0.0, 1.0), Categorical("c", ["a", "b", "c"])])
ONES = Benchmark("counting-ones-8-8")


def model(space=SPACE, **options):
    return DensityModel(space, **options)


def observe(m, budget, n, best_x, rng):
    """n random observations at a budget at which the loss is the distance to `best_x`, lowest for c = b."""
    for _ in range(n):
        config = SPACE.sample(rng)
        m.observe(Proposal(config, budget), abs(config["x"] - best_x) + 0.3 * (config["c"] != "b"))


def test_there_is_no_model_before_d_plus_three_rows_at_one_budget():
    m, rng = model(), np.random.default_rng(0)
    observe(m, 1, 4, 0.2, rng)
    observe(m, 3, 4, 0.2, rng)
    assert m.suggest(rng) is None
    observe(m, 3, 1, 0.2, rng)
    assert SPACE.check(m.suggest(rng))


def test_the_largest_budget_with_enough_rows_counts():
    m, rng = model(), np.random.default_rng(0)
    observe(m, 1, 60, 0.1, rng)
    observe(m, 9, 4, 0.5, rng)  # not enough
    low = [m.suggest(rng) for _ in range(40)]
    observe(m, 3, 60, 0.9, rng)
    high = [m.suggest(rng) for _ in range(40)]
    assert np.median([config["x"] for config in low]) < 0.3
    assert np.median([config["x"] for config in high]) > 0.7
    assert sum(config["c"] == "b" for config in high) > 25


def test_good_and_bad_rows_are_those_of_equation_6_2():
    m, rng = model(), np.random.default_rng(0)
    observe(m, 1, 6, 0.5, rng)
    sizes = [len(kde.rows) for kde in m.densities()]
    assert sizes == [3, 3]  # max(N_min, .15 * 6), max(N_min, 6 - 3)
    observe(m, 1, 94, 0.5, rng)
    l, g = m.densities()
    assert (len(l.rows), len(g.rows)) == (15, 85)
    assert np.abs(l.rows[:, 0] - 0.5).max() < np.abs(g.rows[:, 0] - 0.5).max()
    assert l.rows[:, 2].sum() > 10  # c = b
    assert m.densities()[0] is l  # kept until the next observation
    observe(m, 1, 1, 0.5, rng)
    assert m.densities()[0] is not l


def test_a_failed_trial_is_a_bad_row():
    m, rng = model(), np.random.default_rng(0)
    for x in np.linspace(0, 1, 40):
        m.observe(Proposal({"x": x, "c": "a"}, 1), math.inf if x > 0.5 else 1.0 - x)
    assert all(m.suggest(rng)["x"] < 0.6 for _ in range(30))


@pytest.mark.parametrize(
    ("space", "expected"), [(SPACE, 1e-3), (Space([Ordinal("o", range(5)), Categorical("c", "ab")]), 0.3)]
)
def test_bandwidths_have_a_floor_that_depends_on_the_space(space, expected):
    def lowest(**options):
        m, config = model(space, **options), space.sample(np.random.default_rng(0))
        for loss in range(60):
            m.observe(Proposal(config, 1), loss)  # always the same, so that only the floor keeps the densities wide
        l, _ = m.densities()
        return min(l.stds.min(), l.switching.min())

    assert lowest() == expected
    assert lowest(min_bandwidth=0.01) == 0.01


def test_a_share_of_the_configurations_is_random():
    def spread(random_fraction):
        o = optimizer("bohb", SPACE, (1, 3), seed=0, random_fraction=random_fraction)
        xs = []
        for _ in range(300):
            proposal = o.ask()
            xs.append(proposal.config["x"])
            o.tell(proposal, abs(proposal.config["x"] - 0.5), 1.0)
        return np.mean(np.abs(np.array(xs[100:]) - 0.5) > 0.25)

    assert spread(0.0) < 0.05
    assert 0.08 < spread(1 / 3) < 0.25  # half of a third, less what is promoted
    assert spread(1.0) > 0.3


def test_without_a_model_it_is_hyperband():
    """The schedule is the same: so are the budgets, told the same losses."""

    def budgets(name, **options):
        o = optimizer(name, SPACE, (1, 3, 9), **options)
        asked = []
        for _ in range(60):
            proposal = o.ask()
            asked.append(proposal.budget)
            o.tell(proposal, 1.0, 1.0)
        return asked

    assert budgets("bohb", random_fraction=1.0) == budgets("bohb") == budgets("hyperband")


@cache
def losses_at_equal_cost(name, n_seeds=8, full_evaluations=15):
    """Noise-free losses of the incumbents."""
    cost = full_evaluations * ONES.budgets[-1]
    runs = [run(ONES, name, n_trials=None, max_cost=cost, seed=seed) for seed in range(n_seeds)]
    return [ONES.objective(r.trials[r.incumbent().indices[-1]].config).loss for r in runs]


@pytest.mark.slow
def test_it_beats_hyperband_which_beats_random_search():
    bohb, hyperband, rs = (losses_at_equal_cost(name) for name in ("bohb", "hyperband", "rs"))
    assert mannwhitneyu(bohb, hyperband, alternative="less").pvalue < 0.01
    assert mannwhitneyu(hyperband, rs, alternative="less").pvalue < 0.05


@pytest.mark.slow
def test_four_workers_are_nearly_four_times_as_fast():
    def reached(trials):
        good = trials[-1].budget == ONES.budgets[-1] and ONES.objective(trials[-1].config).loss <= -13.6
        return "reached" if good else None

    def seconds(workers):
        runs = [run(ONES, "bohb", n_trials=4000, stop=reached, seed=seed, workers=workers) for seed in range(8)]
        assert {r.reason for r in runs} == {"reached"}
        return np.median([r.trials[-1].end for r in runs])

    assert seconds(1) / seconds(4) > 2.5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"random_fraction": 1.5}, r"random_fraction must be a number in \[0, 1\], got 1.5"),
        ({"min_bandwidth": 0}, "min_bandwidth must be a number in"),
        ({"n_candidates": 0}, "n_candidates must be an integer >= 1"),
        ({"bandwidth": 3}, "did you mean .*bandwidth_factor"),
    ],
)
def test_options_out_of_range_are_refused(options, words):
    with pytest.raises(InvalidOption, match=words):
        optimizer("bohb", SPACE, (1, 3), **options)
