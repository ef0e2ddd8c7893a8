"""The authors' rules on arrays, by hand, against the criteria, and against the stops that the authors recorded."""

import numpy as np
import pytest

from baselines.stopping.conv import Convergence
from baselines.stopping.cv_regret_bound import CVRegretBound
from baselines.stopping.regret_bound import RegretBound
from hpo_core import Float, Proposal, Result, Space, Trial
from hpo_leaderboard.stopping.replay import RecordedBounds, stop_of
from hpo_papers.makarova2022.record import rules
from hpo_papers.makarova2022.record.contents import ALGORITHMS, OPTIMIZERS, record
from hpo_papers.makarova2022.record.methods import run_scores, stops_of
from hpo_papers.makarova2022.record.regrets import regrets_by_test

LINE = Space([Float("x", 0.0, 1.0)])
LOSSES = np.array([[3.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 0.5]])


def test_incumbents_by_hand():
    assert rules.incumbents(LOSSES).tolist() == [[0, 1, 1, 3, 3, 3, 3, 7]]
    rounding = np.array([[1.0, 1.0 - 1e-15, 1.0 - 1e-9]])
    assert rules.incumbents(rounding).tolist() == [[0, 0, 2]]


def test_conv_by_hand():
    # the incumbent is found by evaluation 4: two without a better one are 5 and 6, so it stops after 6
    assert rules.conv_stops(LOSSES, 2, 0).tolist() == [6]
    assert rules.conv_stops(LOSSES, 2, 5).tolist() == [7]  # counted from the end of the warm-up
    assert rules.conv_stops(LOSSES, 7, 0).tolist() == [7]  # never: the last evaluation but one


def test_bounds_by_hand():
    bounds = np.array([[np.nan, np.nan, 0.1, 3.0, 0.9, 0.9, 0.4, 0.3]])
    assert rules.bound_stops(bounds, 1.0, 2).tolist() == [2]
    assert rules.bound_stops(bounds, 1.0, 3).tolist() == [4]
    assert rules.bound_stops(bounds, 1.0, 3, in_a_row=3).tolist() == [6]
    assert rules.bound_stops(bounds, 0.01, 2).tolist() == [7]


def test_thresholds_follow_or_are_kept():
    folds = np.zeros((1, 8, 10))
    folds[0, :, 0] = np.arange(1.0, 9.0)  # standard deviation 0.3 times the number
    unit = 0.3 * np.sqrt(1 / 10 + 1 / 9)
    kept = rules.fold_thresholds(LOSSES, folds, 4, frozen=True)
    assert kept == pytest.approx(np.full((1, 8), 4 * unit))  # of the incumbent of the first four
    followed = rules.fold_thresholds(LOSSES, folds, 4, frozen=False)
    assert followed[0, 1:] / unit == pytest.approx([1, 2, 2, 4, 4, 4, 4])  # of the first t


def test_scores_by_hand():
    tests = np.array([[9.0, 4.0, 5.0, 2.0, 7.0, 7.0, 7.0, 1.0]])
    stops = np.array([2])
    assert rules.rtc(stops, 8).tolist() == [pytest.approx(5 / 7)]
    assert rules.ryc(tests, LOSSES, stops).tolist() == [pytest.approx((2 - 4) / 4)]  # the last evaluation is left out


def trials_of(losses, folds=None):
    info = [{} if folds is None else {"folds": folds[i].tolist()} for i in range(len(losses))]
    return tuple(Trial(Proposal({"x": 0.5}), Result(float(loss), 1.0, 1, info[i]), i) for i, loss in enumerate(losses))


@pytest.mark.slow
@pytest.mark.parametrize("dataset", [0, 7])
def test_criteria_stop_where_the_arrays_do(dataset):
    """With recorded bounds: two implementations that share no code."""
    for name in ALGORITHMS:
        runs = record().runs["cv", name]
        trials = trials_of(runs["loss"][dataset, 0], runs["folds"][dataset, 0])
        variant = {"variant": "reference-code", "bounds": RecordedBounds(runs["bound"][dataset, 0])}
        made = {
            "Conv_30": Convergence(LINE, 30, warm_up=20),
            "Ours_0.21": CVRegretBound(LINE, **variant),
            "Ours_0.5": CVRegretBound(LINE, rules.HALF, **variant),
            "Text_0.5": CVRegretBound(LINE, rules.TEXTS_HALF, frozen=False, **variant),
        }
        for method, rule in made.items():
            assert min(stop_of(rule, trials)[0], 199) == stops_of(runs, method)[dataset, 0], (name, method)
    runs = record().runs["fcnet", "bore"]
    trials = trials_of(runs["loss"][0, dataset])
    bounds = RecordedBounds(runs["bound"][0, dataset])
    for threshold in (1e-2, 1e-3):
        rule = RegretBound(LINE, threshold, variant="reference-code", bounds=bounds)
        assert stop_of(rule, trials)[0] == stops_of(runs, f"Ours_{threshold:g}")[0, dataset]


def test_stops_are_those_that_the_authors_recorded():
    """All of them, but for Conv on slice with TPE: those stops belong to other runs than the recorded ones."""
    keys = [*(("cv", name) for name in ALGORITHMS), *(("fcnet", name) for name in OPTIMIZERS), ("nas", "bore")]
    n_checked = 0
    for key in keys:
        runs, recorded = record().runs[key], record().stops[key]
        for method, stops in recorded.items():
            if method.startswith("Ours_TR"):  # not in the paper
                continue
            differ = (stops_of(runs, method) != stops) & (stops > 0)
            if key == ("fcnet", "tpe") and method.startswith("Conv"):
                differ = differ[:3]
            assert not differ.any(), (key, method, np.argwhere(differ)[:3])
            n_checked += int((stops > 0).sum())
    assert n_checked > 15_000


def test_a_missing_run_has_no_scores():
    runs = record().runs["nas", "bore"]
    saved, _ = run_scores(runs, stops_of(runs, "Conv_10"))
    assert np.isnan(saved).sum() == 1


def test_regrets_are_not_below_0_where_test_errors_are_means():
    found = regrets_by_test(record().runs["fcnet", "bore"])  # the others recorded those of single repetitions
    assert np.isnan(found[..., 0]).all()
    assert np.nanmin(found) > -1e-8
