"""Multivariate and univariate TPE: the rules one by one, and that they search."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import chisquare, mannwhitneyu

from baselines import optimizer
from baselines.parts.history import History
from baselines.tpe.tpe import DensityRatio
from hpo_core import Benchmark, Categorical, Float, Int, Ordinal, Result, SimpleProblem, Space, run
from hpo_core.errors import InvalidOption
from hpo_models.densities.kde import ProductKde
from hpo_models.features import Features

FCNET_LIKE = Space(
    [
        *(Ordinal(f"o{i}", range(6)) for i in range(4)),
        *(Ordinal(f"p{i}", range(3)) for i in range(2)),
        *(Categorical(f"c{i}", ["x", "y"]) for i in range(3)),
    ]
)
NUMBERS = Space([Float("f", -5.0, 5.0), Float("g", 1e-6, 1.0, log=True), Int("i", 1, 1000, log=True), Int("j", 0, 20)])
both = pytest.mark.parametrize("name", ["tpe", "tpe-univariate"])


def valley(config, budget, seed):
    """A bend that one hyperparameter alone does not show: o1 is best at 5 - o0."""
    o = [config[f"o{i}"] for i in range(4)]
    loss = abs(o[0] + o[1] - 5) + 0.3 * o[0] + 0.4 * (5 - o[2]) + 0.2 * o[3]
    loss += 0.3 * (config["p0"] + 2 - config["p1"]) + 0.5 * sum(config[f"c{i}"] == "x" for i in range(3))
    return Result(loss, 1.0, budget, {})


def bowl(config, budget, seed):
    loss = (config["f"] - 2) ** 2 / 10 + (math.log10(config["g"]) + 2) ** 2
    return Result(loss + math.log10(config["i"] / 50) ** 2 + abs(config["j"] - 15) / 10, 1.0, budget, {})


@cache
def final_losses(name, kind, n_trials=80, n_seeds=15):
    space, evaluate = {"valley": (FCNET_LIKE, valley), "bowl": (NUMBERS, bowl)}[kind]
    b = Benchmark(SimpleProblem(kind, space, evaluate))
    return [run(b, name, n_trials=n_trials, seed=seed).incumbent().losses[-1] for seed in range(n_seeds)]


@both
@pytest.mark.parametrize("kind", ["valley", "bowl"])
def test_it_searches_better_than_at_random(name, kind):
    assert mannwhitneyu(final_losses(name, kind), final_losses("rs", kind), alternative="less").pvalue < 1e-3


@cache
def regrets_on_protein(name, n_trials=100, n_seeds=24):
    b = Benchmark("protein")
    runs = [run(b, name, n_trials=n_trials, seed=seed) for seed in range(n_seeds)]
    return [b.objective(r.trials[r.incumbent().indices[-1]].config).loss - b.optimum for r in runs]


@pytest.mark.slow
def test_on_a_table_they_search_like_hyperopt_or_better():
    """The validation regret of 100 recorded runs of hyperopt's TPE (Makarova et al., 2022) has these quartiles."""
    low, middle, high = 0.0039425, 0.0079751, 0.0135956
    assert low < np.median(regrets_on_protein("tpe-univariate")) < high
    assert np.quantile(regrets_on_protein("tpe"), 0.75) < middle


def test_the_joint_density_sees_what_goes_together():
    """On a diagonal every value of x and y is as good as another; only their pair is not."""

    def evaluate(config, budget, seed):
        return Result(abs(config["x"] - config["y"]) + 1e-3 * config["x"], 1.0, budget, {})

    space = Space([Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)])
    b = Benchmark(SimpleProblem("diagonal", space, evaluate))

    def late(name):
        runs = [run(b, name, n_trials=120, seed=seed).trials[60:] for seed in range(8)]
        return [np.median([trial.loss for trial in trials]) for trials in runs]

    assert mannwhitneyu(late("tpe"), late("tpe-univariate"), alternative="less").pvalue < 0.01


def test_g_is_the_density_of_every_row_that_is_not_good():
    features, rng = Features(FCNET_LIKE), np.random.default_rng(0)
    history, ratio = History(features.width), DensityRatio(features, 24, 0.1)
    rows = features.sample_prior(rng, 10)
    for step in range(70):
        row = rows[step] if step < 10 else ratio.propose(history, rng)
        history.observe(row, float(row[0] + row[3]) if step < 62 else 1e3)  # g grows row by row at the end
    ratio.propose(history, rng)
    assert ratio.good == history.best(7)
    bad = np.delete(history.rows, ratio.good, axis=0)
    fresh = ProductKde(features, bad, ratio.g.stds, ratio.g.switching, 1.0)
    np.testing.assert_allclose(ratio.g.log_density(history.rows), fresh.log_density(history.rows))


@both
@pytest.mark.parametrize(("n_initial", "gamma"), [(20, 0.5), (30, 0.2)])
def test_the_start_is_random_whatever_the_losses(name, n_initial, gamma):
    def history(losses):
        o = optimizer(name, FCNET_LIKE, seed=3, n_initial=n_initial, gamma=gamma)
        configs = []
        for loss in losses:
            proposal = o.ask()
            configs.append(proposal.config)
            o.tell(proposal, loss, 1.0)
        return configs

    up, down = history(np.linspace(0, 1, 60)), history(np.linspace(1, 0, 60))
    assert up[:n_initial] == down[:n_initial]
    assert up[n_initial:] != down[n_initial:]


def test_the_univariate_start_is_hyperopts_prior():
    """The ends of an ordinal's scale have half the probability of the values between."""
    space = Space([Ordinal("o", range(6)), Categorical("c", "abc", weights=[6, 3, 1])])
    o = optimizer("tpe-univariate", space, seed=0, n_initial=4000)
    configs = [o.ask().config for _ in range(4000)]
    counts = [sum(config["o"] == value for config in configs) for value in range(6)]
    prior = 1 / 5 * np.array([0.5, 1, 1, 1, 1, 0.5])
    gaussian = np.diff([math.erf((x - 2.5) / 5 / math.sqrt(2)) for x in (0, 0.5, 1.5, 2.5, 3.5, 4.5, 5)])
    assert chisquare(counts, 4000 * gaussian / gaussian.sum()).pvalue > 0.001
    assert np.abs(gaussian / gaussian.sum() - prior).max() < 0.02
    counts = [sum(config["c"] == value for config in configs) for value in "abc"]
    assert chisquare(counts, [2400, 1200, 400]).pvalue > 0.001


@both
def test_a_pending_trial_counts_like_a_failed_one_until_it_is_told(name):
    def proposals(told):
        """What is asked for while some trials are pending, or have been told at once, and after that."""
        o = optimizer(name, FCNET_LIKE, seed=1, n_initial=10)
        history = []
        for step in range(60):
            proposal = o.ask()
            history.append(proposal.config)
            if 30 <= step < 40:
                if told is not None:
                    o.tell(proposal, told, 1.0)
            else:
                o.tell(proposal, valley(proposal.config, 1, 0).loss, 1.0)
        return history

    pending = proposals(None)
    assert pending == proposals(math.inf)
    assert pending[:31] == proposals(0.0)[:31]
    assert pending != proposals(0.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_initial": 0}, "n_initial must be an integer >= 1, got 0"),
        ({"n_candidates": 2.5}, "n_candidates must be an integer >= 1, got 2.5"),
        ({"gamma": -1}, r"gamma must be a number in \[0, .\], got -1"),
    ],
)
@both
def test_options_out_of_range_are_refused(name, options, words):
    with pytest.raises(InvalidOption, match=words):
        optimizer(name, NUMBERS, **options)
