"""Wrappers: a problem in, a changed problem out. They compose, and keep what the change leaves true.

Benchmark(noisy(subset("protein", {"batch_size": [8, 16]}), 0.01))
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real

import numpy as np

from hpo_core.benchmark import describe_budgets
from hpo_core.errors import InvalidBudget, InvalidOption
from hpo_core.names import make_problem
from hpo_core.problems.noise import generator
from hpo_core.problems.problem import Batch, Problem, Result, SimpleProblem, check_problem, evaluate_batch
from hpo_core.problems.restriction import Restriction
from hpo_core.space import Config
from hpo_core.space.hyperparameters import Float, Hyperparameter, Value

LARGEST = 1_000_000  # configurations of a subset among which its optimum is looked for


def _parts(problem: str | Problem, change: str) -> tuple[Problem, SimpleProblem]:
    """The inner problem, and a wrapper that passes everything through, with the change noted in its provenance."""
    inner = check_problem(make_problem(problem))
    return inner, SimpleProblem(
        name=f"{inner.name}+{change}",
        space=inner.space,
        evaluate=inner.evaluate,
        budgets=inner.budgets,
        optimum=inner.optimum,
        provenance={**inner.provenance, "wrapped": [*inner.provenance.get("wrapped", []), change]},
        evaluate_batch=lambda codes, budget, seeds: evaluate_batch(inner, codes, budget, seeds),
        noise_free_is_cheap=getattr(inner, "noise_free_is_cheap", False),
        resumable=getattr(inner, "resumable", True),
        budget_range=getattr(inner, "budget_range", None),
    )


def noisy(problem: str | Problem, std: float) -> SimpleProblem:
    """The problem with Gaussian noise of standard deviation `std` (in units of the loss) on every seeded evaluation.

    The noise is a function of configuration, budget and seed; `seed=None` stays noise-free.
    """
    if not isinstance(std, Real) or not 0 <= std <= sys.float_info.max:
        raise InvalidOption(f"std of the noise must be a finite number >= 0, got {std!r}")
    inner, outer = _parts(problem, f"noise({std:g})")

    def evaluate(config: Config, budget: float, seed: int | None) -> Result:
        result = inner.evaluate(config, budget, seed)
        if seed is None:
            return result
        return result._replace(loss=result.loss + std * generator(inner.space, config, budget, seed).standard_normal())

    return replace(outer, evaluate=evaluate, evaluate_batch=None)


def shifted(problem: str | Problem, shift: Mapping[str, float]) -> SimpleProblem:
    """The problem moved in its unit cube: the loss at u is the old loss at u + shift, wrapped around at 1.

    `shift` gives a number in [0, 1) for some hyperparameters; a discrete one moves by whole values. The landscape keeps
    its optimum and its shape, but for a seam where it wraps, and the optimum is no longer where a method may expect
    it. Refused for spaces with conditions, forbidden clauses or a list, which would have to be moved too.
    """
    if not isinstance(shift, Mapping) or not all(isinstance(value, Real) for value in shift.values()):
        raise InvalidOption(f"shift must map names of hyperparameters to numbers in [0, 1), got {shift!r:.60}")
    inner, outer = _parts(problem, f"shift({', '.join(f'{k}={v:g}' for k, v in sorted(shift.items()))})")
    space = inner.space
    if space.conditional or space.forbidden or space.listed is not None:
        raise InvalidOption(
            f"only a space of all combinations of values can be shifted, and that of {inner.name!r} has conditions, "
            "forbidden clauses or a list; `subset` takes it"
        )
    for name, value in shift.items():
        space[name]
        if not 0 <= value < 1:
            raise InvalidOption(f"shift of {name!r} must be in [0, 1), got {value!r}")
    offsets = np.array([shift.get(name, 0.0) for name in space.names])

    def moved(codes: np.ndarray) -> np.ndarray:
        columns = [
            _shift_codes(h, column, offset) for h, column, offset in zip(space, codes.T, offsets.tolist(), strict=True)
        ]
        return np.stack(columns, axis=1).astype(codes.dtype)

    def evaluate(config: Config, budget: float, seed: int | None) -> Result:
        return inner.evaluate(space.decode(moved(space.encode(config)))[0], budget, seed)

    def batch(codes: np.ndarray, budget: float, seeds: np.ndarray | None) -> Batch:
        return evaluate_batch(inner, moved(codes), budget, seeds)

    return replace(outer, evaluate=evaluate, evaluate_batch=batch)


def _shift_codes(h: Hyperparameter, codes: np.ndarray, offset: float) -> np.ndarray:
    if offset == 0:
        return codes
    if isinstance(h, Float):
        return h.from_unit((h.to_unit(codes) + offset) % 1.0)
    return (codes + round(offset * h.size)) % h.size


def with_budgets(problem: str | Problem, budgets: Sequence[float]) -> SimpleProblem:
    """The problem restricted to some of its budgets; the largest of them becomes the full budget.

    They are members of its `budgets`, or any numbers in its `budget_range` where it has one.
    """
    if isinstance(budgets, str) or not isinstance(budgets, Iterable):
        raise InvalidBudget(f"budgets must be a list of numbers, got {budgets!r:.60}")
    budgets = list(budgets)
    if not all(isinstance(budget, Real) for budget in budgets):
        raise InvalidBudget(f"budgets must be numbers, got {budgets!r:.60}")
    inner, outer = _parts(problem, f"budgets({', '.join(map(str, budgets))})")
    chosen = tuple(sorted(budgets))
    low, high = outer.budget_range or (np.inf, -np.inf)
    unknown = [budget for budget in chosen if budget not in inner.budgets and not low <= budget <= high]
    if unknown or not chosen:
        allowed = describe_budgets(inner.budgets, outer.budget_range)
        raise InvalidBudget(f"budgets of {inner.name!r} must be {allowed}, got {list(budgets)!r}")
    optimum = inner.optimum if chosen[-1] == inner.budgets[-1] else None
    return replace(outer, budgets=chosen, optimum=optimum, budget_range=None)


def subset(problem: str | Problem, values: Mapping[str, Value | Sequence[Value]]) -> SimpleProblem:
    """The problem with some hyperparameters held at one value or restricted to several.

    A hyperparameter held at one value leaves the space, and so does one that can no longer be active: of an SVM whose
    kernel is held at "linear" the width of other kernels is gone. The optimum is found again over the whole subset
    where it has at most a million configurations, and unknown otherwise.
    """
    if not isinstance(values, Mapping):
        raise InvalidOption(f"a subset needs a mapping of names to values, got {values!r:.60}")
    inner, outer = _parts(problem, f"subset({', '.join(sorted(values))})")
    left = Restriction(inner.space, values)

    def evaluate(config: Config, budget: float, seed: int | None) -> Result:
        return inner.evaluate(left.full(config), budget, seed)

    def batch(codes: np.ndarray, budget: float, seeds: np.ndarray | None) -> Batch:
        full = inner.space.encode(map(left.full, left.space.decode(codes)))
        return evaluate_batch(inner, full, budget, seeds)

    made = replace(outer, space=left.space, evaluate=evaluate, evaluate_batch=batch, optimum=None)
    if left.space.size > LARGEST:
        return made
    everything = inner.space.encode(map(left.full, left.space.configs()))
    return replace(made, optimum=float(np.min(evaluate_batch(inner, everything, made.budgets[-1], None)[0])))
