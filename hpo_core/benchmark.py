"""`Benchmark`: a problem by name, with every argument checked."""

from __future__ import annotations

import copy
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import InvalidBudget, InvalidSeed
from hpo_core.frames import problem_of_frame
from hpo_core.names import make_problem
from hpo_core.problems.problem import Batch, Problem, Result, check_problem, evaluate_batch
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import BOOLEANS

if TYPE_CHECKING:
    import pandas
    from ConfigSpace import ConfigurationSpace

    from hpo_core.space.priors.prior import UserPrior

COMMON_BUDGETS = 1000  # as many budgets are kept in a dict, which answers faster than a range


class Benchmark:
    """Objective function of a benchmark, by name or around a `Problem`.

    Parameters
    ----------
    problem
        A name that `benchmarks()` lists, an object with the members of `Problem`, or the benchmark around one.
    nearest_budget
        Whether a budget between two known ones stands for the nearer of them (the smaller, if both are as near), for
        optimizers that choose budgets of their own. `Result.budget` says which it was. A budget below the smallest or
        above the largest is refused in any case. A problem with a `budget_range` takes every budget in it as it is.
    options
        Passed on to the named benchmark, for example `Benchmark("forrester", a=3.0)`.

    Examples
    --------
    >>> from hpo_core import Benchmark
    >>> b = Benchmark("branin")
    >>> round(b.objective({"x1": 3.141592653589793, "x2": 2.275}).loss, 6)
    0.397887
    """

    def __init__(self, problem: str | Problem | Benchmark, *, nearest_budget: bool = False, **options: Any):
        given = problem.problem if isinstance(problem, Benchmark) else problem
        self.problem: Problem = check_problem(make_problem(given, **options))
        self.name: str = self.problem.name
        self.space: Space = self.problem.space
        self.budgets: Sequence[float] = self.problem.budgets
        self.budget_range: tuple[float, float] | None = getattr(self.problem, "budget_range", None)
        self._evaluate = self.problem.evaluate
        self._validates: bool = getattr(self.problem, "validates", False)
        self._nearest = nearest_budget
        self._full = self.budgets[-1]
        self._common = {budget: budget for budget in self.budgets[:COMMON_BUDGETS]}

    @classmethod
    def from_frame(cls, frame: pandas.DataFrame, *, kind: str = "surrogate", **options: Any) -> Benchmark:
        """Benchmark of recorded evaluations, a row each.

        `kind` is one that an installed package offers (`hpo_core.frames`): "surrogate" models the rows and answers for
        every configuration of their space, "table" looks them up. The options are those of the kind: `loss`, `cost`,
        `budget`, `config`, `repetition`, `name`, `space` and `resumable`, and for a surrogate also `failed`,
        `min_correlation` and `seed` (`tabular.surrogates.from_frame.surrogate_from_frame`).

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> from hpo_core import Benchmark
        >>> rows = pd.DataFrame(np.random.default_rng(0).random((100, 2)), columns=["lr", "decay"])
        >>> rows["error"] = (rows["lr"] - 0.3) ** 2 + rows["decay"]
        >>> b = Benchmark.from_frame(rows, loss="error", name="mine")
        >>> b.problem.surrogate.quality.spearman > 0.95  # rank correlation with held-out rows
        True
        >>> b.objective({"lr": 0.3, "decay": 0.1}).loss < b.objective({"lr": 0.9, "decay": 0.9}).loss
        True
        >>> table = Benchmark.from_frame(rows, kind="table", loss="error")
        >>> table.space.size  # the rows alone
        100
        """
        return cls(problem_of_frame(kind, frame, options))

    def __repr__(self) -> str:
        return f"Benchmark({self.name!r})"

    def with_prior(self, prior: Mapping[str, Any] | UserPrior | None) -> Benchmark:
        """The same benchmark, with a prior on its space for the optimizers that run on it, see `Space.with_prior`.

        Examples
        --------
        >>> from hpo_core import Benchmark, run
        >>> b = Benchmark("branin").with_prior({"x1": (3.0, "normal", 0.1), "x2": (2.0, "normal", 0.1)})
        >>> run(b, "rs", n_trials=1, options={"default_first": True}).trials[0].config
        {'x1': 3.0, 'x2': 2.0}
        """
        changed = copy.copy(self)
        changed.space = self.space.with_prior(prior)
        return changed

    @property
    def optimum(self) -> float | None:
        """Lowest noise-free loss at the full budget, None where it is not known."""
        return self.problem.optimum

    @property
    def noise_free_is_cheap(self) -> bool:
        """Whether an evaluation without noise takes little time, so that runs may be scored by it."""
        return getattr(self.problem, "noise_free_is_cheap", False)

    @property
    def resumable(self) -> bool:
        """Whether a larger budget continues a training; else it trains from scratch, at its whole cost."""
        return getattr(self.problem, "resumable", True)

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Where the numbers come from."""
        return self.problem.provenance

    @cached_property
    def configspace(self) -> ConfigurationSpace:
        """The space as a `ConfigSpace.ConfigurationSpace`."""
        return self.space.to_configspace()

    def objective(self, config: Config, budget: float | None = None, *, seed: int | None = None) -> Result:
        """Loss (minimised), cost in seconds, budget and info of one evaluation.

        `budget=None` is the full budget. `seed=None` gives the noise-free value, an int >= 0 picks the recorded
        repetition, the noise or the training seed. Equal arguments give equal results, whatever was called before.
        """
        budget = self._full if budget is None else self.check_budget(budget)
        if seed is not None:
            seed = check_seed(seed)
        if not self._validates:
            config = self.space.check(config)
        return self._evaluate(config, budget, seed)

    def objective_batch(
        self,
        codes: np.ndarray | pandas.DataFrame | Iterable[Config],
        budget: float | None = None,
        seeds: int | Sequence[int] | np.ndarray | None = None,
    ) -> Batch:
        """(n,) losses and (n,) costs in seconds of many configurations.

        `codes` is an (n, d) array as `space.encode` gives it, a DataFrame with a column per hyperparameter, or
        configurations. `seeds` is None, one seed for all, or one for each.
        """
        budget = self._full if budget is None else self.check_budget(budget)
        checked = self.space.check_codes(codes) if isinstance(codes, np.ndarray) else self.space.encode(codes)
        each = None if seeds is None else _check_seeds(seeds, len(checked))
        return evaluate_batch(self.problem, checked, budget, each)

    def curve(self, config: Config, seed: int | None = None) -> np.ndarray:
        """(n_budgets,) losses of a configuration at each of `budgets`, a learning curve where these are epochs.

        Each is the loss that `objective` gives at that budget with the same seed. Raises `InvalidBudget` for a
        benchmark with one budget only, and `NotRecorded` for a table whose learning curves were not kept.
        """
        if seed is not None:
            seed = check_seed(seed)
        checked = self.space.check(config)
        own_curve = getattr(self.problem, "curve", None)
        if own_curve is not None:
            return own_curve(checked, seed=seed)
        if len(self.budgets) == 1:
            raise InvalidBudget(
                f"a curve needs several budgets, got {self.name!r} with {self._full} only; a `mini-*` table has epochs"
            )
        return np.array([self._evaluate(checked, budget, seed).loss for budget in self.budgets], dtype=float)

    def check_budget(self, budget: float) -> float:
        """The budget at which `objective` evaluates when asked for `budget`; raises `InvalidBudget`.

        It is a member of `budgets`, or any number in `budget_range` where the problem has one.
        """
        try:
            known = self._common[budget]
        except (KeyError, TypeError):
            known = None
        if known is not None and budget.__class__ not in BOOLEANS:
            return known
        return self._find_budget(budget)

    def _find_budget(self, budget: float) -> float:
        if budget.__class__ not in BOOLEANS and isinstance(budget, (int, float, np.integer, np.floating)):
            number = int(budget) if budget == budget and abs(budget) < 2**53 and budget == int(budget) else budget
            if number in self.budgets:
                return self.budgets[self.budgets.index(number)]  # its own type, whatever 11.0 or int64(11) came in
            if self.budget_range is not None and self.budget_range[0] <= number <= self.budget_range[1]:
                return float(number)
            if self._nearest and self.budgets[0] < number < self.budgets[-1]:
                above = bisect(self.budgets, number)
                low, high = self.budgets[above - 1], self.budgets[above]
                return low if number - low <= high - number else high
        explain = getattr(self.problem, "explain_budget", None)
        if explain is not None:
            raise explain(budget)
        allowed = describe_budgets(self.budgets, self.budget_range)
        raise InvalidBudget(f"budget of {self.name!r} must be {allowed} (None for the full budget), got {budget!r}")


def describe_budgets(budgets: Sequence[float], budget_range: tuple[float, float] | None = None) -> str:
    """The budgets in words: `one of 1..100`, `one of 3, 9, 27`, `100`, `a number in [0.03, 1.0]`."""
    if budget_range is not None:
        return f"a number in [{budget_range[0]}, {budget_range[1]}]"
    if isinstance(budgets, range) and len(budgets) > 1:
        return f"one of {budgets[0]}..{budgets[-1]}" + (f" in steps of {budgets.step}" if budgets.step > 1 else "")
    return ("one of " if len(budgets) > 1 else "") + ", ".join(map(str, budgets))


def check_seed(seed: object) -> int:
    """`seed` as a Python int >= 0."""
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return int(seed)
    raise InvalidSeed(f"seed must be None (noise-free) or an integer >= 0, got {seed!r}")


def _check_seeds(seeds: object, n: int) -> np.ndarray:
    array = np.asarray(seeds)
    if array.dtype.kind not in "iu" or array.shape not in ((), (n,)) or (array.size and array.min() < 0):
        raise InvalidSeed(
            f"seeds must be None, one integer >= 0 or {n} of them, got {array.dtype} of shape {array.shape}"
        )
    return np.broadcast_to(array, (n,))
