"""Checks of the black-box methods of recent years, each against a claim of its paper: `check_quality.py --modern`.

    turbo          Eriksson et al. (2019): better than global models where there are many dimensions and optima
    gp-warped      Cowen-Rivers et al. (2022): not worse than an ordinary process on tables, better where a function
                   changes fast at one end: branin and hartmann3 with every input replaced by a root of it. In the six
                   dimensions of hartmann6 50 evaluations do not tell the warping, and neither is better
    cqr            Salinas et al. (2023): better than random search, not worse than the best of the other quick models
    local-search   White et al. (2021): better than random search on NAS-Bench-201
    sobol, lhs     not worse than random search

*Not worse* fails if the one-sided Mann-Whitney test at 5 % says that the regret is higher, *below* passes only if that
test says that it is lower. All lines have `n_seeds` runs of each method, random search ten times as many.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from model_checks import runs
from regret_checks import STEPS, Check, Outcome, beats, regrets

from hpo_core import Benchmark, Float, Result, SimpleProblem, Space

TABLES = ("protein", "naval")
ROOTS = (("branin", 5), ("hartmann3", 3))
MANY_OPTIMA = ("bbob/f3-i1-d20", "bbob/f15-i1-d20")  # Rastrigin's function, separable and rotated
NETWORKS = ("nb201-cifar10", "nb201-cifar100", "nb201-imagenet")


@cache
def of_roots(name: str, degree: int) -> Benchmark:
    """A function of the roots of its inputs, which are in the unit interval, as if each was on the wrong scale."""
    b = Benchmark(name)
    space = Space([Float(h, 0.0, 1.0) for h in b.space.names])

    def evaluate(config: Mapping[str, Any], budget: float, seed: int | None) -> Result:
        unit = np.array([[value ** (1 / degree) for value in config.values()]])
        return b.objective(b.space.decode(b.space.from_unit(unit))[0])

    return Benchmark(SimpleProblem(f"{name} of roots {degree}", space, evaluate, optimum=b.optimum))


def compared(optimizer: str, other: str, benchmark: str | Benchmark, step: int, better: bool) -> Check:
    """Check of a one-sided Mann-Whitney test at 5 % between the regrets of two optimizers after as many evaluations.

    Parameters
    ----------
    optimizer, other
        Names.
    benchmark
        Its name, or the benchmark itself.
    step
        Number of evaluations, one of `STEPS`.
    better
        Whether the regret must be lower; otherwise it must not be higher.

    Returns
    -------
    Check
        A line of the table.
    """
    if better and isinstance(benchmark, str):
        return beats(optimizer, other, benchmark, step, step, runs)

    def measure(n_seeds: int) -> Outcome:
        from scipy.stats import mannwhitneyu

        ours, theirs = (
            regrets(name, benchmark, step, runs(name, n_seeds))[:, STEPS.index(step)] for name in (optimizer, other)
        )
        p = mannwhitneyu(ours, theirs, alternative="less" if better else "greater").pvalue
        medians = f"{np.median(ours):.3g} ({len(ours)} runs) against {np.median(theirs):.3g} ({len(theirs)})"
        return Outcome(f"{medians}, p = {p:.2g}", bool(p < 0.05) if better else bool(p >= 0.05))

    name = benchmark if isinstance(benchmark, str) else benchmark.name
    claim = f"regret at {step} {'below' if better else 'not above'} that of {other}"
    return Check(optimizer, name, claim, measure)


def blackbox_checks() -> list[Check]:
    """The lines of the table."""
    return [
        *(compared("local-search", "rs", b, 200, better=True) for b in NETWORKS),
        *(compared(name, "rs", b, 100, better=False) for name in ("sobol", "lhs") for b in ("protein", "hartmann6")),
        *(compared("cqr", "rs", b, 100, better=True) for b in (*TABLES, "taskset/3")),
        *(compared("cqr", other, b, 100, better=False) for other in ("tpe", "bore") for b in TABLES),
        *(compared("gp-warped", "gp", b, 100, better=False) for b in TABLES),
        *(compared("gp-warped", "gp", of_roots(*roots), 50, better=True) for roots in ROOTS),
        compared("turbo", "rs", "hartmann6", 100, better=True),
        *(compared("turbo", "gp", b, 200, better=True) for b in MANY_OPTIMA),
    ]
