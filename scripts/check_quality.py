"""Do the optimizers search as well as they should? Statistical checks over many seeds, as a table.

    python scripts/check_quality.py                       all checks but the next two, a quarter of an hour
    python scripts/check_quality.py --models              those of the model-based optimizers, see `model_checks`
    python scripts/check_quality.py --modern              those of the newer methods, see `MODERN`
    python scripts/check_quality.py --only rs,re          those of some optimizers
    python scripts/check_quality.py --seeds 400           more runs each, more powerful tests

A run evaluates one recorded repetition per trial, drawn by the trial's seed, and its incumbent is the configuration
with the lowest loss observed. The validation regret is the incumbent's mean loss over the repetitions minus that of the
best configuration of the table. This is how the runs of Makarova et al. (2022) were recorded, whose random search, TPE
and BORE on the same tables are the reference here: `recorded_regret.csv` has the quartiles over 100 runs, 50 of BORE.

A median is printed with its interval, the 5 % and the 95 % quantile of the bootstrap. A claim about it fails only if it
is rejected at 5 %, and *below* passes only if it is significant at 5 %. Exits with 1 if a check fails.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from blackbox_checks import blackbox_checks
from model_checks import model_checks
from modern_checks import modern_checks
from prior_checks import prior_checks
from regret_checks import STEPS, Check, Outcome, Recorded, against_recorded, median_at_most, read_recorded

from hpo_core import Benchmark, Trial, run
from hpo_core.errors import MissingExtra

COUNTING_ONES, FULL_EVALUATIONS = "counting-ones-8-8", 20
RECORDED = Path(__file__).with_name("recorded_regret.csv")
MODERN = (modern_checks, blackbox_checks, prior_checks)  # the lines of `--modern`


@cache
def losses_at_equal_cost(optimizer: str, n_seeds: int) -> np.ndarray:
    """(n_seeds,) noise-free loss of the incumbent after the cost of some full evaluations."""
    b = Benchmark(COUNTING_ONES)
    budget = FULL_EVALUATIONS * b.budgets[-1]  # an evaluation costs as many seconds as its budget
    losses = []
    for seed in range(n_seeds):
        r = run(b, optimizer, n_trials=None, max_cost=budget, seed=seed)
        trajectory = r.incumbent()
        index = trajectory.indices[np.searchsorted(trajectory.ends, budget, side="right") - 1]
        losses.append(b.objective(r.trials[index].config).loss)
    return np.array(losses)


@cache
def seconds_to_target(workers: int, n_seeds: int) -> np.ndarray:
    """(n_seeds,) simulated seconds until BOHB has evaluated, at the full budget, a configuration that is good enough.

    That is one whose noise-free loss is at most a tenth of the optimum above it: the regret of 0.1 in fig. 6.2 of Klein
    (2020).
    """
    b = Benchmark(COUNTING_ONES)
    full, optimum = b.budgets[-1], b.optimum or 0.0
    target = optimum + 0.1 * abs(optimum)

    def reached(trials: Sequence[Trial]) -> str | None:
        latest = trials[-1]
        return "reached" if latest.budget == full and b.objective(latest.config).loss <= target else None

    seconds = []
    for seed in range(n_seeds):
        r = run(b, "bohb", n_trials=None, max_cost=1000.0 * full, stop=reached, seed=seed, workers=workers)
        seconds.append(r.trials[-1].end if r.reason == "reached" else np.inf)
    return np.array(seconds)


def beats_at_equal_cost(optimizer: str, other: str) -> Check:
    """Check of a one-sided Mann-Whitney test at 5 %, on counting ones."""

    def measure(n_seeds: int) -> Outcome:
        from scipy.stats import mannwhitneyu

        ours, theirs = losses_at_equal_cost(optimizer, n_seeds), losses_at_equal_cost(other, n_seeds)
        p = mannwhitneyu(ours, theirs, alternative="less").pvalue
        return Outcome(f"{np.median(ours):.3f} against {np.median(theirs):.3f}, p = {p:.2g}", p < 0.05)

    return Check(optimizer, COUNTING_ONES, f"beats {other} at the cost of {FULL_EVALUATIONS} full evaluations", measure)


def speeds_up(workers: int, least: float) -> Check:
    """Check that BOHB is faster by a factor with several workers, by the median times to its target.

    Klein (2020) calls the speed-up of two and four workers close to linear, and that of more sublinear (fig. 6.1):
    required are 80 % of two and four, and 60 % of eight.
    """

    def measure(n_seeds: int) -> Outcome:
        one, several = (float(np.median(seconds_to_target(k, n_seeds))) for k in (1, workers))
        return Outcome(f"{one / several:.2f} times", one / several >= least)

    return Check("bohb", COUNTING_ONES, f"{workers} workers are at least {least} times as fast as one", measure)


def checks(recorded: dict[tuple[str, str, int], Recorded]) -> list[Check]:
    """The lines of the table."""
    tables = [(benchmark, step) for benchmark in ("protein", "naval") for step in STEPS]
    tpe = {step: "better" if step <= 100 else "not worse" for step in STEPS}
    return [
        *(against_recorded("rs", b, n, recorded["rs", b, n], "inside") for b, n in tables),
        *(against_recorded("tpe", b, n, recorded["tpe", b, n], tpe[n]) for b, n in tables),
        *(against_recorded("tpe-univariate", b, n, recorded["tpe", b, n], "equal") for b, n in tables),
        median_at_most("re", "protein", 500, 0.0011),
        median_at_most("re", "naval", 500, 1.0e-5),
        median_at_most("cmaes", "protein", 200, 0.0014),
        median_at_most("cmaes", "naval", 200, 1.1e-5),
        beats_at_equal_cost("sh", "rs"),
        beats_at_equal_cost("hyperband", "rs"),
        beats_at_equal_cost("asha", "rs"),
        beats_at_equal_cost("bohb", "hyperband"),
        speeds_up(2, 1.6),
        speeds_up(4, 3.2),
        speeds_up(8, 4.8),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", action="store_true", help="check the model-based optimizers")
    parser.add_argument("--modern", action="store_true", help="check the newer methods")
    parser.add_argument("--seeds", type=int, help="runs per optimizer and benchmark (100, of models and newer ones 20)")
    parser.add_argument("--only", help="optimizers, separated by commas")
    parser.add_argument(
        "--recorded", type=Path, default=RECORDED, help="quartiles of recorded runs (recorded_regret.csv)"
    )
    options = parser.parse_args()
    n_seeds = options.seeds if options.seeds is not None else 20 if options.models or options.modern else 100
    if n_seeds < 2:
        parser.error(f"--seeds must be at least 2, got {n_seeds}")
    if options.modern:
        lines = [line for made in MODERN for line in made()]
    else:
        lines = (model_checks if options.models else checks)(read_recorded(options.recorded))
    wanted = None if options.only is None else set(options.only.split(","))
    if unknown := sorted((wanted or set()) - {check.optimizer for check in lines}):
        parser.error(f"no checks for {', '.join(unknown)}")
    failed = 0
    for check in lines:
        if wanted is not None and check.optimizer not in wanted:
            continue
        head = f"{check.optimizer:<16} {check.benchmark:<18} {check.claim:<52}"
        try:
            measured, passed = check.measure(n_seeds)
        except MissingExtra as error:
            print(f"{head} skipped: {error}")
            continue
        failed += not passed
        print(f"{head} {'ok  ' if passed else 'FAIL'}  {measured}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
