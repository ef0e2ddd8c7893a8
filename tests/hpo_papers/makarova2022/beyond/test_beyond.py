"""Choosing rules with datasets left out, stops at thresholds, and the verdicts' rules."""

import numpy as np
import pytest

from hpo_papers.makarova2022.beyond.calibration import verdict as calibration_verdict
from hpo_papers.makarova2022.beyond.choosing import Candidates, left_out
from hpo_papers.makarova2022.beyond.default_recorded import better
from hpo_papers.makarova2022.beyond.tables import CHECKS, stops_at
from hpo_papers.makarova2022.bounds.cv import FollowingRule


def test_the_rule_for_a_dataset_is_chosen_on_the_others():
    rules = (FollowingRule(1.0), FollowingRule(2.0), FollowingRule(3.0))
    rtc = np.array([[[0.6, 0.6, 0.6]], [[0.5, 0.5, 0.5]], [[0.1, 0.1, 0.1]]])  # the third saves too little
    ryc = np.array([[[-0.9, -0.1, -0.1]], [[-0.2, -0.2, -0.2]], [[0.0, 0.0, 0.0]]])
    found = left_out(Candidates(rules, rtc, ryc, np.full((1, 3), 0.5), np.full((1, 3), -0.3)))
    # without dataset 0 the first is best on the others, which costs .9 there; with it the second is
    assert [rule[0] for rule in found["rules"]] == [1.0, 2.0, 2.0]
    assert found["ryc"] == [pytest.approx((-0.9 - 0.2 - 0.2) / 3)]
    assert found["ryc_difference"][0] == pytest.approx((-0.9 - 0.2 - 0.2) / 3 + 0.3)


def test_better_needs_an_interval_above_0_and_the_saving():
    assert better({"ryc_difference": [0.01, 0.001, 0.02], "rtc_difference": [-0.005, -0.1, 0.1]})
    assert not better({"ryc_difference": [0.01, -0.001, 0.02], "rtc_difference": [0.0, -0.1, 0.1]})
    assert not better({"ryc_difference": [0.01, 0.001, 0.02], "rtc_difference": [-0.02, -0.1, 0.1]})


def test_stops_at_a_threshold_by_hand():
    bounds = np.full((3, len(CHECKS)), 1.0)
    bounds[0, 2:], bounds[1, 0], bounds[2] = 1e-3, np.nan, np.nan
    regrets = np.full((3, len(CHECKS)), 0.5)
    assert stops_at(bounds, regrets, 0.1, CHECKS) == {
        "stops": 1,
        "above": 1,
        "saved": pytest.approx((1 - 40 / 500) / 3),
    }


def test_the_rule_of_calibration():
    stops = {"0.01": {"stops": 10, "above": 2, "saved": 0.5}}
    recorded = {"below": 0.2, "stops": stops}
    good = {"below": 0.1, "stops": {"0.01": {"stops": 12, "above": 2, "saved": 0.6}}}
    slower = {"below": 0.1, "stops": {"0.01": {"stops": 10, "above": 2, "saved": 0.4}}}
    wrong = {"below": 0.1, "stops": {"0.01": {"stops": 10, "above": 3, "saved": 0.6}}}
    for ours, word in ((good, "reproduced"), (slower, "differs"), (wrong, "differs"), (recorded, "differs")):
        assert calibration_verdict({"tables": {"calibrated": ours, "recorded": recorded}}).word == word
