"""`cv-regret-bound` as Makarova et al. (2021) have it: logarithms of the losses, with their variance."""

import math

import numpy as np
import pytest
from made_trials import LINE, trial, trials_of

from baselines import criterion
from baselines.stopping.cv_regret_bound import estimation_error, log_error
from baselines.stopping.parts.bound_checks import PAPER_2021
from baselines.stopping.parts.regret import RegretBounds
from hpo_core.errors import InvalidOption

FOLDS = [0.9, 1.1, 1.0, 1.2, 0.8]


def cross_validated(n, factor=1.0, seed=0):
    """A run on a line whose losses are exp of a parabola, times a factor."""
    xs = np.random.default_rng(seed).random(n).tolist()
    losses = [factor * math.exp((x - 0.4) ** 2) for x in xs]
    return trials_of(losses, xs, [[loss * part for part in FOLDS] for loss in losses])


def test_the_error_of_a_logarithm_is_that_of_a_log_normal_variable():
    draws = np.exp(np.random.default_rng(0).normal(0.3, 0.25, 200_000))
    assert log_error(float(draws.mean()), float(draws.std())) == pytest.approx(0.25, rel=0.01)
    assert log_error(2.0, 1e-4) == pytest.approx(5e-5, rel=1e-6)


def test_bound_and_threshold_do_not_depend_on_the_unit_of_the_loss():
    rule = criterion("cv-regret-bound:variant=paper-2021", LINE)
    small, large = cross_validated(25), cross_validated(25, factor=1000.0)
    assert rule.bound(small) == pytest.approx(rule.bound(large), rel=1e-6)
    best = min(small, key=lambda t: t.loss)
    expected = math.sqrt(math.log1p((estimation_error(best.result.info["folds"]) / best.loss) ** 2))
    assert rule.threshold(small) == pytest.approx(expected) == pytest.approx(rule.threshold(large))
    assert rule(small).startswith("cv-regret-bound: the estimated bound on the regret is")


def test_the_bound_is_one_of_logarithms_on_all_trials():
    trials = cross_validated(30)
    logs = trials_of([math.log(t.loss) for t in trials], [t.config["x"] for t in trials])
    plain = RegretBounds(LINE, PAPER_2021._replace(log=False))
    assert RegretBounds(LINE, PAPER_2021)(trials).value == pytest.approx(plain(logs).value)
    half = RegretBounds(LINE, PAPER_2021._replace(log=False, share=0.5))
    assert plain(logs).value != half(logs).value


def test_a_loss_of_nothing_has_no_logarithm():
    trials = cross_validated(24)
    trials.append(trial(0.0, step=24, folds=[0.0] * 5))
    rule = criterion("cv-regret-bound:variant=paper-2021", LINE)
    assert rule(trials) is None
    assert "a loss of 0 has no logarithm" in rule.status(trials)


def test_its_bound_is_not_calibrated():
    with pytest.raises(InvalidOption, match="those of 'paper-2021' are of logarithms"):
        criterion("cv-regret-bound:variant=paper-2021,calibrated=true", LINE)
