"""Hyperparameters that are searched for on a schedule: fewer searches, and still a function of the trials."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_trials import trial

from baselines import criterion
from baselines.parts.search_schedule import last_search
from baselines.stopping.parts import fits, regret
from baselines.stopping.parts.bound_checks import CV_REGRET_BOUND, REGRET_BOUND
from baselines.stopping.parts.fits import scheduled_parts
from baselines.stopping.parts.regret import BoundSettings, RegretBounds
from hpo_core import Float, Int, Space
from hpo_models.acquisition import confidence_factor
from hpo_models.gp.regression import condition, fit, standardise

SPACE = Space([Float("x", 0.0, 1.0), Int("k", 1, 4)])
SCHEDULED, EVERY = BoundSettings(refit=0.05), BoundSettings()
SEARCHES = [29, 31, 33, 35, 37, 39, 41, 44, 47, 50]  # from 29 to 52 trials


def made_run(n, seed=0, failing=0.0):
    """Losses that fall, so that every trial belongs to the better part of those so far."""
    rng = np.random.default_rng(seed)
    trials = []
    for step, config in enumerate(SPACE.sample(rng, n)):
        loss = math.sin(6 * config["x"]) + 0.2 * config["k"] + 0.1 * rng.standard_normal() - 0.1 * step
        failed = rng.random() < failing
        trials.append(trial(None if failed else loss, config=config, step=step))
    return trials


@settings(max_examples=8, deadline=None)
@given(order=st.permutations([20, 22, 28, 30, 36, 42]), seed=st.integers(0, 99), failing=st.sampled_from([0.0, 0.3]))
def test_any_order_of_checks_gives_the_same_bounds(order, seed, failing):
    trials, others = made_run(42, seed, failing), made_run(30, seed + 1000)
    used = RegretBounds(SPACE, SCHEDULED)
    for n in order:
        used(others[: n // 2 + 5])  # another run in between
        assert used(trials[:n]) == RegretBounds(SPACE, SCHEDULED)(trials[:n])


def test_at_the_scheduled_numbers_it_is_the_bound_of_every_check():
    trials = made_run(52)
    scheduled, every = RegretBounds(SPACE, SCHEDULED), RegretBounds(SPACE, EVERY)
    same = [n for n in range(29, 53) if scheduled(trials[:n]) == every(trials[:n])]
    assert same == SEARCHES


def test_in_between_the_kept_hyperparameters_meet_the_current_trials():
    trials = made_run(43)  # the last search is at 41
    x = np.array([[t.config["x"], (t.config["k"] - 0.5) / 4] for t in trials])
    losses = np.array([t.loss for t in trials])
    before, now = np.argsort(losses[:41])[:20], np.argsort(losses)[:21]
    found = fit(x[before], standardise(losses[before])[0]).hyperparameters
    y, _, std = standardise(losses[now])
    process = condition(x[now], y, found)
    bounds = RegretBounds(SPACE, SCHEDULED)
    beta = confidence_factor(2, 21)
    mean, deviation = process.predict(x[now])
    upper = (mean + math.sqrt(beta) * deviation).min()

    def lower(rows):
        mean, deviation = process.predict(rows)
        return mean - math.sqrt(beta) * deviation

    by_hand = std * (upper - bounds._candidates.lowest(lower, x[now]))
    assert bounds(trials).value == pytest.approx(by_hand, rel=1e-9)


@pytest.fixture
def searched(monkeypatch):
    """Numbers of observations of each search, and of each search for other modes."""
    found = {"most_probable": [], "modes": []}

    def counting(name):
        original = getattr(fits, name)

        def counted(x, *rest, **options):
            found[name].append(len(x))
            return original(x, *rest, **options)

        monkeypatch.setattr(fits, name, counted)

    counting("most_probable")
    counting("modes")
    return found


def test_one_search_for_each_step_of_the_schedule_shared_by_thresholds(searched):
    trials = made_run(52, seed=5)
    rules = [criterion("regret-bound", SPACE, threshold=threshold) for threshold in (1e-9, 1e-8)]
    rules.append(criterion("cv-regret-bound", SPACE))
    for n in range(29, 53):
        for rule in rules:
            rule.bound(trials[:n])
    assert len(searched["most_probable"]) == len(SEARCHES)
    assert searched["most_probable"] == [max(20, n // 2) for n in SEARCHES]


def test_other_modes_follow_the_schedule(searched, monkeypatch):
    monkeypatch.setattr(regret, "collapsed", lambda *_: True)
    trials = made_run(36, seed=6)
    used = RegretBounds(SPACE, SCHEDULED)
    bounds = {n: used(trials[:n]) for n in range(29, 37)}
    assert len(searched["modes"]) == 4  # at 29, 31, 33 and 35
    every = RegretBounds(SPACE, EVERY)
    for n in (36, 31):
        assert RegretBounds(SPACE, SCHEDULED)(trials[:n]) == bounds[n]
    assert every(trials[:31]) == bounds[31] and every(trials[:36]) != bounds[36]


def test_failed_trials_do_not_count():
    trials = made_run(50, seed=7, failing=0.3)
    complete = [t for t in trials if t.failure is None]
    assert 20 < len(complete) < 50 and last_search(len(complete)) < len(complete)
    bounds = RegretBounds(SPACE, SCHEDULED)
    assert bounds(trials).value == bounds(complete).value


def test_equal_losses_have_no_search_and_wait_for_the_first_that_differs(searched):
    trials = [trial(1.0, config=t.config, step=t.step) for t in made_run(29)]
    bounds = RegretBounds(SPACE, SCHEDULED)
    assert bounds(trials).value == math.inf and not searched["most_probable"]
    better = [*trials, trial(0.5, config={"x": 0.3, "k": 2}, step=29)]  # the last search was due at 29, in vain
    assert math.isfinite(bounds(better).value) and searched["most_probable"] == [20]
    assert bounds(better) == RegretBounds(SPACE, EVERY)(better)


def test_parts_by_hand():
    losses = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 0.0])
    current, before = scheduled_parts(losses, 0.5, 2, 0.5)  # searches at 1, 2, 3, 5, 8
    assert (current.tolist(), before.tolist()) == ([5, 1, 2], [1, 2])
    current, before = scheduled_parts(np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.0]), 0.5, 2, 0.5)
    assert before.tolist() == current.tolist() == [5, 0, 1]


def test_only_our_defaults_have_a_schedule():
    for variants in (REGRET_BOUND, CV_REGRET_BOUND):
        refits = {name: variant.settings.refit for name, variant in variants.items()}
        assert refits.pop("default") == 0.05
        assert set(refits.values()) == {0.0}
