"""How many proposals were random: what the optimizers say about themselves."""

import pytest

from baselines import optimizer
from hpo_core import Benchmark, run

DESIGNS = {
    "re": ({"population": 7}, 7),
    "de": ({"population": 6}, 6),
    "tpe": ({"n_initial": 5}, 5),
    "tpe-univariate": ({"n_initial": 5}, 5),
    "bore": ({"n_initial": 4}, 4),
    "cmaes": ({}, 10),  # a generation: 4 + 3 ln d points, d = 9
}


@pytest.mark.parametrize("name", DESIGNS)
def test_the_random_phase_is_counted(name):
    options, n_random = DESIGNS[name]
    benchmark = Benchmark("protein")
    for n_trials in (3, 20):
        made = optimizer(name, benchmark.space, seed=0, **options)
        run(benchmark, made, n_trials=n_trials)
        assert made.n_random == min(n_trials, n_random)


def test_bohb_counts_its_random_configurations():
    benchmark = Benchmark("mini-wine")
    made = optimizer("bohb", benchmark.space, budgets=benchmark.budgets, seed=0, random_fraction=1.0)
    run(benchmark, made, n_trials=100)
    assert made.n_random == 81  # of the first bracket, eta = 3; promotions are not random


def test_random_search_has_no_random_phase():
    assert not hasattr(optimizer("rs", Benchmark("branin").space, seed=0), "n_random")
