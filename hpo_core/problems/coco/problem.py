"""`CocoProblem`: one function of COCO, evaluated by coco-experiment's C code.

    bbob           24 noise-free functions of floats in [-5, 5] (Hansen, Finck, Ros and Auger, 2009)
    bbob-mixint    the same, where four fifths of the variables are integers with 2, 4, 8 and 16 values, and the values
                   of a function are scaled (Tušar, Brockhoff and Hansen, 2019)

The optimum f_opt is a number that COCO draws for function and instance; it is reached inside the space, also by the
mixed-integer functions. An evaluation costs one nominal second.

The objects of coco-experiment count evaluations and remember the best value, which changes no later value. Their
scratch memory is used while Python's lock is held, so that threads may share a problem. A pickled one is made anew.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from operator import le
from typing import Any

import numpy as np

from hpo_core.errors import MissingExtra
from hpo_core.problems.coco.names import FUNCTIONS, CocoName
from hpo_core.problems.problem import Batch, Result
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Float, Hyperparameter, Int
from hpo_core.space.plain_data import space_to_json

PAPERS = {
    "bbob": "Hansen, Finck, Ros and Auger (2009)",
    "bbob-mixint": "Tušar, Brockhoff and Hansen (2019)",
}
MIXINT_SCALES = (
    *(1, 1e-3, 1e-1, 1e-1, 1, 1e-2, 1, 1e-2, 1e-2, 1e-3, 1e-2, 1e-4),
    *(1e-1, 1, 1e-1, 1, 10, 1, 10, 1e-1, 1, 1, 10, 1e-1),
)  # by which bbob-mixint multiplies the values of f1..f24, to make them similarly hard
N_PROBES = 8  # points by whose values the contents of a problem are told from another release's


class CocoProblem:
    """A function of COCO as a `Problem`; hyperparameters x1, x2, ... in COCO's order and bounds.

    Examples
    --------
    >>> from hpo_core import Benchmark
    >>> b = Benchmark("bbob/f1-i1-d2")
    >>> b.optimum, round(b.objective({"x1": 1.0, "x2": 2.0}).loss, 6)
    (79.48, 90.003694)
    """

    budgets = (1,)
    noise_free_is_cheap = True
    validates = True

    def __init__(self, name: CocoName):
        coco = _cocoex()
        self._given = name
        self.name = str(name)
        suite = coco.Suite(
            name.suite, f"instances:{name.instance}", f"dimensions:{name.dimension} function_indices:{name.function}"
        )
        opened = suite[0]
        self.space = _space(opened, self.name)
        self._names = self.space.names
        self._low: list[float] = opened.lower_bounds.tolist()
        self._high: list[float] = opened.upper_bounds.tolist()
        self._types = [float if isinstance(h, Float) else int for h in self.space]
        self._integers = opened.number_of_integer_variables
        # f_opt is that of bbob in any dimension; a bare problem of more than 40 would end the process
        bare = coco.BareProblem("bbob", name.function, 2 if self._integers else name.dimension, name.instance)
        self.optimum: float = bare.best_value() * (MIXINT_SCALES[name.function - 1] if self._integers else 1.0)
        self._function = opened if self._integers else bare  # only a bare one takes many points in one call
        self._suite = suite  # which the C code of `opened` points to
        self.provenance: dict[str, Any] = {
            "source": f"COCO's suite {name.suite}, coco-experiment {coco.__version__}",
            "licence": "BSD 3-Clause",
            "paper": PAPERS[name.suite],
            "function": f"f{name.function} {FUNCTIONS[name.function - 1]}",
            "instance": name.instance,
            "cost": "one nominal second per evaluation",
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return CocoProblem, (self._given,)  # what C allocated does not pickle

    @cached_property
    def checksum(self) -> str:
        """Hexadecimal SHA-256 of the space and of values to nine digits: equal on all machines and in all releases that
        compute the same function."""
        points = self.space.from_unit(np.random.default_rng(0).random((N_PROBES, len(self.space))))
        values = [f"{value:.9g}" for value in self.evaluate_batch(points, 1, None)[0].tolist()]
        contents = json.dumps([self.name, space_to_json(self.space), values], sort_keys=True)
        return hashlib.sha256(contents.encode()).hexdigest()

    def evaluate(self, config: Config, budget: float, seed: int | None) -> Result:
        """Value of a configuration, which is checked; there is no noise."""
        return Result(float(self._function(self._values(config))), 1.0, budget, {})

    def evaluate_batch(self, codes: np.ndarray, budget: float, seeds: np.ndarray | None) -> Batch:
        """(n,) values and costs of checked (n, d) codes."""
        points = np.array(codes, dtype=float, order="C")
        points[:, : self._integers] += self._low[: self._integers]  # an integer's code is its distance from the lowest
        if self._integers:
            return np.array([self._function(point) for point in points], dtype=float), np.ones(len(points))
        return self._function(points), np.ones(len(points))

    def _values(self, config: Config) -> list[float]:
        """The values in COCO's order; the space checks what is not a dict of plain numbers within the bounds.

        Checking all of them in a few calls is several times faster than one after the other (scripts/bench_bbob.py).
        """
        if config.__class__ is dict and len(config) == len(self._names):
            try:
                values = [*map(config.__getitem__, self._names)]
            except KeyError:
                values = []
            plain = [*map(type, values)] == self._types
            if plain and all(map(le, self._low, values)) and all(map(le, values, self._high)):
                return values
        return list(self.space.check(config).values())


def _space(opened: Any, name: str) -> Space:
    """The space of a problem of coco-experiment, whose integers come before its floats."""
    n_integers = opened.number_of_integer_variables
    bounds = zip(opened.lower_bounds.tolist(), opened.upper_bounds.tolist(), strict=True)
    hyperparameters: list[Hyperparameter] = [
        Int(f"x{i}", int(low), int(high)) if i <= n_integers else Float(f"x{i}", low, high)
        for i, (low, high) in enumerate(bounds, 1)
    ]
    return Space(hyperparameters, name=name)


def _cocoex() -> Any:
    try:
        import cocoex
    except ImportError:
        raise MissingExtra("coco-experiment", "coco") from None
    return cocoex
