"""REINFORCE: updates worked out by hand, and that it learns."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from baselines.simple.reinforce import Reinforce, softmax
from hpo_core import (
    Benchmark,
    Categorical,
    Condition,
    Float,
    ForbiddenRelation,
    Int,
    Ordinal,
    Result,
    SimpleProblem,
    Space,
    run,
)
from hpo_core.errors import InvalidOption, UnsupportedSpace

COIN = Space([Categorical("c", [0, 1])])


def tell_coin(o, value, loss):
    """Ask until the coin shows `value`, and tell its loss."""
    while (proposal := o.ask()).config["c"] != value:
        pass
    o.tell(proposal, loss, 1.0)


def test_two_updates_by_hand():
    o = Reinforce(COIN)
    tell_coin(o, 0, 5.0)  # the first reward is its own baseline: nothing moves
    assert o.probabilities.tolist() == [[0.5, 0.5]]
    tell_coin(o, 1, 3.0)
    # baseline (0.9 * 0.1 * -5 + 0.1 * -3) / (0.9 * 0.1 + 0.1) = -0.75 / 0.19; p = 1/2
    step = 0.1 * (-3.0 + 0.75 / 0.19)
    assert o.probabilities == pytest.approx(softmax(np.array([[-step / 2, step / 2]])))
    p = 1 / (1 + math.exp(-step))
    average, weight = 0.9 * -0.75 + 0.1 * -7.0, 0.9 * 0.19 + 0.1
    tell_coin(o, 1, 7.0)
    second = 0.1 * (-7.0 - average / weight)
    logits = [-step / 2 - second * (1 - p), step / 2 + second * (1 - p)]
    assert o.probabilities == pytest.approx(softmax(np.array([logits])))


def test_a_failure_gets_the_lowest_reward_so_far():
    failed, told = Reinforce(COIN), Reinforce(COIN)
    tell_coin(failed, 0, math.inf)
    assert failed.probabilities.tolist() == [[0.5, 0.5]]
    for o in (failed, told):
        for loss in (2.0, 9.0, 4.0):
            tell_coin(o, 1, loss)
    tell_coin(failed, 0, math.inf)
    tell_coin(told, 0, 9.0)
    assert failed.probabilities == pytest.approx(told.probabilities)


def test_the_first_draws_are_uniform_whatever_the_number_of_values():
    o = Reinforce(Space([Ordinal("a", [0, 1]), Int("b", 0, 6)]))
    drawn = [o.ask().config for _ in range(2000)]
    for name, size in (("a", 2), ("b", 7)):
        assert chisquare(np.bincount([config[name] for config in drawn], minlength=size)).pvalue > 0.001


def test_it_learns_the_better_values():
    space = Space([Categorical("a", range(5)), Categorical("b", range(5))])
    b = Benchmark(SimpleProblem("sum", space, lambda c, b, s: Result(float(c["a"] + c["b"]), 1.0, b, {})))
    r = run(b, "reinforce", n_trials=600)
    assert np.mean([t.loss for t in r.trials[-100:]]) < 1.0  # a random configuration has 4 in the mean


@pytest.mark.parametrize("hyperparameter", [Float("x", 0, 1), Int("x", 0, 10**9)])
def test_what_has_too_many_values_is_refused_with_a_way_out(hyperparameter):
    with pytest.raises(UnsupportedSpace, match=r"floats: x\. Replace them by an Ordinal"):
        Reinforce(Space([hyperparameter]))


@pytest.mark.parametrize(("option", "value"), [("lr", -1), ("momentum", 1.5), ("lr", "fast")])
def test_settings_out_of_range_are_refused(option, value):
    with pytest.raises(InvalidOption, match=f"{option} must be a number"):
        Reinforce(COIN, **{option: value})


def test_a_momentum_of_one_keeps_a_baseline_of_zero():
    o = Reinforce(COIN, momentum=1.0)
    tell_coin(o, 0, 2.0)
    assert o.probabilities == pytest.approx(softmax(np.array([[-0.1, 0.1]])))


# --- conditions, forbidden clauses, lists --------------------------------------------------------------------------

SHAPED = Space(
    [Categorical("k", ["a", "b"]), Ordinal("x", [1, 2, 3]), Int("y", 0, 1)],
    [Condition("x", "k", ("a",)), Condition("y", "x", (3,))],
)


def test_a_reward_changes_the_distributions_of_what_was_active():
    o = Reinforce(SHAPED, lr=0.5, momentum=1.0)  # a baseline of zero
    told = {}
    while len(told) < 3:
        before = o.probabilities.copy()
        proposal = o.ask()
        o.tell(proposal, -1.0, 1.0)
        active = [name in proposal.config for name in SHAPED.names]
        changed = [not np.array_equal(a, b) for a, b in zip(before, o.probabilities, strict=True)]
        assert changed == active
        if len(told) == 0:
            for j, (name, value) in enumerate(proposal.config.items()):
                code = int(SHAPED[name].code(value))
                size = SHAPED[name].size
                gradient = -1.0 / size * np.ones(size)
                gradient[code] += 1.0
                expected = softmax(0.5 * gradient[None])[0]
                assert o.probabilities[j, :size] == pytest.approx(expected)
        told[tuple(active)] = True


def test_it_learns_on_a_conditional_space():
    def evaluate(config, budget, seed):
        return Result(1.0 if config["k"] == "b" else 0.5 - 0.5 * config.get("y", -1.0), 1.0, budget, {})

    r = run(Benchmark(SimpleProblem("shaped", SHAPED, evaluate)), "reinforce", n_trials=500, options={"lr": 0.3})
    assert np.mean([trial.loss for trial in r.trials[-100:]]) < 0.1
    for trial in r.trials:
        SHAPED.check(trial.config)


def test_what_is_forbidden_is_drawn_again_or_replaced(monkeypatch):
    space = Space([Int("a", 0, 4), Int("b", 0, 4)], forbidden=[ForbiddenRelation("a", "<", "b")])
    o = Reinforce(space, seed=1)
    drawn = [o.ask().config for _ in range(2000)]
    index = {tuple(config.values()): i for i, config in enumerate(space.configs())}
    # of equal probabilities, by rejection, all that is left is equally likely: wrong once in a thousand seeds
    assert chisquare(np.bincount([index[tuple(c.values())] for c in drawn], minlength=15)).pvalue > 0.001
    monkeypatch.setattr("baselines.parts.sampling.TRIES", 0)
    proposal = o.ask()
    o.tell(proposal, -1.0, 1.0)
    codes = space.encode(proposal.config)[0]
    assert all(o.probabilities[j, code] == o.probabilities[j].max() for j, code in enumerate(codes))


def test_a_list_is_drawn_from_by_the_nearest():
    box = Space([Categorical("c", "abc"), Int("i", 0, 9)])
    space = Space(box, listed=[{"c": "a", "i": 2}, {"c": "b", "i": 7}, {"c": "b", "i": 1}])
    o, free = Reinforce(space, seed=3), Reinforce(box, seed=3)
    for _ in range(50):
        proposal, drawn = o.ask(), free.ask()
        assert proposal.config == space.nearest(drawn.config)
        for made, told in ((o, proposal), (free, drawn)):
            made.tell(told, float(proposal.config["i"]), 1.0)
    assert np.array_equal(o.probabilities, free.probabilities)


def test_a_list_of_floats_is_refused_too():
    with pytest.raises(UnsupportedSpace, match=r"floats: x\. Replace"):
        Reinforce(Space([Float("x", 0, 1)], listed=[{"x": 0.5}]))
