"""What fitted trees promise beyond their predictions."""

import numpy as np
import pytest

from tabular.surrogates.trees.bins import Bins
from tabular.surrogates.trees.fitting import Boosting, UnknownTrees, ensemble_of, fit
from tabular.surrogates.trees.scorer import Scorer

RNG = np.random.default_rng(0)
INPUTS = RNG.integers(0, 30, (600, 2)).astype(float)
BINS = Bins((np.arange(29) + 0.5, np.arange(29) + 0.5), (0, 0))


def test_predictions_do_not_fall_in_a_rising_column():
    target = np.sin(INPUTS[:, 0]) + 0.1 * INPUTS[:, 1] + RNG.standard_normal(600)
    for rising in (None, 1):
        ensemble = ensemble_of(fit(Boosting(n_trees=50), INPUTS, target, 0, rising=rising))
        grid = np.array([[x, y] for x in range(30) for y in range(30)], dtype=float)
        steps = np.diff(Scorer(BINS, [ensemble]).many(grid)[0].reshape(30, 30), axis=1)
        assert (steps.min() >= -1e-12) == (rising == 1)


def test_trees_that_cannot_be_read_are_an_error_of_ours():
    with pytest.raises(UnknownTrees, match=r"scikit-learn \d"):
        ensemble_of(object())
