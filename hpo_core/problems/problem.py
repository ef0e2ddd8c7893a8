"""`Problem`: what stands behind a `Benchmark`, and the `Result` of one evaluation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple, Protocol

import numpy as np

from hpo_core.errors import InvalidBudget, InvalidProblem
from hpo_core.space import Config, Space

Batch = tuple[np.ndarray, np.ndarray]


class Result(NamedTuple):
    """Outcome of one evaluation.

    `loss` is minimised; `cost` is in seconds; `info` holds what else is known (`test_loss`, `n_params`, `folds`...)
    and never reaches an optimizer.
    """

    loss: float
    cost: float
    budget: float
    info: Mapping[str, Any]


class Problem(Protocol):
    """An objective over a space. Anything with these members will do; `SimpleProblem` is the quickest way to one.

    name        as shown in tables and stores
    space       the configurations
    budgets     what it can be evaluated at, ascending; the last is the full budget, (1,) if there is only one
    optimum     lowest noise-free loss at the full budget, None where it is not known
    provenance  where the numbers come from

    `evaluate` gets a configuration that `Space.check` has passed, a checked budget, and None or an int >= 0, and is
    pure: equal arguments, equal result. `seed=None` asks for the noise-free value.

    Seven members are optional. `noise_free_is_cheap = True` says that an evaluation with `seed=None` takes little time,
    so that runs may be scored by it; without it, they are scored by the losses that were observed. `resumable = False`
    says that a larger budget trains from scratch, so that a run pays for all of it; without it, training continues and
    a run pays the difference. `evaluate_batch(codes, budget, seeds)` takes checked codes (n, d) and None or (n,) seeds
    and returns (n,) losses and costs. `curve(config, seed=None)` returns the losses at all budgets, for a problem
    that knows them at once. `validates = True` says that `evaluate` itself raises `InvalidConfig`, so that `Benchmark`
    need not check first. `explain_budget(budget)` returns the exception for a budget that is not there. `budget_range =
    (low, high)` says that every number between the two is a budget, and not those in `budgets` alone, which are then
    the ladder that multi-fidelity methods use.
    """

    @property
    def name(self) -> str: ...
    @property
    def space(self) -> Space: ...
    @property
    def budgets(self) -> Sequence[float]: ...
    @property
    def optimum(self) -> float | None: ...
    @property
    def provenance(self) -> Mapping[str, Any]: ...

    def evaluate(self, config: Config, budget: float, seed: int | None) -> Result: ...


@dataclass(frozen=True)
class SimpleProblem:
    """Problem made of its parts.

    Parameters
    ----------
    name
        As shown in tables and stores.
    space
        The configurations.
    evaluate
        Result of a configuration of the space, a budget of `budgets`, and a seed or None.
    budgets
        What it can be evaluated at, ascending; the last is the full budget.
    optimum
        Lowest noise-free loss at the full budget, if known.
    provenance
        Where the numbers come from.
    evaluate_batch
        (n,) losses and costs of (n, d) codes at a budget with (n,) seeds or None, if there is a faster way than one by
        one.
    noise_free_is_cheap
        Whether an evaluation with `seed=None` takes little time, so that runs may be scored by it.
    resumable
        Whether a larger budget continues a training, so that a run pays the difference of the costs only.
    budget_range
        Lowest and highest budget if it can be evaluated at every number between the two; None if at `budgets` alone.

    Examples
    --------
    >>> from hpo_core import Benchmark, Float, Result, SimpleProblem, Space
    >>> def square(config, budget, seed):
    ...     return Result(config["x"] ** 2, 1.0, budget, {})
    >>> b = Benchmark(SimpleProblem("square", Space([Float("x", -1, 1)]), square, optimum=0.0))
    >>> b.objective({"x": 0.5}).loss
    0.25
    """

    name: str
    space: Space
    evaluate: Callable[[Config, float, int | None], Result]
    budgets: Sequence[float] = (1,)
    optimum: float | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    evaluate_batch: Callable[[np.ndarray, float, np.ndarray | None], Batch] | None = None
    noise_free_is_cheap: bool = False
    resumable: bool = True
    budget_range: tuple[float, float] | None = None


def check_budgets(budgets: Any, what: str) -> list[float]:
    """First, second and last of the budgets; raises `InvalidBudget` if these are not ascending numbers.

    Parameters
    ----------
    budgets
        A sequence; a range of millions of epochs is not walked through.
    what
        What they are, for the message.
    """
    try:
        some = [*budgets[:2], *budgets[-1:]]
        ascending = all(0 <= float(a) <= float(b) < math.inf for a, b in pairwise(some[:1] + some))
        sound = ascending and all(isinstance(each, Real) for each in some)
    except (TypeError, ValueError, LookupError, OverflowError, AttributeError):
        some, sound = [], False
    if not some or not sound:
        raise InvalidBudget(f"{what} must be a list of ascending numbers, and not empty, got {budgets!r:.60}")
    return some


def _holds(budget_range: Any, budgets: list[float]) -> bool:
    """Whether a range is a pair of numbers with all budgets between them."""
    try:
        low, high = budget_range
        return bool(low <= budgets[0] <= budgets[-1] <= high)
    except (TypeError, ValueError):
        return False


def check_problem(problem: Any) -> Problem:
    """`problem` itself; raises `InvalidProblem` for the first member it lacks."""
    for member in ("name", "space", "budgets", "optimum", "provenance", "evaluate"):
        if not hasattr(problem, member):
            raise InvalidProblem(
                f"a problem needs name, space, budgets, optimum, provenance and evaluate; "
                f"{type(problem).__name__} has no {member!r} (SimpleProblem fills in all but name, space and evaluate)"
            )
    if not isinstance(problem.space, Space):
        raise InvalidProblem(f"space of {problem.name!r} must be a Space, got {type(problem.space).__name__}")
    if not callable(problem.evaluate):
        raise InvalidProblem(f"evaluate of {problem.name!r} must be a function, got {problem.evaluate!r:.60}")
    try:
        budgets = check_budgets(problem.budgets, f"budgets of {problem.name!r}")
    except InvalidBudget as error:
        raise InvalidProblem(str(error)) from None
    budget_range = getattr(problem, "budget_range", None)
    if budget_range is not None and not _holds(budget_range, budgets):
        raise InvalidProblem(
            f"budgets of {problem.name!r} must be in its range {budget_range}, got {problem.budgets!r}"
        )
    return problem


def evaluate_batch(problem: Problem, codes: np.ndarray, budget: float, seeds: np.ndarray | None) -> Batch:
    """(n,) losses and (n,) costs in seconds, by the problem's own batch method or one by one.

    Parameters
    ----------
    problem
        What to evaluate.
    codes
        (n, d) codes that `Space.check_codes` has passed.
    budget
        A member of the problem's budgets.
    seeds
        None for noise-free values, or (n,) seeds.
    """
    batch = getattr(problem, "evaluate_batch", None)
    if batch is not None:
        return batch(codes, budget, seeds)
    configs = problem.space.decode(codes)
    each: Sequence[int | None] = [None] * len(configs) if seeds is None else seeds.tolist()
    results = [problem.evaluate(config, budget, seed) for config, seed in zip(configs, each, strict=True)]
    return np.array([r.loss for r in results], dtype=float), np.array([r.cost for r in results], dtype=float)
