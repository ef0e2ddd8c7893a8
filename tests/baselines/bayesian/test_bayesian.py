"""What the optimizers with a model share, and that their models help."""

import numpy as np
import pytest

from baselines import optimizer
from hpo_core import Benchmark, run

NAMES = ("gp", "gp-ucb", "smac", "bore")


def regrets(name, benchmark, n_trials, seeds):
    b = Benchmark(benchmark)
    found = []
    for seed in seeds:
        r = run(b, optimizer(name, b.space, seed=seed), n_trials=n_trials, seed=seed)
        losses, _ = b.objective_batch(b.space.encode([trial.proposal.config for trial in r.trials]))
        found.append(losses.min() - b.optimum)
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_eighty_evaluations_with_a_model_beat_eighty_random_ones(name):
    # Of simulated random searches the median regret is 0.032; the median of five lies below 0.0188 in 5 %.
    assert np.median(regrets(name, "protein", 80, range(5))) < 0.0188


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_proposed_twice_while_there_is_something_new(name):
    b = Benchmark("nb201-cifar10")
    r = run(b, optimizer(name, b.space, seed=0), n_trials=40, seed=0)
    assert len({str(trial.proposal.config) for trial in r.trials}) == 40


@pytest.mark.parametrize("name", NAMES)
def test_failed_trials_and_a_huge_outlier_do_not_stop_it(name):
    b = Benchmark("branin")
    o = optimizer(name, b.space, seed=1)
    for step in range(25):
        proposal = o.ask()
        loss = float("inf") if step % 5 == 3 else 1e7 if step == 4 else b.objective(proposal.config).loss
        o.tell(proposal, loss, 1.0)


@pytest.mark.parametrize("name", NAMES)
def test_equal_losses_are_no_problem(name):
    b = Benchmark("branin")
    o = optimizer(name, b.space, seed=1)
    for _ in range(15):
        o.tell(o.ask(), 0.5, 1.0)
