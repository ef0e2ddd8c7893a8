import numpy as np
import pytest
from scipy.optimize import minimize

from hpo_core import Benchmark
from hpo_core.errors import InvalidOption
from hpo_core.problems.functions import FUNCTIONS

# Values worked out by hand from the formulae.
BY_HAND = {
    "branin": ((0.0, 0.0), 36 + 10 * (1 - 1 / (8 * np.pi)) + 10),
    "six-hump-camel": ((1.0, 1.0), 4 - 2.1 + 1 / 3 + 1 + 0),
    "goldstein-price": ((0.0, 0.0), (1 + 19) * (30 + 0)),
    "levy": ((5.0, 5.0), 0 + 1 * (1 + 10 * np.sin(2 * np.pi + 1) ** 2) + 1),
    "rosenbrock": ((0.0, 2.0), 100 * 4 + 1),
    "bohachevsky": ((1.0, 1.0), 1 + 2 + 0.3 - 0.4 + 0.7),
    "forrester": ((0.0,), 4 * np.sin(-4)),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_value_worked_out_by_hand(name):
    point, value = BY_HAND[name]
    assert float(FUNCTIONS[name].function(np.array(point))) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("name", ["hartmann3", "hartmann6"])
def test_hartmann_against_its_sums(name):
    from hpo_core.problems import functions

    a, p = (getattr(functions, f"{name.upper()}_{letter}") for letter in "AP")
    x = np.random.default_rng(0).random(a.shape[1])
    value = -sum(
        functions.HARTMANN_ALPHA[i] * np.exp(-sum(a[i, j] * (x[j] - p[i, j]) ** 2 for j in range(len(x))))
        for i in range(4)
    )
    assert float(FUNCTIONS[name].function(x)) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_optimum_is_reached_and_never_beaten(name):
    entry = FUNCTIONS[name]
    assert float(entry.function(np.array(entry.best))) == pytest.approx(entry.optimum, abs=1e-9)
    low, high = np.array(entry.bounds).T
    points = low + (high - low) * np.random.default_rng(0).random((20_000, len(low)))
    assert entry.function(points).min() >= entry.optimum
    starts = points[np.argsort(entry.function(points))[:5]]
    found = min(minimize(lambda x: float(entry.function(x)), s, bounds=entry.bounds).fun for s in starts)
    assert found >= entry.optimum - 1e-9


def test_forrester_relatives_know_their_optimum():
    b = Benchmark("forrester", a=3.0, b=9.0)
    assert b.name == "forrester,a=3,b=9"
    x = np.linspace(0, 1, 100_001)
    values = (3 * x - 2) ** 2 * np.sin(9 * x - 4)
    assert b.optimum == pytest.approx(values.min(), abs=1e-7)
    assert b.optimum <= values.min()
    assert b.objective({"x": 0.25}).loss == pytest.approx((0.75 - 2) ** 2 * np.sin(2.25 - 4))
    for bad in ({"a": "3"}, {"a": float("nan")}, {"c": 1.0}):
        with pytest.raises(InvalidOption):
            Benchmark("forrester", **bad)


def test_counting_ones_is_the_closed_form_without_noise():
    b = Benchmark("counting-ones-3-2")
    config = {"cat_0": 1, "cat_1": 0, "cat_2": 1, "float_0": 0.25, "float_1": 0.5}
    assert b.objective(config).loss == pytest.approx(-2.75)
    assert b.optimum == -5.0
    assert b.objective(dict.fromkeys(config, 1)).loss == -5.0
    assert (b.budgets[0], b.budgets[-1]) == (115, 18662)
    assert b.objective(config, budget=200).cost == 200.0


def test_counting_ones_noise_is_binomial():
    b = Benchmark("counting-ones-8-8")
    assert (b.budgets[0], b.budgets[-1]) == (36, 5832)
    config = {name: 1 if name.startswith("cat") else 0.3 for name in b.space.names}
    losses = np.array([b.objective(config, budget=36, seed=s).loss for s in range(4000)])
    sd = np.sqrt(8 * 0.3 * 0.7 / 36)
    assert abs(losses.mean() + 8 + 2.4) < 5 * sd / np.sqrt(4000)
    assert abs(losses.std() / sd - 1) < 5 / np.sqrt(2 * 4000)
    assert b.objective(config, budget=36, seed=7) == b.objective(config, budget=36, seed=7)
    other = {**config, "float_0": 0.30001}
    assert b.objective(config, seed=7).loss - b.objective(other, seed=7).loss not in (0.0, pytest.approx(1e-5))


@pytest.mark.parametrize("name", ["counting-ones-0-0", "counting-ones-400-400"])
def test_counting_ones_of_impossible_sizes(name):
    with pytest.raises(InvalidOption):
        Benchmark(name)
