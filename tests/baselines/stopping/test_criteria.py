"""The simple criteria, their names, and | and &."""

import pytest
from made_trials import LINE, trials_of

from baselines import criteria, criterion
from hpo_core import Benchmark, run
from hpo_core.errors import InvalidOption, UnknownName


@pytest.mark.parametrize(
    ("losses", "patience", "warm_up", "stop"),
    [
        ([3, 2, 1, 1, 1, 1], 3, 0, 6),  # an equal loss is no better incumbent
        ([3, 2, 1, 5, 0.5, 6, 7, 8], 3, 0, 8),
        ([1, 5, 5, 5], 2, 0, 3),
        ([1, 5, 5, 5, 5, 5], 2, 3, 5),  # counted from the end of the warm-up
        ([1, None, None], 2, 0, 3),  # failed trials count
        ([None, None, None, None], 2, 0, None),  # but there must be an incumbent
        ([3, 2, 1], 1, 0, None),
    ],
)
def test_conv_stops_after_so_many_trials_without_a_better_one(losses, patience, warm_up, stop):
    rule = criterion("conv", LINE, patience=patience, warm_up=warm_up)
    trials = trials_of(losses)
    stops = [n for n in range(1, len(trials) + 1) if rule(trials[:n]) is not None]
    assert (stops[0] if stops else None) == stop
    if stop is not None:
        assert rule(trials[:stop]) == f"conv: no better loss in the last {patience} trials, patience {patience}"


def test_limit_of_trials_and_of_seconds():
    trials = trials_of([3, 2, 1, 1])  # a second each
    assert criterion("limit:3", LINE)(trials[:2]) is None
    assert criterion("limit:3", LINE)(trials[:3]) == "limit: 3 of 3 trials"
    by_time = criterion("limit:max_cost=2.5", LINE)
    assert [by_time(trials[:n]) is None for n in (1, 2, 3)] == [True, True, False]
    assert by_time.status([]) == "limit: 0 of 2.5 s"


def test_budget_is_another_name_of_limit():
    assert "budget" not in criteria()
    trials = trials_of([3, 2, 1])
    for spec in ("budget:3", "conv:9 | budget:max_cost=3"):
        assert criterion(spec, LINE)(trials) == criterion(spec.replace("budget", "limit"), LINE)(trials) is not None


def test_any_and_all():
    trials = trials_of([1, 2, 2, 2, 2, 2])
    early, late, never = criterion("limit:2", LINE), criterion("conv:4", LINE), criterion("limit:99", LINE)

    def stop(rule):
        return next((n for n in range(1, 7) if rule(trials[:n]) is not None), None)

    assert stop(early | late) == stop(late | early) == 2
    assert stop(early & late) == 5
    assert stop(early & never) is None
    assert stop((early & never) | late) == 5
    assert stop((early | never) & late) == 5
    assert (early & late)(trials) == f"{early(trials)} & {late(trials)}"
    assert (never | late)(trials) == late(trials)
    assert (never | late).status(trials) == f"{never.status(trials)} | {late.status(trials)}"


def test_text_and_binds_tighter_than_or():
    trials = trials_of([1, 2, 2, 2])
    rule = criterion("limit:1 & limit:99 | conv:2", LINE)
    assert [rule(trials[:n]) is not None for n in (1, 2, 3)] == [False, False, True]


def test_options_in_text():
    rule = criterion("cv-regret-bound:2.5,variant=paper,frozen=true,warm_up=25,candidates=random,fit=map", LINE)
    assert (rule.scale, rule.frozen, rule.warm_up) == (2.5, True, 25)
    assert criterion("conv", LINE).patience == 50
    assert criterion("conv: 7 , warm_up = 3", LINE).warm_up == 3
    assert criterion("regret-bound", LINE, threshold=1e-3).threshold == criterion("regret-bound:1e-3", LINE).threshold


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("convv:3", "did you mean conv"),
        ("conv:0", "patience must be a whole number >= 1"),
        ("conv:2.5", "patience must be a whole number"),
        ("conv:3,4", "NAME=VALUE"),
        ("conv:3,patience=4", "given twice"),
        ("conv:3,warmup=4", "did you mean warm_up"),
        ("regret-bound", "needs threshold"),
        ("regret-bound:-1", "threshold must be a finite number above 0"),
        ("regret-bound:nan", "threshold must be"),
        ("regret-bound:0.1,variant=papers", "did you mean paper"),
        ("regret-bound:0.1,candidates=some", "candidates must be one of"),
        ("regret-bound:0.1,candidates=all", "finite space"),
        ("regret-bound:0.1,fit=mcmc", "fit must be one of"),
        ("cv-regret-bound:0", "scale must be"),
        ("limit", "n_trials or max_cost"),
        ("conv:3 |", "no stopping criterion ''"),
        ("ei:0", "threshold must be"),
    ],
)
def test_mistakes_are_explained(spec, words):
    with pytest.raises((InvalidOption, UnknownName), match=words):
        criterion(spec, LINE)


def test_every_name_has_a_line_and_can_be_built():
    for name, entry in criteria().items():
        assert entry.summary
        main = {"regret-bound": ":0.1", "limit": ":5"}.get(name, "")
        rule = criterion(name + main, LINE)
        assert rule([]) is None
        assert rule.status([]).startswith(name)


def test_a_run_ends_with_the_reason():
    b = Benchmark("branin")
    result = run(b, "rs", n_trials=300, stop=criterion("conv:15", b.space), seed=3)
    assert result.reason == "conv: no better loss in the last 15 trials, patience 15"
    path = result.incumbent().indices
    assert len(result.trials) - 1 - path[-1] == 15
