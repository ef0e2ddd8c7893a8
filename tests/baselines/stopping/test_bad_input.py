"""What is not a run to learn from: no crash, no silent stop, and words that say what happened."""

import math
import warnings

import numpy as np
import pytest
from made_trials import LINE, trials_of

from baselines import criterion
from hpo_core import Benchmark, Constant, Space, run
from hpo_core.errors import UnsupportedSpace

MODELLED = ["regret-bound:1e9", "cv-regret-bound:1e9,warm_up=20", "ei:1e9", "pi:1"]


def with_folds(losses, **options):
    return trials_of(losses, folds=[[0.0 if v is None else v, 1.0] for v in losses], **options)


@pytest.mark.parametrize("spec", MODELLED)
def test_too_few_trials(spec):
    rule = criterion(spec, LINE)
    for n in range(20):
        trials = with_folds([1.0 / (i + 1) for i in range(n)])
        assert rule(trials) is None
        assert f"{n} usable trials, checks begin at 20" in rule.status(trials)


@pytest.mark.parametrize("spec", MODELLED)
def test_constant_losses_never_stop_a_run(spec):
    rule = criterion(spec, LINE)
    trials = with_folds([0.25] * 60)
    assert rule(trials) is None
    assert "lowest losses are all equal" in rule.status(trials)


@pytest.mark.parametrize("spec", MODELLED)
def test_failed_trials_are_left_out_and_named(spec):
    losses = [None if i % 3 == 0 else math.sin(i) for i in range(45)]
    rule = criterion(spec, LINE)
    assert rule(with_folds(losses[:24])) is None  # 16 are left
    reason = rule(with_folds(losses))
    assert reason.endswith("(on 30 of 45 trials, without 15 that failed)")
    assert rule(with_folds([None] * 60)) is None


def test_failed_trials_do_not_move_the_bound():
    losses = [math.sin(7 * i) for i in range(30)]
    xs = np.random.default_rng(0).random(30).tolist()
    clean = trials_of(losses, xs)
    mixed = trials_of([*losses, None, None], [*xs, 0.1, 0.2])
    rule = criterion("regret-bound:0.1", LINE)
    assert rule.bound(clean) == rule.bound(mixed)


@pytest.mark.parametrize("spec", MODELLED)
def test_one_configuration_evaluated_again_and_again(spec):
    rng = np.random.default_rng(0)
    trials = with_folds(rng.random(40).tolist(), xs=[0.5] * 40)
    assert isinstance(criterion(spec, LINE)(trials), str)
    assert criterion("regret-bound:1e-6", LINE)(trials) is None


def test_no_fold_losses_is_said_once():
    trials = trials_of(np.random.default_rng(0).random(40).tolist())
    rule = criterion("cv-regret-bound", LINE)
    with pytest.warns(UserWarning, match="no fold losses"):
        assert rule(trials) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rule(trials) is None
    assert "info['folds']" in rule.status(trials)


@pytest.mark.parametrize("folds", [[0.5], [], [0.5, math.nan], [0.5, 0.5]])
def test_folds_that_say_nothing(folds):
    losses = np.random.default_rng(0).random(40).tolist()
    rule = criterion("cv-regret-bound", LINE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert rule(trials_of(losses, folds=[folds] * 40)) is None


@pytest.mark.parametrize("spec", MODELLED)
def test_runs_at_several_budgets_use_the_highest(spec):
    rng = np.random.default_rng(0)
    budgets = [9 if i % 2 else 3 for i in range(50)]
    trials = with_folds([rng.random() + 1.0 / budget for budget in budgets], budgets=budgets)
    reason = criterion(spec, LINE)(trials)
    assert reason.endswith("(on 25 of 50 trials, without 25 at budgets below 9)")


def test_a_multi_fidelity_run_is_stopped_and_says_on_what():
    b = Benchmark("counting-ones-4-4")
    rule = criterion("regret-bound:1e6", b.space, warm_up=2)
    result = run(b, "hyperband", n_trials=200, seed=0)
    assert rule(result.trials).endswith(f"at budgets below {b.budgets[-1]:g})")


def test_huge_and_tiny_losses():
    rng = np.random.default_rng(0)
    for scale in (1e-12, 1e12):
        trials = trials_of((scale * rng.random(40)).tolist())
        assert 0.0 < criterion("regret-bound:1", LINE).bound(trials) < 10 * scale


def test_a_space_where_nothing_varies():
    with pytest.raises(UnsupportedSpace, match="can vary"):
        criterion("regret-bound:0.1", Space([Constant("x", 1)]))
