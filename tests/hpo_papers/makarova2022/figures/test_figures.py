"""Parts of the figures, by hand."""

import numpy as np
import pytest

from hpo_papers.makarova2022.figures.differences import bounds_with_beta, curve
from hpo_papers.makarova2022.figures.fig_9 import sufficient
from hpo_papers.makarova2022.figures.thresholds import monotone


def test_a_curve_of_differences():
    bounds, regrets = np.array([[1.0, 3.0], [1.0, 1.0], [2.0, 0.5]]), np.ones((3, 2))
    found = curve("x", bounds, regrets, np.array([100, 300]))
    assert found["median"] == [0.0, 0.0]
    assert (found["below"], found["n"]) == (1, 6)
    # the second check stands for the evaluations from 200 to 500, three quarters of those from 100 on
    assert found["share_below"] == pytest.approx(0.75 / 3)


def test_monotone():
    rows = [{"rtc": 0.9, "ryc": -0.5}, {"rtc": 0.5, "ryc": -0.1}, {"rtc": 0.5, "ryc": -0.11}]
    assert monotone(rows[:2]) and not monotone(rows) and monotone(rows, slack=0.02)
    assert not monotone(rows[::-1])


def test_the_smallest_sufficient_patience():
    rows = [
        {"group": g, "method": f"Conv_{i}", "ryc": y} for g, i, y in (("a", 10, -0.5), ("a", 30, 0.0), ("b", 10, -1))
    ]
    assert sufficient({"rows": rows}) == {"a": 30}


def test_a_smaller_beta_gives_smaller_bounds():
    small, large = (bounds_with_beta(0, [20, 60], 0.5, beta) for beta in (0.04, 4.0))
    assert all(a < b for a, b in zip(small, large, strict=True))
