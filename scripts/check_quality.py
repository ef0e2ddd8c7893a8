"""Do the optimizers search as well as they should? Statistical checks over many seeds, as a table.

    python scripts/check_quality.py                       all checks, a few minutes
    python scripts/check_quality.py --only rs,re          those of some optimizers
    python scripts/check_quality.py --seeds 400           more runs each, sharper tests

A run evaluates one recorded repetition per trial, drawn by the trial's seed, and its incumbent is the configuration
with the lowest loss observed. The validation regret is the incumbent's mean loss over the repetitions, less that of the
best configuration of the table. This is how the runs of Makarova et al. (2022) were recorded, whose random search on
the same tables is the reference here. Exits with 1 if a check fails.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from hpo_core import Benchmark, run
from hpo_core.errors import InvalidOption, MissingExtra

STEPS = (50, 100, 200, 500)
COUNTING_ONES, FULL_EVALUATIONS = "counting-ones-8-8", 20

# 25 %, 50 % and 75 % quantiles of the validation regret of 100 recorded runs at 50, 100, 200 and 500 evaluations
RECORDED = {
    ("rs", "protein"): (
        (0.025453, 0.038066, 0.050792),
        (0.019531, 0.025517, 0.037607),
        (0.013945, 0.020996, 0.025706),
        (0.0098492, 0.014054, 0.019504),
    ),
    ("rs", "naval"): (
        (8.6734e-05, 1.4083e-04, 2.8134e-04),
        (5.7801e-05, 8.9381e-05, 1.5547e-04),
        (3.4026e-05, 5.6469e-05, 9.0123e-05),
        (2.2484e-05, 3.5961e-05, 5.4013e-05),
    ),
}


class Outcome(NamedTuple):
    """What was measured, in words, and whether it is good enough."""

    measured: str
    passed: bool


class Check(NamedTuple):
    """A line of the table; `measure` gets the number of seeds."""

    optimizer: str
    benchmark: str
    claim: str
    measure: Callable[[int], Outcome]


@cache
def regrets(optimizer: str, benchmark: str, n_trials: int, n_seeds: int) -> np.ndarray:
    """(n_seeds, steps) validation regret of the incumbent after 50, 100, ... up to `n_trials` evaluations."""
    b = Benchmark(benchmark)
    optimum = b.optimum
    if optimum is None:
        raise InvalidOption(f"the regret needs a benchmark whose optimum is known, got {benchmark!r}")
    rows = []
    for seed in range(n_seeds):
        r = run(b, optimizer, n_trials=n_trials, seed=seed)
        places = r.incumbent().places
        rows.append([b.objective(r.trials[places[n - 1]].config).loss - optimum for n in STEPS if n <= n_trials])
    return np.array(rows)


@cache
def losses_at_equal_cost(optimizer: str, n_seeds: int) -> np.ndarray:
    """(n_seeds,) noise-free loss of the incumbent when the cost of some full evaluations has been spent."""
    b = Benchmark(COUNTING_ONES)
    budget = FULL_EVALUATIONS * b.budgets[-1]  # an evaluation costs as many seconds as its budget
    losses = []
    for seed in range(n_seeds):
        r = run(b, optimizer, n_trials=None, max_cost=budget, seed=seed)
        trajectory = r.incumbent()
        place = trajectory.places[np.searchsorted(trajectory.ends, budget, side="right") - 1]
        losses.append(b.objective(r.trials[place].config).loss)
    return np.array(losses)


def lower_median(sample: np.ndarray) -> float:
    """5 % quantile of the bootstrapped median."""
    rng = np.random.default_rng(0)
    return float(np.quantile(np.median(rng.choice(sample, (2000, len(sample))), axis=1), 0.05))


def within_quartiles(optimizer: str, benchmark: str) -> list[Check]:
    """Checks that the median lies between the recorded quartiles."""

    def check(place: int) -> Check:
        low, _, high = RECORDED[optimizer, benchmark][place]

        def measure(n_seeds: int) -> Outcome:
            median = float(np.median(regrets(optimizer, benchmark, STEPS[-1], n_seeds)[:, place]))
            return Outcome(f"{median:.3g}", low <= median <= high)

        return Check(optimizer, benchmark, f"median at {STEPS[place]} in [{low:.3g}, {high:.3g}]", measure)

    return [check(place) for place in range(len(STEPS))]


def median_at_most(optimizer: str, benchmark: str, n_trials: int, bar: float) -> Check:
    """Check that the median regret is not above a bar, by a one-sided bootstrap at 5 %.

    It passes while the bar lies within the uncertainty of the median, which is printed: a median slightly above the bar
    may pass, and more seeds decide.
    """

    def measure(n_seeds: int) -> Outcome:
        sample = regrets(optimizer, benchmark, n_trials, n_seeds)[:, -1]
        return Outcome(f"{np.median(sample):.3g} (5 %: {lower_median(sample):.3g})", lower_median(sample) <= bar)

    return Check(optimizer, benchmark, f"median at {n_trials} not above {bar:g} (bootstrap, 5 %)", measure)


def beats_at_equal_cost(optimizer: str, other: str) -> Check:
    """Check of a one-sided Mann-Whitney test at 5 %, on counting ones."""

    def measure(n_seeds: int) -> Outcome:
        from scipy.stats import mannwhitneyu

        ours, theirs = losses_at_equal_cost(optimizer, n_seeds), losses_at_equal_cost(other, n_seeds)
        p = mannwhitneyu(ours, theirs, alternative="less").pvalue
        return Outcome(f"{np.median(ours):.3f} against {np.median(theirs):.3f}, p = {p:.2g}", p < 0.05)

    return Check(optimizer, COUNTING_ONES, f"beats {other} at the cost of {FULL_EVALUATIONS} full evaluations", measure)


CHECKS = [
    *within_quartiles("rs", "protein"),
    *within_quartiles("rs", "naval"),
    median_at_most("re", "protein", 500, 0.0011),
    median_at_most("re", "naval", 500, 1.0e-5),
    median_at_most("cmaes", "protein", 200, 0.0014),
    median_at_most("cmaes", "naval", 200, 1.1e-5),
    beats_at_equal_cost("sh", "rs"),
    beats_at_equal_cost("hyperband", "rs"),
    beats_at_equal_cost("asha", "rs"),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100, help="runs per optimizer and benchmark (100)")
    parser.add_argument("--only", help="optimizers, separated by commas")
    options = parser.parse_args()
    if options.seeds < 2:
        parser.error(f"--seeds must be at least 2, got {options.seeds}")
    wanted = None if options.only is None else set(options.only.split(","))
    if unknown := sorted((wanted or set()) - {check.optimizer for check in CHECKS}):
        parser.error(f"no checks for {', '.join(unknown)}")
    failed = 0
    for check in CHECKS:
        if wanted is not None and check.optimizer not in wanted:
            continue
        head = f"{check.optimizer:<12} {check.benchmark:<18} {check.claim:<50}"
        try:
            measured, passed = check.measure(options.seeds)
        except MissingExtra as error:
            print(f"{head} skipped: {error}")
            continue
        failed += not passed
        print(f"{head} {'ok  ' if passed else 'FAIL'}  {measured}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
