"""Values of COCO's functions against closed forms and against coco-experiment by other paths."""

import math
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_core import Benchmark, Float, Int
from hpo_core.errors import InvalidConfig, MissingExtra
from hpo_core.problems.coco.names import FAMILIES, FUNCTIONS

cocoex = pytest.importorskip("cocoex", reason="not installed: pip install coco-experiment")


def point(b, x):
    return dict(zip(b.space.names, np.asarray(x).tolist(), strict=True))


def random_codes(b, n, seed=0):
    return b.space.from_unit(np.random.default_rng(seed).random((n, len(b.space))))


def best_of_bbob(function, instance, dimension):
    """Where COCO says that the optimum is."""
    return cocoex.BareProblem("bbob", function, dimension, instance).best_parameter()


def opened_by_suite(suite, function, instance, dimension):
    """The problem as COCO's experiments get it: out of the whole suite, by its three numbers."""
    whole = cocoex.Suite(suite, f"instances:{instance}", "")
    return whole.get_problem_by_function_dimension_instance(function, dimension, instance)


@pytest.mark.parametrize("function", range(1, len(FUNCTIONS) + 1))
def test_the_optimum_of_bbob_is_reached_where_coco_says(function):
    for instance, dimension in ((1, 2), (3, 5), (77, 40)):
        b = Benchmark(f"bbob/f{function}-i{instance}-d{dimension}")
        best = best_of_bbob(function, instance, dimension)
        assert b.objective(point(b, best)).loss == b.optimum
        assert b.objective(point(b, np.clip(best + 0.01, -5, 5))).loss >= b.optimum


@pytest.mark.slow
@pytest.mark.parametrize("function", range(1, len(FUNCTIONS) + 1))
def test_the_optimum_of_mixint_is_reached_where_coco_says(function, tmp_path, monkeypatch):
    """COCO writes the best solution of a mixed-integer function to a file only, with 16 decimals."""
    monkeypatch.chdir(tmp_path)
    for instance, dimension in ((1, 5), (7, 20), (15, 160)):
        b = Benchmark(f"bbob-mixint/f{function}-i{instance}-d{dimension}")
        opened_by_suite("bbob-mixint", function, instance, dimension)._best_parameter("print")
        best = [float(word) for word in next(tmp_path.glob("._bbob*")).read_text().split()]
        assert b.objective(point(b, best)).loss == pytest.approx(b.optimum, rel=1e-12, abs=1e-11)


@given(st.lists(st.floats(-5, 5), min_size=5, max_size=5), st.integers(1, 100))
def test_the_sphere_is_the_squared_distance(x, instance):
    b = Benchmark(f"bbob/f1-i{instance}-d5")
    best = best_of_bbob(1, instance, 5)
    expected = sum((a - o) ** 2 for a, o in zip(x, best, strict=True)) + b.optimum
    assert b.objective(point(b, x)).loss == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=3))
def test_rosenbrock_by_its_definition(x):
    """f8 of Hansen et al. (2009): z = max(1, sqrt(D) / 8) (x - x_opt) + 1."""
    b = Benchmark("bbob/f8-i4-d3")
    z = (np.array(x) - best_of_bbob(8, 4, 3)) * max(1.0, math.sqrt(3) / 8) + 1
    expected = np.sum(100 * (z[:-1] ** 2 - z[1:]) ** 2 + (z[:-1] - 1) ** 2) + b.optimum
    assert b.objective(point(b, x)).loss == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_linear_slope_by_its_definition():
    """f5: s_i = sign(x_opt_i) 10^(i / (D - 1)), f = sum of 5 |s_i| - s_i x_i inside the box."""
    b, best = Benchmark("bbob/f5-i2-d10"), best_of_bbob(5, 2, 10)
    slopes = np.sign(best) * 10 ** (np.arange(10) / 9)
    codes = random_codes(b, 50)
    expected = (5 * np.abs(slopes) - slopes * codes).sum(axis=1) + b.optimum
    np.testing.assert_allclose(b.objective_batch(codes)[0], expected, rtol=1e-11)


@pytest.mark.parametrize("suite", FAMILIES)
def test_values_equal_those_of_the_whole_suite(suite):
    for function, dimension in ((1, 5), (12, 10), (16, 20), (21, 40), (24, 5)):
        b = Benchmark(f"{suite}/f{function}-i3-d{dimension}")
        theirs = opened_by_suite(suite, function, 3, dimension)
        codes = random_codes(b, 20, seed=function)
        expected = [theirs(x) for x in codes]  # integers start at 0, so that codes are values
        assert b.objective_batch(codes)[0].tolist() == expected
        assert [b.objective(config).loss for config in b.space.decode(codes)] == expected


def test_spaces_are_those_of_coco():
    assert list(Benchmark("bbob/f7-i1-d3").space) == [Float(f"x{i}", -5, 5) for i in (1, 2, 3)]
    mixed = [*(Int(f"x{i}", 0, n - 1) for i, n in enumerate((2, 2, 4, 4, 8, 8, 16, 16), 1)), Float("x9", -5, 5)]
    assert list(Benchmark("bbob-mixint/f7-i1-d10").space)[:9] == mixed


def test_an_empty_batch_and_one_that_must_not_be_written_to():
    for suite in FAMILIES:
        b = Benchmark(f"{suite}/f1-i1-d5")
        assert [part.shape for part in b.objective_batch(np.empty((0, 5)))] == [(0,), (0,)]
        codes = np.asfortranarray(random_codes(b, 4))
        codes.setflags(write=False)
        assert b.objective_batch(codes)[0].tolist() == [b.objective(c).loss for c in b.space.decode(codes)]


@pytest.mark.parametrize("name", ["bbob/f1-i1-d2", "bbob-mixint/f1-i1-d5"])
def test_what_is_not_plain_is_checked_like_everywhere(name):
    b = Benchmark(name)
    config = b.space.sample(np.random.default_rng(0))
    expected = b.objective(config)
    assert b.objective({k: np.float32(v) if type(v) is int else np.float64(v) for k, v in config.items()}) == expected
    last = b.space.names[-1]
    for bad in (5.000001, -5.1, math.nan, math.inf, "1.0", True, None, [1.0]):
        with pytest.raises(InvalidConfig, match=f"{last!r} must be a number in"):
            b.objective({**config, last: bad})
    for bad in ({}, {**config, "x0": 1.0}, {k: v for k, v in config.items() if k != last}, list(config.values())):
        with pytest.raises(InvalidConfig):
            b.objective(bad)


def test_integers_are_not_rounded():
    b = Benchmark("bbob-mixint/f1-i1-d5")
    config = b.space.sample(np.random.default_rng(0))
    for bad in (0.5, 2, -1, math.nan):
        with pytest.raises(InvalidConfig, match=r"'x1' must be an integer in 0\.\.1"):
            b.objective({**config, "x1": bad})


def test_values_do_not_depend_on_earlier_calls():
    """Also not after the optimum was hit, which COCO's objects remember."""
    b = Benchmark("bbob/f1-i1-d5")
    codes = random_codes(b, 200)
    before = b.objective_batch(codes)[0]
    b.objective(point(b, best_of_bbob(1, 1, 5)))
    assert [b.objective(config).loss for config in b.space.decode(codes[::-1])] == before[::-1].tolist()


def losses(problem, codes):
    return problem.evaluate_batch(codes, 1, None)[0].tolist()


def test_a_problem_goes_to_other_processes():
    b = Benchmark("bbob-mixint/f21-i2-d5")
    codes = random_codes(b, 5)
    copied = pickle.loads(pickle.dumps(b.problem))
    assert losses(copied, codes) == losses(b.problem, codes)
    assert (copied.name, copied.space, copied.checksum) == (b.name, b.space, b.problem.checksum)


@pytest.mark.slow
def test_a_problem_goes_to_spawned_processes():
    b = Benchmark("bbob/f21-i2-d5")
    codes = random_codes(b, 5)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(b.problem.evaluate_batch, codes, 1, None).result()[0].tolist() == losses(b.problem, codes)


def test_threads_may_share_a_problem():
    b = Benchmark("bbob/f15-i1-d20")
    codes = random_codes(b, 400)
    configs, expected = b.space.decode(codes), losses(b.problem, codes)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda config: b.objective(config).loss, configs * 5))
    assert found == expected * 5


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_problems_leave_no_memory_behind():
    code = (
        "from hpo_core import Benchmark\n"
        "def size(): return int(open('/proc/self/statm').read().split()[1])\n"
        "def use(n):\n"
        "    for i in range(1, n):\n"
        "        for suite in ('bbob', 'bbob-mixint'):\n"
        "            b = Benchmark(f'{suite}/f21-i{i}-d20')\n"
        "            b.objective(dict(zip(b.space.names, [0] * 16 + [0.0] * 4)))\n"
        "use(100)\nbefore = size()\nuse(300)\nprint((size() - before) * 4096)"
    )
    grown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(grown) < 2**20  # 600 such problems would take 40 MB


def test_contents_are_told_apart_by_their_values():
    sums = {name: Benchmark(name).problem.checksum for name in ("bbob/f1-i1-d5", "bbob/f1-i2-d5", "bbob/f2-i1-d5")}
    assert len(set(sums.values())) == 3
    assert sums["bbob/f1-i1-d5"] == Benchmark("bbob/f1-i1-d5").problem.checksum
    assert sums["bbob/f1-i1-d5"].startswith("b40db4e6")  # in coco-experiment 2.7.3 and 2.8.2


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "cocoex", None)
    with pytest.raises(MissingExtra, match=r'coco-experiment is needed.*pip install "hpo-foundry\[coco\]"'):
        Benchmark("bbob/f1-i1-d2")
