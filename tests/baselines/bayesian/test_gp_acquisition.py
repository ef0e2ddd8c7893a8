"""`gp-acquisition`: Thompson sampling and probability of improvement with the parts of `gp`."""

import numpy as np
import pytest
from scipy.stats import norm

from baselines import optimizer
from baselines.bayesian.gp_acquisition import log_probability_score, thompson
from hpo_core import Benchmark, run
from hpo_core.errors import InvalidOption
from hpo_models.gp.fit import Hyperparameters
from hpo_models.gp.regression import condition


def processes():
    rng = np.random.default_rng(0)
    x, y = rng.random((8, 2)), rng.standard_normal(8)
    return [condition(x, y, Hyperparameters(np.full(2, scale), 1.0, 0.01)) for scale in (0.3, 0.6)], y


def test_expected_improvement_makes_the_runs_of_gp():
    b = Benchmark("branin")
    ours = run(b, optimizer("gp-acquisition", b.space, seed=3, acquisition="ei"), n_trials=12)
    assert [t.config for t in ours.trials] == [t.config for t in run(b, "gp", n_trials=12, seed=3).trials]


def test_probability_of_improvement_is_averaged():
    both, values = processes()
    rows = np.random.default_rng(1).random((6, 2))
    expected = [norm.cdf((values.min() - 0.3 - mean) / std) for mean, std in (p.predict(rows) for p in both)]
    np.testing.assert_allclose(np.exp(log_probability_score(both, values)(rows)), np.sum(expected, axis=0))
    np.testing.assert_allclose(np.exp(log_probability_score(both[:1], values)(rows)), expected[0])


def test_each_proposal_has_a_draw_of_its_own():
    both, values = processes()
    rows, acquisition = np.random.default_rng(1).random((6, 2)), thompson(np.random.default_rng(0))
    first, second = (acquisition(both, values) for _ in range(2))
    assert np.array_equal(first(rows), first(rows)) and not np.array_equal(first(rows), second(rows))


def test_an_unknown_acquisition_is_refused():
    with pytest.raises(InvalidOption, match="ts, pi, ei, got 'lcb'"):
        optimizer("gp-acquisition", Benchmark("branin").space, acquisition="lcb")
