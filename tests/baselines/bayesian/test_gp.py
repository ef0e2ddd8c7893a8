"""The processes of `gp` and `gp-ucb`, their samples, and the acquisition functions that are averaged over them."""

import copy

import numpy as np
import pytest

from baselines import optimizer
from baselines.bayesian.gp import log_improvement_score
from baselines.bayesian.gp_ucb import confidence_score
from baselines.bayesian.parts.process_proposal import BOX, SAMPLED, THINNING, ProcessProposal
from hpo_core import Benchmark, run
from hpo_core.errors import InvalidOption
from hpo_models.acquisition import log_expected_improvement
from hpo_models.gp.fit import posterior_samples
from hpo_models.gp.kernels import matern52
from hpo_models.gp.regression import condition, fit

GROUPS = np.arange(2)


def observations(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, 2)), rng.standard_normal(n)


def test_lengthscales_without_evidence_are_uniform_in_their_logarithm():
    proposal = ProcessProposal(log_improvement_score, 300)
    processes = proposal.processes(np.array([[0.5, 0.5]]), np.zeros(1), GROUPS, np.random.default_rng(0))
    logs = np.log([process.hyperparameters.lengthscales for process in processes])
    assert logs.min() > np.log(0.01) and logs.max() < 2.0
    assert logs.mean() == pytest.approx((np.log(0.01) + 2.0) / 2, abs=0.5)  # 1.0 if they were uniform themselves


def test_expected_improvement_is_averaged_over_samples():
    rows, values = observations(12)
    processes = ProcessProposal(log_improvement_score, 4).processes(rows, values, GROUPS, np.random.default_rng(0))
    assert len({process.hyperparameters.noise for process in processes}) == 4
    new = observations(9, seed=1)[0]
    improvements = np.exp([log_expected_improvement(*process.predict(new), values.min()) for process in processes])
    assert np.exp(log_improvement_score(processes, values)(new)) == pytest.approx(improvements.sum(axis=0))


def test_the_confidence_bound_is_averaged_over_samples():
    rows, values = observations(12)
    processes = ProcessProposal(confidence_score, 4).processes(rows, values, GROUPS, np.random.default_rng(0))
    new = observations(9, seed=1)[0]
    beta = 0.4 * np.log(2 * 12**2 * np.pi**2 / 0.6)
    bounds = [mean - np.sqrt(beta) * std for mean, std in (process.predict(new) for process in processes)]
    assert confidence_score(processes, values)(new) == pytest.approx(-np.mean(bounds, axis=0))
    assert confidence_score(processes[:1], values)(new) == pytest.approx(-bounds[0])


def test_the_chain_goes_on_from_proposal_to_proposal():
    """The second set of samples begins at the last of the first, without burn-in, and keeps the newer half of them."""
    rows, values = observations(13)
    proposal, rng = ProcessProposal(log_improvement_score, 5), np.random.default_rng(0)
    first = [p.hyperparameters for p in proposal.processes(rows[:12], values[:12], GROUPS, rng)]
    again = copy.deepcopy(rng)
    processes = proposal.processes(rows, values, GROUPS, rng)
    by_hand = posterior_samples(
        rows, values, GROUPS, matern52, SAMPLED, again, first[-1], BOX,
        n_samples=3, burn_in=0, thinning=THINNING, step_out=False,
    )  # fmt: skip
    expected = [*first[3:], *by_hand]
    assert [process.hyperparameters.noise for process in processes] == [sample.noise for sample in expected]
    for process in processes:
        whole = condition(rows, values, process.hyperparameters, groups=GROUPS)
        np.testing.assert_allclose(process.predict(rows + 0.1), whole.predict(rows + 0.1), atol=1e-6)


def test_hyperparameters_are_searched_for_again_when_observations_have_grown_by_a_twentieth():
    rows, values = observations(60)
    proposal, found = ProcessProposal(log_improvement_score, 0), {}
    for n in range(5, 61):
        (found[n],) = proposal.processes(rows[:n], values[:n], GROUPS, np.random.default_rng(0))
    searched = [n for n in found if n == 5 or found[n].hyperparameters is not found[n - 1].hyperparameters]
    assert searched == [*range(5, 22), 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 44, 47, 50, 53, 56, 59]
    for n in searched[-2:]:  # from the same start, whatever was found before
        assert found[n].hyperparameters.noise == fit(rows[:n], values[:n], groups=GROUPS).hyperparameters.noise
    kept = condition(rows, values, found[59].hyperparameters, groups=GROUPS)
    np.testing.assert_allclose(found[60].predict(rows + 0.1), kept.predict(rows + 0.1), atol=1e-6)


@pytest.mark.parametrize("name", ["gp", "gp-ucb"])
def test_with_samples_it_is_a_function_of_its_seed_and_optimizes(name):
    b = Benchmark("branin")
    first, again = (run(b, optimizer(name, b.space, seed=1, n_samples=3), n_trials=25, seed=1) for _ in range(2))
    most_probable = run(b, optimizer(name, b.space, seed=1), n_trials=25, seed=1)
    assert first == again and first.trials[6].config != most_probable.trials[6].config
    assert min(trial.loss for trial in first.trials) - b.optimum < 0.5  # 3 % of 25 random points get there
    with pytest.raises(InvalidOption, match="n_samples"):
        optimizer(name, b.space, n_samples=-1)
