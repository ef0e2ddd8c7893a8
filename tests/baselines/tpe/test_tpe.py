"""Multivariate and univariate TPE: the rules one by one, and that they search."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.stats import chisquare, mannwhitneyu

from baselines import optimizer
from baselines.parts.observations import Observations
from hpo_core import Benchmark, Categorical, Float, Int, Ordinal, Proposal, Result, SimpleProblem, Space, run
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
    o = optimizer("tpe", FCNET_LIKE, seed=0)
    for step in range(70):
        proposal = o.ask()
        o.tell(proposal, valley(proposal.config, 1, 0).loss if step < 62 else 1e3, 1.0)  # g grows row by row at the end
    o.ask()
    rows = o._rows[:70]
    assert o._good == o._observations.best(7)
    afresh = ProductKde(Features(FCNET_LIKE), np.delete(rows, o._good, axis=0), o._g.stds, o._g.switching, 1.0)
    np.testing.assert_allclose(o._g.log_density(rows), afresh.log_density(rows))


@both
@pytest.mark.parametrize(("n_startup", "gamma"), [(20, 0.5), (30, 0.2)])
def test_the_start_is_random_whatever_the_losses(name, n_startup, gamma):
    def history(losses):
        o = optimizer(name, FCNET_LIKE, seed=3, n_startup=n_startup, gamma=gamma)
        configs = []
        for loss in losses:
            proposal = o.ask()
            configs.append(proposal.config)
            o.tell(proposal, loss, 1.0)
        return configs

    up, down = history(np.linspace(0, 1, 60)), history(np.linspace(1, 0, 60))
    assert up[:n_startup] == down[:n_startup]
    assert up[n_startup:] != down[n_startup:]


def test_the_univariate_start_is_hyperopts_prior():
    """The ends of an ordinal's scale have half the probability of the values between."""
    o = optimizer("tpe-univariate", Space([Ordinal("o", range(6)), Categorical("c", "abc", weights=[6, 3, 1])]), seed=0)
    o.n_startup = 4000
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
        o = optimizer(name, FCNET_LIKE, seed=1, n_startup=10)
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
        ({"n_startup": 0}, "n_startup must be an integer >= 1, got 0"),
        ({"n_candidates": 2.5}, "n_candidates must be an integer >= 1, got 2.5"),
        ({"gamma": -1}, r"gamma must be a number in \[0, .\], got -1"),
    ],
)
@both
def test_options_out_of_range_are_refused(name, options, words):
    with pytest.raises(InvalidOption, match=words):
        optimizer(name, NUMBERS, **options)


def test_observations_rank_what_is_known():
    observations = Observations()
    proposals = [observations.propose(Proposal({"x": i})) for i in range(6)]
    assert (len(observations), observations.n_finite, observations.best(3)) == (6, 0, [])
    for place, loss in [(4, 2.0), (1, 1.0), (3, math.inf), (0, 1.0), (2, 0.5)]:  # 5 stays pending
        assert observations.tell(proposals[place], loss) == place
    assert observations.n_finite == 4
    assert observations.best(2) == [0, 2]  # of two equal losses the older row
    assert observations.best(9) == [0, 1, 2, 4]
