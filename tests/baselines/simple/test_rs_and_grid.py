"""Random search and grid search."""

import numpy as np
import pytest
from scipy.stats import chisquare

from baselines import optimizer
from hpo_core import Categorical, Condition, Float, Forbidden, ForbiddenRelation, Int, Ordinal, Space, run
from hpo_core.errors import InvalidOption

SPACE = Space([Ordinal("o", [1, 2, 5]), Int("i", 1, 100, log=True), Categorical("c", "xyz", weights=[6, 3, 1])])


def asked(o, n):
    return [o.ask().config for _ in range(n)]


def test_random_search_draws_what_the_space_samples():
    rng = np.random.default_rng(5)
    assert asked(optimizer("rs", SPACE, seed=5), 200) == [SPACE.sample(rng) for _ in range(200)]


def test_random_search_draws_what_a_space_with_floats_samples():
    space = Space([*SPACE, Float("x", 1e-4, 1.0, log=True), Float("y", -1.0, 1.0)])
    rng = np.random.default_rng(5)
    for config in asked(optimizer("rs", space, seed=5), 200):
        expected = space.sample(rng)
        floats = [config.pop(name) for name in "xy"]
        assert floats == pytest.approx([expected.pop(name) for name in "xy"], rel=1e-12)
        assert config == expected
        assert [type(value) for value in config.values()] == [int, int, str]


def test_random_search_is_uniform_on_the_table():
    space = Space([Ordinal("a", range(4)), Categorical("b", range(3))])
    indices = [space.grid.index(config) for config in asked(optimizer("rs", space), 6000)]
    assert chisquare(np.bincount(indices, minlength=12)).pvalue > 0.001


def test_random_search_draws_by_weight():
    drawn = [config["c"] for config in asked(optimizer("rs", SPACE), 5000)]
    counts = [drawn.count(value) for value in "xyz"]
    assert chisquare(counts, [3000, 1500, 500]).pvalue > 0.001


def test_floats_are_uniform_on_their_scale():
    space = Space([Float("x", 1e-4, 1.0, log=True), Int("i", 0, 1)])
    drawn = np.log10([config["x"] for config in asked(optimizer("rs", space), 4000)])
    assert chisquare(np.histogram(drawn, bins=8, range=(-4, 0))[0]).pvalue > 0.001


def test_the_grid_is_gone_through_once_in_order():
    space = Space([Ordinal("a", [1, 2]), Categorical("b", "xyz")])
    r = run_on(space)
    assert [trial.config for trial in r.trials] == list(space.configs())
    assert r.reason.startswith("exhausted")


def run_on(space, **options):
    from hpo_core import Benchmark, Result, SimpleProblem

    b = Benchmark(SimpleProblem("zero", space, lambda config, budget, seed: Result(0.0, 1.0, budget, {})))
    return run(b, optimizer("grid", space, **options), n_trials=1000)


def test_floats_take_evenly_spaced_values_on_their_scale():
    space = Space([Float("x", 1e-4, 1.0, log=True), Float("y", -1, 1)])
    r = run_on(space, resolution=5)
    assert len(r.trials) == 25
    assert sorted({t.config["x"] for t in r.trials}) == pytest.approx([1e-4, 1e-3, 1e-2, 1e-1, 1.0])
    assert sorted({t.config["y"] for t in r.trials}) == pytest.approx([-1, -0.5, 0, 0.5, 1])


def test_the_grid_of_a_conditional_space_has_no_doubles():
    space = Space([Categorical("k", "ab"), Float("g", 0, 1)], [Condition("g", "k", ("a",))])
    assert len(run_on(space, resolution=3).trials) == 4


def test_the_grid_passes_over_what_is_forbidden():
    space = Space(
        [Float("x", 0, 1), Int("i", 0, 1), Categorical("k", "ab"), Float("g", 0, 1)],
        [Condition("g", "k", ("a",))],
        forbidden=[ForbiddenRelation("x", "<", "i"), Forbidden({"k": ["b"], "i": [0]})],
    )
    found = [trial.config for trial in run_on(space, resolution=3).trials]
    # i = 0 and k = a: three x, three g; i = 1: x = 1 only, with three g or without
    assert len(found) == 9 + 3 + 1
    assert all(space.check(config) == config for config in found)


def test_the_grid_of_a_list_is_the_list():
    box = Space([Float("x", 0, 1), Categorical("k", "ab")])
    space = Space(box, listed=box.sample(np.random.default_rng(0), 7))
    r = run_on(space)
    assert [trial.config for trial in r.trials] == list(space.configs())
    assert r.reason.startswith("exhausted")


def test_a_condition_on_a_value_between_the_points_of_the_grid_never_holds():
    space = Space([Float("x", 0, 1), Int("i", 0, 4)], [Condition("i", "x", (0.3, 1.0))])
    assert [trial.config for trial in run_on(space, resolution=2).trials] == [
        {"x": 0.0},
        *({"x": 1.0, "i": i} for i in range(5)),
    ]


def test_a_grid_needs_two_points():
    with pytest.raises(InvalidOption, match="resolution must be an integer >= 2, got 1"):
        optimizer("grid", SPACE, resolution=1)


LISTED = Space([*SPACE, Float("x", 0.0, 1.0)])
LISTED = Space([*LISTED], listed=LISTED.sample(np.random.default_rng(0), 12))


def test_random_search_is_uniform_on_a_list():
    indices = [LISTED.numbering.index(config) for config in asked(optimizer("rs", LISTED), 6000)]
    assert chisquare(np.bincount(indices, minlength=12)).pvalue > 0.001


def test_grid_search_goes_through_a_list():
    o = optimizer("grid", LISTED)
    assert asked(o, 12) == list(LISTED.configs())
    assert o.ask() is None
