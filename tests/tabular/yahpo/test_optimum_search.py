"""The search of optima, on problems whose optimum is known."""

import numpy as np
import pytest

from hpo_core import Benchmark, Categorical, Float, Int, Result, SimpleProblem, Space
from hpo_core.space import Condition
from tabular.yahpo.optimum_search import SearchSettings, codes_of, search_optimum

QUICK = SearchSettings(restarts=3, n_random=300, n_rounds=60, n_children=100, n_parents=30)


@pytest.mark.parametrize("name", ["branin", "hartmann3", "six-hump-camel"])
def test_it_finds_known_optima(name):
    problem = Benchmark(name).problem
    found = search_optimum(problem, 0, QUICK)
    assert found.loss == pytest.approx(problem.optimum, abs=1e-4)
    assert problem.evaluate(found.config, problem.budgets[-1], None).loss == pytest.approx(found.loss, abs=1e-12)
    assert found.loss == min(found.by_restart) and 1 <= found.agreeing <= 3


def conditional():
    """A cone that is deepest where `z` is switched on and an integer is at the end of its range."""
    space = Space(
        [Categorical("kind", ("a", "b")), Int("n", 1, 20), Float("z", 1e-3, 10, log=True)],
        [Condition("z", "kind", ("b",))],
    )

    def evaluate(config, budget, seed):
        depth = 0.0 if config["kind"] == "a" else 1.0 - abs(np.log(config["z"]))
        return Result(float(20 - config["n"] - depth), 1.0, budget, {})

    return SimpleProblem("conditional", space, evaluate, optimum=-1.0)


def test_conditions_are_kept():
    problem = conditional()
    found = search_optimum(problem, 1, SearchSettings(2, 200, 30, 50, 20))
    assert found.config["kind"] == "b" and found.config["n"] == 20
    assert found.config["z"] == pytest.approx(1.0, rel=1e-2) and found.loss == pytest.approx(-1.0, abs=1e-2)
    codes = codes_of(problem.space, np.random.default_rng(0).random((50, 3)))
    assert np.array_equal(np.isnan(codes[:, 2]), codes[:, 0] == 0) and not np.isnan(codes[:, :2]).any()


def test_it_is_a_function_of_its_seed():
    problem, settings = Benchmark("hartmann3").problem, SearchSettings(2, 50, 3, 20, 10)
    first, again, other = (search_optimum(problem, seed, settings) for seed in (0, 0, 1))
    assert first == again != other
    assert settings.evaluations == 2 * (50 + 3 * 20)
