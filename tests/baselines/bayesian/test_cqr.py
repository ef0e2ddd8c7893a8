"""`cqr`: quantiles at candidates, and which candidate wins."""

import numpy as np
import pytest

from baselines import optimizer
from baselines.bayesian.cqr import corrected_quantiles, propose
from baselines.parts.history import History
from hpo_core import Float, Proposal, Space
from hpo_core.errors import InvalidOption
from hpo_models.features import Features

LEVELS = np.arange(1, 6) / 6
LINE = Space([Float("x", 0.0, 1.0)])


def test_quantiles_are_corrected_from_33_observations_on():
    rng = np.random.default_rng(0)
    rows, values, new = rng.random((33, 2)), rng.standard_normal(33), rng.random((50, 2))
    few = corrected_quantiles(rows[:32], values[:32], new, LEVELS, np.random.default_rng(1))
    assert np.isin(few, values[:32]).all()  # quantiles of a forest are observations
    many = corrected_quantiles(rows, values, new, LEVELS, np.random.default_rng(1))
    assert np.isin(many[:, [0, 1, 3, 4]], values).mean() < 0.2 and np.isin(many[:, 2], values).all()


def test_the_lowest_draw_wins():
    features, history, rng = Features(LINE), History(1), np.random.default_rng(0)
    for k, x in enumerate(np.linspace(0.01, 0.99, 30)):
        history.tell(history.propose(Proposal({"x": k}), np.array([x])), (x - 0.3) ** 2, 1.0)
    found = [float(propose(history.snapshot(features), rng, levels=LEVELS)[0]) for _ in range(20)]
    assert np.abs(np.array(found) - 0.3).max() < 0.2 and np.std(found) > 0.01  # good ones, not always the same


def test_a_single_quantile_is_refused():
    with pytest.raises(InvalidOption, match="n_quantiles"):
        optimizer("cqr", LINE, n_quantiles=1)
