"""What every registered benchmark promises, checked on each."""

import functools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpo_core import Benchmark, Space, benchmarks
from hpo_core.errors import HpoError, InvalidConfig, InvalidSeed

N_INSTANCES = 2  # tested of a family of many instances, FAMILY/INSTANCE: they all run the same code


def names_by_family():
    """Names of the tested benchmarks with their families.

    Of the problems that train when they are asked only the quickest, of many instances the first and the last.
    """
    by_group = {}
    for name, listing in benchmarks().items():
        if listing.family != "trained" or name == "cv-lm-wine":
            by_group.setdefault((listing.family, name.partition("/")[0] if "/" in name else name), []).append(name)
    chosen = {}
    for (family, _), names in by_group.items():
        ends = names if len(names) <= N_INSTANCES else [names[0], names[-1]]
        chosen.update(dict.fromkeys(ends, family))
    return chosen


FAMILIES = names_by_family()
NAMES = list(FAMILIES)
WITHOUT_OPTIMUM = ("profet", "trained")
RECORDED = ("deepar", "nas-graph", "openml-adaboost", "openml-rf", "taskset", "xgboost-tables")
TABLES = ("fcnet", "mini", "mlp", "nb201", *RECORDED)
DIVERGED = ("taskset",)  # trainings that were recorded as diverged have an infinite loss
# float32 networks add up in another order for many configurations: absolute for losses, relative for costs
ROUNDING = dict.fromkeys(("lcbench", "rbv2-xgboost", "rbv2-rpart", "iaml-glmnet"), (1e-5, 1e-3))
opened = functools.cache(Benchmark)


def marked(name):
    """The name as a parameter; training takes seconds."""
    return pytest.param(name, marks=pytest.mark.slow) if FAMILIES[name] == "trained" else name


@pytest.fixture(params=map(marked, NAMES))
def benchmark_(request):
    return opened(request.param)


def only(names):
    """A mark that runs a test on some of the benchmarks."""
    return pytest.mark.parametrize("benchmark_", names, indirect=True)


def budgets_of(b, n=3):
    """The lowest, a middle and the full budget."""
    return [b.budgets[i] for i in sorted({0, len(b.budgets) // 2, len(b.budgets) - 1})][:n]


def configs_of(b, n=8, seed=0):
    return b.space.sample(np.random.default_rng(seed), n)


def test_members(benchmark_):
    b = benchmark_
    assert b.name in NAMES
    assert isinstance(b.space, Space)
    assert len(b.budgets) >= 1
    assert list(b.budgets[:3]) == sorted(b.budgets[:3])
    assert (b.optimum is None) == (FAMILIES[b.name] in WITHOUT_OPTIMUM)
    assert b.provenance["source"]
    assert b.noise_free_is_cheap == (FAMILIES[b.name] != "trained")


def test_results_are_plain_and_finite(benchmark_):
    b = benchmark_
    for config in configs_of(b):
        for budget in budgets_of(b):
            r = b.objective(config, budget, seed=1)
            assert (type(r.loss), type(r.cost), r.budget) == (float, float, budget)
            assert np.isfinite(r.loss) or (FAMILIES[b.name] in DIVERGED and r.loss == np.inf)
            assert r.cost > 0


def test_equal_arguments_give_equal_results_whatever_came_before(benchmark_):
    b = benchmark_
    configs = configs_of(b)
    first = [(b.objective(c, seed=s), b.objective(c, budgets_of(b)[0])) for s, c in enumerate(configs)]
    fresh = Benchmark(b.name)
    again = [(fresh.objective(c, seed=s), fresh.objective(c, budgets_of(b)[0])) for s, c in enumerate(configs)][::-1]
    assert first == again[::-1]


def test_key_order_and_number_types_do_not_matter(benchmark_):
    b = benchmark_
    for config in configs_of(b):
        expected = b.objective(config, seed=2)
        assert b.objective(dict(reversed(config.items())), seed=2) == expected
        as_numpy = {k: np.array([v])[0] if not isinstance(v, str) else np.str_(v) for k, v in config.items()}
        assert b.objective(as_numpy, seed=np.int64(2)) == expected
        as_float = {k: float(v) if type(v) is int else v for k, v in config.items()}
        assert b.objective(as_float, seed=2) == expected


@only([name for name in NAMES if FAMILIES[name] not in WITHOUT_OPTIMUM])
def test_nothing_lies_below_the_optimum(benchmark_):
    b = benchmark_
    assert np.isfinite(b.optimum)
    losses, _ = b.objective_batch(b.space.encode(configs_of(b, 500)))
    assert losses.min() >= b.optimum - 1e-12


def test_batch_equals_single(benchmark_):
    b = benchmark_
    configs = configs_of(b, 20, seed=3)
    codes = b.space.encode(configs)
    for budget in budgets_of(b):
        for seeds in (None, 5, np.arange(20)):
            each = [None] * 20 if seeds is None else np.broadcast_to(seeds, 20).tolist()
            single = [b.objective(c, budget, seed=s) for c, s in zip(configs, each, strict=True)]
            for form in (codes, configs, pd.DataFrame(configs)):
                losses, costs = b.objective_batch(form, budget, seeds=seeds)
                of_losses, of_costs = ROUNDING.get(FAMILIES[b.name], (1e-13, 1e-13))
                np.testing.assert_allclose(losses, [r.loss for r in single], rtol=1e-13, atol=of_losses)
                np.testing.assert_allclose(costs, [r.cost for r in single], rtol=of_costs)


@only([name for name in NAMES if FAMILIES[name] in TABLES])
def test_seed_none_is_the_mean_over_repetitions(benchmark_):
    table = benchmark_.problem.table
    for config in configs_of(benchmark_, 5):
        repetitions = {benchmark_.objective(config, seed=s).loss for s in range(12 * table.n_repetitions)}
        losses = table.values("loss")[table.space.numbering.index(config)]
        assert repetitions == set(losses[~np.isnan(losses)].tolist())
        assert benchmark_.objective(config).loss == pytest.approx(np.nanmean(losses), rel=1e-14)


def test_bad_input_is_refused(benchmark_):
    b = benchmark_
    config = configs_of(b, 1)[0]
    name = b.space.names[0]
    without = {k: v for k, v in config.items() if k != name}
    for bad in (without, {**config, "surplus": 1}, {**config, name: float("nan")}, {**config, name: [1]}, "x", None):
        with pytest.raises(InvalidConfig):
            b.objective(bad)
    for budget in (-1, 1e9, "full", float("nan"), True):
        with pytest.raises(HpoError, match="budget"):
            b.objective(config, budget)
    with pytest.raises(InvalidSeed):
        b.objective(config, seed="1")


@settings(max_examples=25, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", NAMES)
def test_codes_round_trip(name, data):
    space = opened(name).space
    unit = np.array([[data.draw(st.floats(0, 1)) for _ in space]])
    codes = space.from_unit(unit)
    if space.conditional:
        codes = space.encode(space.complete(space.decode(codes)[0]))
    assert np.array_equal(space.encode(space.decode(codes)), codes, equal_nan=True)
    finite = (space.sizes < np.inf) & ~np.isnan(codes[0])
    assert np.array_equal(space.from_unit(space.to_unit(codes))[:, finite], codes[:, finite])


def test_space_converts_both_ways(benchmark_):
    assert Space(benchmark_.configspace) == benchmark_.space
