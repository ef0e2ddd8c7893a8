"""Checks of the newer multi-fidelity methods against their papers' claims: `python scripts/check_quality.py --modern`.

    dehb         not worse than `bohb`, at the cost of 100 full evaluations
    pasha        with four workers and as many configurations as `asha` it takes less time, and the configuration that
                 it ends with is not worse
    asha-stop    not worse than `asha`, at the cost of 30 full evaluations
    mobster      not worse than `asha`, at the cost of 10

An optimizer is compared with another one on all benchmarks of a family, at equal cost in simulated seconds. The measure
is the probability that a run of the one ends with a lower loss than a run of the other, ties counted half, as the mean
over the benchmarks. Its interval is the 5 % and the 95 % quantile of a bootstrap over the seeds. *Better* needs the
interval to lie above 0.5, *not worse* fails only if it lies below: one-sided tests at 5 %.

The loss of a run is the noise-free one, at the full budget, of the incumbent: the lowest observed loss at the highest
budget reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from regret_checks import Check, Outcome

from baselines.parts.rungs import rungs
from hpo_core import Benchmark, Run, Trial, run

FAMILIES = {
    "mini-*": ("mini-airfoil", "mini-concrete", "mini-parkinsons", "mini-wine"),
    "lcbench": ("lcbench/3945", "lcbench/189906"),
    "taskset": ("taskset/0", "taskset/6"),
    "counting-ones": ("counting-ones-8-8",),
}
CURVES = ("mini-*", "lcbench", "taskset")
LONG, MIDDLE, SHORT = 100, 30, 10  # full evaluations that a run is worth
N_CONFIGS, WORKERS = 100, 4  # of the runs of PASHA


@cache
def full_cost(benchmark: str) -> float:
    """Mean seconds of an evaluation at the full budget, over random configurations."""
    b = Benchmark(benchmark)
    return float(np.nanmean(b.objective_batch(b.space.sample(np.random.default_rng(0), 100))[1]))


@cache
def final_losses(optimizer: str, benchmark: str, worth: float, n_seeds: int) -> np.ndarray:
    """(n_seeds,) noise-free losses that runs end with.

    Parameters
    ----------
    optimizer, benchmark
        Names.
    worth
        Cost of a run in full evaluations.
    n_seeds
        Number of runs.

    Returns
    -------
    np.ndarray
        Infinite where nothing was evaluated in time.
    """
    b, limit = Benchmark(benchmark), worth * full_cost(benchmark)
    losses = []
    for seed in range(n_seeds):
        r = run(b, optimizer, n_trials=None, max_cost=limit, seed=seed)
        found = incumbent(r, limit)
        losses.append(np.inf if found is None else b.objective(found.config).loss)
    return np.array(losses)


def incumbent(r: Run, limit: float) -> Trial | None:
    """The incumbent of a run at a time."""
    trajectory = r.incumbent()
    n = int(np.searchsorted(trajectory.ends, limit, side="right"))
    return r.trials[trajectory.indices[n - 1]] if n and trajectory.indices[n - 1] >= 0 else None


def probability(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Probability that one of ours is lower than one of theirs, ties counted half."""
    return float(np.mean(ours[:, None] < theirs) + 0.5 * np.mean(ours[:, None] == theirs))


def interval(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float, float]:
    """Mean probability over pairs of samples, and the 5 % and 95 % quantiles of its bootstrap."""
    rng = np.random.default_rng(0)
    means = [np.mean([probability(*(rng.choice(x, len(x)) for x in pair)) for pair in pairs]) for _ in range(1000)]
    low, high = np.quantile(means, (0.05, 0.95))
    return float(np.mean([probability(*pair) for pair in pairs])), float(low), float(high)


def compared(pairs: Sequence[tuple[np.ndarray, np.ndarray]], better: bool) -> Outcome:
    """Outcome of a comparison of samples, ours first, on each benchmark of a family."""
    mean, low, high = interval(pairs)
    medians = ", ".join(f"{np.median(ours):.4g} against {np.median(theirs):.4g}" for ours, theirs in pairs)
    return Outcome(f"P = {mean:.2f} [{low:.2f}, {high:.2f}]; {medians}", low > 0.5 if better else high >= 0.5)


def at_equal_cost(optimizer: str, other: str, family: str, worth: float) -> Check:
    """Check that an optimizer is not worse than another one after the cost of `worth` full evaluations, at 5 %."""

    def measure(n_seeds: int) -> Outcome:
        samples = [[final_losses(name, b, worth, n_seeds) for b in FAMILIES[family]] for name in (optimizer, other)]
        return compared(list(zip(*samples, strict=True)), better=False)

    return Check(optimizer, family, f"not worse than {other} at the cost of {worth}", measure)


@cache
def after_configs(optimizer: str, benchmark: str, n_seeds: int) -> tuple[np.ndarray, np.ndarray]:
    """(n_seeds,) seconds until enough configurations were evaluated at the lowest rung, and (n_seeds,) losses."""
    b = Benchmark(benchmark)
    lowest_rung = rungs(b.budgets, eta=3)[0]
    seconds, losses = [], []
    for seed in range(n_seeds):
        left = iter(range(N_CONFIGS - 1))

        def enough(trials: Sequence[Trial], left: Iterator[int] = left) -> str | None:
            return "enough" if trials[-1].budget == lowest_rung and next(left, None) is None else None

        r = run(b, optimizer, n_trials=None, stop=enough, seed=seed, workers=WORKERS)
        seconds.append(r.trials[-1].end)
        losses.append(b.objective(r.best_config).loss)
    return np.array(seconds), np.array(losses)


def pasha_is_quicker(family: str) -> Check:
    """Check that PASHA takes less time than ASHA for the same number of configurations, at 5 %."""

    def measure(n_seeds: int) -> Outcome:
        pairs = [
            (after_configs("pasha", b, n_seeds)[0], after_configs("asha", b, n_seeds)[0]) for b in FAMILIES[family]
        ]
        return compared(pairs, better=True)

    return Check("pasha", family, f"quicker than asha, {N_CONFIGS} configurations", measure)


def pasha_is_as_good(family: str) -> Check:
    """Check that the configurations PASHA ends with are not worse than those of ASHA, at 5 %."""

    def measure(n_seeds: int) -> Outcome:
        pairs = [
            (after_configs("pasha", b, n_seeds)[1], after_configs("asha", b, n_seeds)[1]) for b in FAMILIES[family]
        ]
        return compared(pairs, better=False)

    return Check("pasha", family, f"not worse than asha, {N_CONFIGS} configurations", measure)


def modern_checks() -> list[Check]:
    """The lines of the table."""
    return [
        *(at_equal_cost("dehb", "bohb", family, LONG) for family in CURVES),
        at_equal_cost("dehb", "bohb", "counting-ones", LONG),
        *(line for family in CURVES for line in (pasha_is_quicker(family), pasha_is_as_good(family))),
        *(at_equal_cost("asha-stop", "asha", family, MIDDLE) for family in CURVES),
        *(at_equal_cost("mobster", "asha", family, SHORT) for family in CURVES),
    ]
