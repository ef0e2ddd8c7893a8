"""PriorBand against hand-worked weights and scores, and what its draws look like."""

import math

import numpy as np
import pytest
from scipy.stats import truncnorm

from baselines import optimizer
from baselines.halving.hyperband import brackets
from baselines.halving.priorband import Mutation, Results, weights
from hpo_core import Categorical, Condition, Float, Int, Proposal, Space

LINE = Space([Float("x", 0.0, 1.0)])
STATED = LINE.with_prior({"x": (0.9, "normal", 0.05)})
BUDGETS = (1, 3, 9)


def told(o, loss, n):
    proposals = []
    for _ in range(n):
        p = o.ask()
        o.tell(p, loss(p.config), 1.0)
        proposals.append(p)
    return proposals


@pytest.mark.parametrize(
    ("rung", "share", "expected"),
    [(0, 1.0, (1 / 2, 1 / 2, 0)), (2, 1.0, (1 / 10, 9 / 10, 0)), (1, 0.25, (1 / 4, 3 / 16, 9 / 16))],
)
def test_weights_by_hand(rung, share, expected):
    assert weights(rung, 3, share) == pytest.approx(expected)


def test_the_share_of_the_prior_by_hand():
    results = Results(STATED, BUDGETS, 3, brackets(BUDGETS)[0])
    for i, (x, budget, loss) in enumerate(
        [(0.5, 1, 0.9), (0.6, 1, 0.8), (0.7, 1, 0.7), *[(0.1 + 0.01 * k, 1, 2.0) for k in range(6)]]
    ):
        assert results.share_of_prior() == 1.0, i
        results.add(Proposal({"x": x}, budget), loss)
    for x, loss in [(0.5, 0.5), (0.6, 0.4), (0.7, 0.3)]:
        results.add(Proposal({"x": x}, 3), loss)
    assert results.share_of_prior() == 1.0  # nothing at the full budget yet
    results.add(Proposal({"x": 0.7}, 9), 0.2)  # 9 + 3 * 2 + 6 = 21: as much as a whole run
    best = 0.7  # the best third of the three at budget 3, the highest rung with three
    prior = truncnorm(-0.9 / 0.05, 0.1 / 0.05, 0.9, 0.05).pdf(best)
    near = truncnorm(-0.7 / 0.25, 0.3 / 0.25, 0.7, 0.25).pdf(best)
    assert results.share_of_prior() == pytest.approx(prior / (prior + near))


def test_ranks_weigh_the_best_most():
    results = Results(STATED, BUDGETS, 3, brackets(BUDGETS)[0])
    losses = {0.9: 0.1, 0.2: 0.2}
    for x in (*losses, 0.3, 0.4, 0.5, 0.6):
        results.add(Proposal({"x": x}, 9), losses.get(x, 1.0))
    s = [
        2 * law(0.9) + 1 * law(0.2)
        for law in (
            truncnorm(-18, 2, 0.9, 0.05).pdf,
            truncnorm(-0.9 / 0.25, 0.1 / 0.25, 0.9, 0.25).pdf,
        )
    ]
    assert results.share_of_prior() == pytest.approx(s[0] / sum(s))


def test_a_prior_that_nothing_good_agrees_with_loses_its_share():
    o = optimizer("priorband", STATED, BUDGETS, 0)
    told(o, lambda config: config["x"], 120)
    assert o.results.share_of_prior() < 1e-6
    late = [p.config["x"] for p in told(o, lambda config: config["x"], 200)]
    assert np.mean(np.array(late) > 0.8) < 0.2


def test_before_incumbents_half_of_the_lowest_rung_is_from_the_prior():
    made = [optimizer("priorband", STATED, BUDGETS, seed) for seed in range(300)]
    first = np.array([o.ask().config["x"] for o in made for _ in range(9)])
    expected = 0.5 * 0.2 + 0.5 * truncnorm(-18, 2, 0.9, 0.05).sf(0.8)
    assert np.mean(first > 0.8) == pytest.approx(expected, abs=0.03)


def test_without_a_prior_it_is_hyperband_near_the_incumbent():
    o = optimizer("priorband", LINE, BUDGETS, 0)
    proposals = told(o, lambda config: abs(config["x"] - 0.2), 200)
    assert np.median([abs(p.config["x"] - 0.2) for p in proposals[100:]]) < 0.2
    assert o.n_random < 200


def test_mutations_change_half_of_the_hyperparameters():
    space = Space([Float("x", 0.0, 1.0), Int("n", 0, 9), Categorical("c", ["a", "b", "c", "d"])])
    mutation, rng = Mutation(space, 0.5, 0.25), np.random.default_rng(0)
    config = {"x": 0.5, "n": 4, "c": "b"}
    made = [mutation.near(config, rng, iter(())) for _ in range(4000)]
    x = np.array([c["x"] for c in made])
    assert np.mean(x != 0.5) == pytest.approx(0.5, abs=0.03)
    law = truncnorm(-2, 2, 0.5, 0.25)
    assert x[x != 0.5].std() == pytest.approx(law.std(), abs=0.01)
    shares = [np.mean([c["c"] == value for c in made]) for value in "abcd"]
    assert shares == pytest.approx([1 / 6, 1 / 2, 1 / 6, 1 / 6], abs=0.03)


def test_what_a_mutation_switches_on_takes_a_random_value():
    space = Space(
        [Categorical("model", ["svm", "net"]), Float("gamma", 0.0, 1.0)], [Condition("gamma", "model", ("svm",))]
    )
    mutation, rng = Mutation(space, 1.0, 0.25), np.random.default_rng(0)
    gammas = [mutation.near({"model": "net"}, rng, iter(()))["gamma"] for _ in range(500)]
    assert np.std(gammas) == pytest.approx(12**-0.5, abs=0.03)


def test_failures_are_no_incumbents():
    o = optimizer("priorband", STATED, BUDGETS, 0)
    told(o, lambda config: math.inf, 60)
    assert o.results.incumbent is None and o.results.share_of_prior() == 1.0
