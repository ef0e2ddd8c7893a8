"""Functions from the optimization literature with known optima.

Klein (2020) uses them in section 3.6.1 (appendix A.1), and Forrester's in section 8.4.2.

Formulae and domains follow Surjanovic and Bingham's collection of test functions. Each takes points (..., d) and
returns (...,) values. An evaluation costs one nominal second and is free of noise; `hpo_core.noisy` adds some.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hpo_core.errors import InvalidOption, nearest
from hpo_core.facts import BenchmarkFacts
from hpo_core.problems.problem import Batch, Result, SimpleProblem
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Float

Points = np.ndarray

HARTMANN_ALPHA = np.array([1.0, 1.2, 3.0, 3.2])
HARTMANN3_A = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
HARTMANN3_P = 1e-4 * np.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]])
HARTMANN6_A = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
HARTMANN6_P = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def branin(x: Points) -> np.ndarray:
    x1, x2 = x[..., 0], x[..., 1]
    quadratic = x2 - 5.1 / (4 * math.pi**2) * x1**2 + 5 / math.pi * x1 - 6
    return quadratic**2 + 10 * (1 - 1 / (8 * math.pi)) * np.cos(x1) + 10


def hartmann3(x: Points) -> np.ndarray:
    return _hartmann(x, HARTMANN3_A, HARTMANN3_P)


def hartmann6(x: Points) -> np.ndarray:
    return _hartmann(x, HARTMANN6_A, HARTMANN6_P)


def _hartmann(x: Points, a: np.ndarray, p: np.ndarray) -> np.ndarray:
    return -np.exp(-np.sum(a * (x[..., None, :] - p) ** 2, axis=-1)) @ HARTMANN_ALPHA


def six_hump_camel(x: Points) -> np.ndarray:
    x1, x2 = x[..., 0], x[..., 1]
    return (4 - 2.1 * x1**2 + x1**4 / 3) * x1**2 + x1 * x2 + (4 * x2**2 - 4) * x2**2


def goldstein_price(x: Points) -> np.ndarray:
    x1, x2 = x[..., 0], x[..., 1]
    first = 1 + (x1 + x2 + 1) ** 2 * (19 - 14 * x1 + 3 * x1**2 - 14 * x2 + 6 * x1 * x2 + 3 * x2**2)
    second = 30 + (2 * x1 - 3 * x2) ** 2 * (18 - 32 * x1 + 12 * x1**2 + 48 * x2 - 36 * x1 * x2 + 27 * x2**2)
    return first * second


def levy(x: Points) -> np.ndarray:
    w = 1 + (x - 1) / 4
    inner = (w[..., :-1] - 1) ** 2 * (1 + 10 * np.sin(math.pi * w[..., :-1] + 1) ** 2)
    last = (w[..., -1] - 1) ** 2 * (1 + np.sin(2 * math.pi * w[..., -1]) ** 2)
    return np.sin(math.pi * w[..., 0]) ** 2 + inner.sum(axis=-1) + last


def rosenbrock(x: Points) -> np.ndarray:
    return np.sum(100 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (x[..., :-1] - 1) ** 2, axis=-1)


def bohachevsky(x: Points) -> np.ndarray:
    x1, x2 = x[..., 0], x[..., 1]
    waves = -0.3 * np.cos(3 * math.pi * x1) - 0.4 * np.cos(4 * math.pi * x2) + 0.7
    return x1**2 + 2 * x2**2 + waves


def forrester(x: Points, a: float = 6.0, b: float = 12.0) -> np.ndarray:
    """(a x - 2)^2 sin(b x - 4); a = 6, b = 12 is the original, others are relatives (Klein, 2020, section 8.4.2)."""
    return (a * x[..., 0] - 2) ** 2 * np.sin(b * x[..., 0] - 4)


class FunctionEntry(NamedTuple):
    """A function with its domain, lowest value and where that is reached."""

    function: Callable[..., np.ndarray]
    bounds: tuple[tuple[float, float], ...]
    optimum: float
    best: tuple[float, ...]
    summary: str


FUNCTIONS = {
    "branin": FunctionEntry(
        branin, ((-5, 10), (0, 15)), 0.39788735772973816, (math.pi, 2.275), "Branin, 2 floats, three equal optima"
    ),
    "hartmann3": FunctionEntry(
        hartmann3,
        ((0, 1),) * 3,
        -3.862779787332663,
        (0.11458886353414109, 0.5556488959123539, 0.8525469849971652),
        "Hartmann, 3 floats, 4 local optima",
    ),
    "hartmann6": FunctionEntry(
        hartmann6,
        ((0, 1),) * 6,
        -3.322368011415515,
        (0.20168951, 0.15001069, 0.47687397, 0.27533243, 0.31165162, 0.65730053),
        "Hartmann, 6 floats, 6 local optima",
    ),
    "six-hump-camel": FunctionEntry(
        six_hump_camel,
        ((-3, 3), (-2, 2)),
        -1.0316284534898774,
        (0.08984201368301331, -0.7126564032704135),
        "six-hump camel, 2 floats, two equal optima",
    ),
    "goldstein-price": FunctionEntry(
        goldstein_price, ((-2, 2),) * 2, 3.0, (0.0, -1.0), "Goldstein-Price, 2 floats, steep"
    ),
    "levy": FunctionEntry(levy, ((-10, 10),) * 2, 0.0, (1.0, 1.0), "Levy, 2 floats, many local optima"),
    "rosenbrock": FunctionEntry(rosenbrock, ((-5, 10),) * 2, 0.0, (1.0, 1.0), "Rosenbrock, 2 floats, a curved valley"),
    "bohachevsky": FunctionEntry(
        bohachevsky, ((-100, 100),) * 2, 0.0, (0.0, 0.0), "Bohachevsky 1, 2 floats, a rippled bowl"
    ),
    "forrester": FunctionEntry(
        forrester,
        ((0, 1),),
        -6.020740055767083,
        (0.7572487581239532,),
        "Forrester, 1 float; options a, b make its relatives",
    ),
}


def listing() -> dict[str, str]:
    """Names of the functions, with one line each."""
    return {name: entry.summary for name, entry in FUNCTIONS.items()}


def facts(name: str) -> BenchmarkFacts:
    """What is known of every function."""
    return BenchmarkFacts((1, 1), optimum=True, curves=False, extra="")


def make(name: str, **options: Any) -> SimpleProblem | None:
    """The function as a problem, or None for a name that is not one."""
    entry = FUNCTIONS.get(name)
    if entry is None:
        return None
    allowed = ("a", "b") if name == "forrester" else ()
    for option, value in options.items():
        if option not in allowed:
            raise InvalidOption(f"{name!r} has no option {option!r}{nearest(option, allowed)}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise InvalidOption(f"option {option!r} of {name!r} must be a finite number, got {value!r}")
    return _problem(name, entry, options)


def _problem(name: str, entry: FunctionEntry, options: dict[str, float]) -> SimpleProblem:
    def function(points: Points) -> np.ndarray:
        return entry.function(points, **options)

    def evaluate(config: Config, budget: float, seed: int | None) -> Result:
        return Result(float(function(np.array(list(config.values())))), 1.0, budget, {})

    def evaluate_batch(codes: np.ndarray, budget: float, seeds: np.ndarray | None) -> Batch:
        return function(codes), np.ones(len(codes))

    names = ["x"] if len(entry.bounds) == 1 else [f"x{i}" for i in range(1, len(entry.bounds) + 1)]
    return SimpleProblem(
        name=name + "".join(f",{key}={value:g}" for key, value in sorted(options.items())),
        space=Space([Float(n, low, high) for n, (low, high) in zip(names, entry.bounds, strict=True)], name=name),
        evaluate=evaluate,
        optimum=_lowest_on_unit_interval(function) if options else entry.optimum,
        provenance={"source": "closed form", "cost": "one nominal second per evaluation", **options},
        evaluate_batch=evaluate_batch,
        noise_free_is_cheap=True,
    )


def _lowest_on_unit_interval(function: Callable[[Points], np.ndarray]) -> float:
    """Global minimum over [0, 1] of a smooth function: a fine grid, then ever finer ones around its best point."""
    low, high = 0.0, 1.0
    best = math.inf
    while high - low > 1e-12:
        points = np.linspace(low, high, 20_001)
        values = function(points[:, None])
        index = int(values.argmin())
        best = min(best, float(values[index]))
        low, high = points[max(index - 1, 0)], points[min(index + 1, len(points) - 1)]
    return best
