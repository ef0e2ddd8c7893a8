"""Successive halving, Hyperband and ASHA: schedules by hand."""

import math
from collections import Counter
from functools import cache
from itertools import repeat

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from baselines import optimizer
from baselines.halving.asha import ASHA
from baselines.halving.hyperband import Hyperband, brackets
from baselines.halving.sh import HalvingSchedule, SuccessiveHalving, stages
from baselines.parts.rungs import rungs
from hpo_core import Float, Space, run
from hpo_core.errors import InvalidBudget, InvalidOption

LINE = Space([Float("x", 0.0, 1.0)])
BUDGETS = (1, 3, 9)


def steps(o, n, loss=lambda config: config["x"]):
    """Configuration and budget of n proposals, each told at once."""
    done = []
    for _ in range(n):
        proposal = o.ask()
        done.append((proposal.config["x"], proposal.budget))
        o.tell(proposal, loss(proposal.config), 1.0)
    return done


# --- rungs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budgets", "eta", "least", "expected"),
    [
        (range(1, 101), 3, 3, [4, 11, 33, 100]),  # 3 or 4 to 100 epochs in Klein (2020)
        (range(1, 101), 3, 4, [11, 33, 100]),  # floor(log_3 25) = 2 steps down
        (range(1, 101), 3, None, [1, 4, 11, 33, 100]),
        ((1, 3, 9, 27, 81, 243), 3, None, [1, 3, 9, 27, 81, 243]),
        (range(36, 5833), 3, None, [72, 216, 648, 1944, 5832]),  # counting ones with d = 16
        ((1, 2), 3, None, [2]),
        ((1, 100), 3, None, [1, 100]),
        ((0.25, 0.5, 1.0), 2, None, [0.25, 0.5, 1.0]),
        (range(1, 101), 2.5, 10, [16, 40, 100]),
    ],
)
def test_rungs_are_geometric_and_available(budgets, eta, least, expected):
    assert rungs(budgets, eta, least) == expected
    assert all(rung in budgets for rung in expected)


@pytest.mark.parametrize(
    ("budgets", "options", "error", "words"),
    [
        ((1,), {}, InvalidBudget, "at least two budgets, got \\[1\\]"),
        ((1, 9), {"min_budget": 9}, InvalidBudget, "below the full budget 9, got 9.0"),
        ((1, 9), {"min_budget": 0}, InvalidBudget, "above 0"),
        ((1, 9), {"eta": 1}, InvalidOption, "eta must be a number above 1, got 1"),
        ((1, 9), {"eta": math.nan}, InvalidOption, "eta"),
    ],
)
@pytest.mark.parametrize("name", ["sh", "hyperband", "asha"])
def test_budgets_that_make_no_rungs_are_refused(name, budgets, options, error, words):
    with pytest.raises(error, match=words):
        optimizer(name, LINE, budgets, **options)


# --- successive halving --------------------------------------------------------------------------------------------


def test_the_best_third_goes_on():
    done = steps(SuccessiveHalving(LINE, budgets=BUDGETS, seed=1), 26)
    assert [budget for _, budget in done] == [1] * 9 + [3] * 3 + [9] + [1] * 9 + [3] * 3 + [9]
    first = sorted(x for x, _ in done[:9])
    assert [x for x, _ in done[9:12]] == first[:3]
    assert done[12][0] == first[0]


def test_sizes_are_rounded_down():
    assert stages(34, [3, 9, 27, 81], 3) == [(34, 3), (11, 9), (3, 27), (1, 81)]
    assert stages(10, [1, 2, 4, 8], 2) == [(10, 1), (5, 2), (2, 4), (1, 8)]


def test_what_failed_is_not_continued_and_a_run_in_which_all_fail_ends():
    o = SuccessiveHalving(LINE, budgets=BUDGETS, seed=1)
    finite = iter([False] * 7 + [True] * 2 + [True] * 2 + [True])
    done = steps(o, 12, lambda config: config["x"] if next(finite) else math.inf)
    assert [budget for _, budget in done] == [1] * 9 + [3] * 2 + [9]
    done = steps(o, 18, lambda config: math.inf)
    assert [budget for _, budget in done] == [1] * 18


def test_the_next_run_starts_while_results_are_pending():
    o = SuccessiveHalving(LINE, budgets=BUDGETS, seed=1)
    pending = [o.ask() for _ in range(12)]
    assert [p.budget for p in pending] == [1] * 12  # nine of the first run, three of the second
    for p in pending[:9]:
        o.tell(p, p.config["x"], 1.0)
    # the survivors of the first run wait at budget 3, and the second still has six to start at budget 1: these go first
    assert [o.ask().budget for _ in range(9)] == [1] * 6 + [3] * 3


def test_finished_runs_are_let_go():
    rng = np.random.default_rng(1)
    schedule = HalvingSchedule(repeat(stages(9, BUDGETS, 3)), lambda: {"x": rng.random()})
    steps(schedule, 5)
    assert len(schedule) == 1
    steps(schedule, 8 + 13 * 20)
    assert len(schedule) == 0


def test_each_run_is_prepared_before_its_first_configuration():
    events = []
    plans = iter([[(2, 1), (1, 3)], [(1, 3)]])
    schedule = HalvingSchedule(plans, lambda: events.append("sample") or {"x": 0.5}, lambda plan: events.append(plan))
    steps(schedule, 4)
    assert events == [[(2, 1), (1, 3)], "sample", "sample", [(1, 3)], "sample"]


def test_losses_may_arrive_in_any_order():
    o = SuccessiveHalving(LINE, budgets=BUDGETS, seed=1)
    pending = [o.ask() for _ in range(9)]
    for index in np.random.default_rng(0).permutation(9):
        o.tell(pending[index], pending[index].config["x"], 1.0)
    best = sorted(p.config["x"] for p in pending)[:3]
    assert [o.ask().config["x"] for _ in range(3)] == best


# --- Hyperband -----------------------------------------------------------------------------------------------------


def test_brackets_are_those_of_the_paper():
    # Li et al. (2018, JMLR), table 1: R = 81, eta = 3
    assert brackets((1, 3, 9, 27, 81)) == [
        [(81, 1), (27, 3), (9, 9), (3, 27), (1, 81)],
        [(34, 3), (11, 9), (3, 27), (1, 81)],
        [(15, 9), (5, 27), (1, 81)],
        [(8, 27), (2, 81)],
        [(5, 81)],
    ]


def test_hyperband_goes_through_the_brackets_in_turn():
    done = steps(Hyperband(LINE, budgets=BUDGETS, seed=0), 2 * 22)
    # s = 2: 9, 3, 1; s = 1: ceil(3 / 2 * 3) = 5, 1; s = 0: 3
    assert [budget for _, budget in done] == 2 * ([1] * 9 + [3] * 3 + [9] + [3] * 5 + [9] + [9] * 3)
    assert done[18][0] == min(x for x, _ in done[13:18])


def test_hyperband_runs_brackets_in_parallel():
    o = Hyperband(LINE, budgets=BUDGETS, seed=0)
    assert [o.ask().budget for _ in range(17)] == [1] * 9 + [3] * 5 + [9] * 3


# --- ASHA ----------------------------------------------------------------------------------------------------------


def test_asha_promotes_as_soon_as_a_third_is_there():
    o = ASHA(LINE, budgets=BUDGETS, seed=0)
    losses = iter([5.0, 4.0, 3.0])
    done = steps(o, 3, lambda config: next(losses))
    assert [budget for _, budget in done] == [1, 1, 1]
    third = o.ask()  # 1 of 3 may go on: the one with loss 3
    assert (third.config["x"], third.budget) == (done[2][0], 3)
    fourth = o.ask()
    assert fourth.budget == 1  # no second promotion among three
    o.tell(fourth, 9.0, 1.0)
    more = [o.ask() for _ in range(2)]
    for p, loss in zip(more, (8.0, 2.0), strict=True):
        o.tell(p, loss, 1.0)
    # of six two may go on: the loss of 2 and that of 3, which has gone on already
    promoted = o.ask()
    assert (promoted.config, promoted.budget) == (more[1].config, 3)
    assert o.ask().budget == 1


def test_asha_prefers_the_highest_rung():
    o = ASHA(LINE, budgets=BUDGETS, seed=0)
    low = [o.ask() for _ in range(12)]
    for index, proposal in enumerate(low[:9]):
        o.tell(proposal, 1.0 + index, 1.0)
    middle = [o.ask() for _ in range(3)]
    assert [p.config for p in middle] == [p.config for p in low[:3]]
    for index, proposal in enumerate([*middle, *low[9:]]):
        o.tell(proposal, 0.1 * index, 1.0)
    # now the best of the middle rung may go on, and of twelve at the lowest the last three, which are its best
    assert [(p.config, p.budget) for p in (o.ask() for _ in range(4))] == [
        (low[0].config, 9), (low[9].config, 3), (low[10].config, 3), (low[11].config, 3)
    ]  # fmt: skip


def test_asha_never_continues_what_failed():
    o = ASHA(LINE, budgets=BUDGETS, seed=0)
    assert {budget for _, budget in steps(o, 60, lambda config: math.inf)} == {1}


@pytest.mark.parametrize("n", [50, 300])
def test_asha_promotes_about_a_third_of_each_rung(n):
    o = ASHA(LINE, budgets=BUDGETS, seed=3)
    rng = np.random.default_rng(1)
    counts = Counter(budget for _, budget in steps(o, n, lambda config: rng.random()))
    # a later result can push one that went on out of the best third, so a few more than a third go on
    assert counts[1] // 3 <= counts[3] <= counts[1] // 2
    assert counts[3] // 3 <= counts[9] <= counts[3] // 2 + 1


# --- that they search ----------------------------------------------------------------------------------------------


@cache
def losses_at_the_cost_of_eight_full_evaluations(name):
    seconds = 8 * 5832
    runs = [run("counting-ones-8-8", name, n_trials=None, max_cost=seconds, seed=seed) for seed in range(16)]
    return [r.incumbent().loss_at(seconds) for r in runs]


@pytest.mark.parametrize("name", ["sh", "hyperband", "asha"])
def test_halving_beats_random_search_at_equal_cost(name):
    ours, random = (losses_at_the_cost_of_eight_full_evaluations(each) for each in (name, "rs"))
    assert mannwhitneyu(ours, random, alternative="less").pvalue < 0.01
