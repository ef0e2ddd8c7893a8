"""Parts of the checks of `check_quality`: regrets of runs, recorded ones, and claims about their medians."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hpo_core import Benchmark, run
from hpo_core.errors import InvalidOption

STEPS = (50, 100, 200, 500)
EIGHT_TESTS = 0.05 / 8  # level of each of the eight lines that test equality


class Outcome(NamedTuple):
    """The measurement as text, and whether it is good enough."""

    measured: str
    passed: bool


class Check(NamedTuple):
    """A line of the table; `measure` gets the number of seeds."""

    optimizer: str
    benchmark: str
    claim: str
    measure: Callable[[int], Outcome]


@cache
def regrets(optimizer: str, benchmark: str | Benchmark, n_trials: int, n_seeds: int) -> np.ndarray:
    """Validation regret of the incumbent after 50, 100, ... up to `n_trials` evaluations.

    Parameters
    ----------
    optimizer, benchmark
        Names; the benchmark may be a `Benchmark` too.
    n_trials, n_seeds
        Evaluations of a run, and number of runs.

    Returns
    -------
    np.ndarray
        (n_seeds, steps) regrets, in units of the loss.
    """
    b = Benchmark(benchmark)
    optimum = b.optimum
    if optimum is None:
        raise InvalidOption(f"the regret needs a benchmark whose optimum is known, got {benchmark!r}")
    rows = []
    for seed in range(n_seeds):
        r = run(b, optimizer, n_trials=n_trials, seed=seed)
        indices = r.incumbent().indices
        rows.append([b.objective(r.trials[indices[n - 1]].config).loss - optimum for n in STEPS if n <= n_trials])
    return np.array(rows)


class Recorded(NamedTuple):
    """Quartiles of the regret of recorded runs."""

    n_seeds: int
    q25: float
    median: float
    q75: float

    @property
    def standard_error(self) -> float:
        """Standard error of the median of normal numbers with the same quartiles (McGill et al., 1978)."""
        return 1.25 / 1.35 * (self.q75 - self.q25) / self.n_seeds**0.5


def read_recorded(path: Path) -> dict[tuple[str, str, int], Recorded]:
    """Quartiles by method, benchmark and number of evaluations."""
    with path.open(newline="") as file:
        return {
            (row["method"], row["benchmark"].removeprefix("hpobench_"), int(row["iteration"])): Recorded(
                int(row["n_seeds"]), float(row["q25"]), float(row["median"]), float(row["q75"])
            )
            for row in csv.DictReader(file)
        }


def bootstrapped_medians(sample: np.ndarray) -> np.ndarray:
    """(2000,) medians of bootstrap samples."""
    rng = np.random.default_rng(0)
    return np.median(rng.choice(sample, (2000, len(sample))), axis=1)


def median_interval(sample: np.ndarray) -> tuple[float, float]:
    """5 % and 95 % quantile of the bootstrapped median."""
    low, high = np.quantile(bootstrapped_medians(sample), (0.05, 0.95))
    return float(low), float(high)


def against_recorded(
    optimizer: str, benchmark: str, step: int, recorded: Recorded, relation: str, n_trials: int = STEPS[-1]
) -> Check:
    """Check of the measured median regret against the recorded one.

    inside       the measured median is between the recorded quartiles
    not worse    the recorded median is within or above the interval of the measured one: one-sided bootstrap at 5 %
    better       the recorded median is above that interval
    equal        0 is within the interval of the difference of both medians: two-sided at 5 % for all eight of these
                 lines together. The measured one is bootstrapped, since the best regrets of a table are few numbers and
                 a median jumps between them; the recorded one, of which only quartiles are known, is assumed normal

    Parameters
    ----------
    optimizer, benchmark
        Names.
    step
        Number of evaluations after which medians are compared.
    recorded
        Quartiles of the recorded runs.
    relation
        One of the above.
    n_trials
        Evaluations of a run.

    Returns
    -------
    Check
        A line of the table.
    """

    def measure(n_seeds: int) -> Outcome:
        sample = regrets(optimizer, benchmark, n_trials, n_seeds)[:, STEPS.index(step)]
        median, (low, high) = float(np.median(sample)), median_interval(sample)
        noise = recorded.standard_error * np.random.default_rng(1).standard_normal(2000)
        differences = bootstrapped_medians(sample) - recorded.median - noise
        least, most = np.quantile(differences, (EIGHT_TESTS / 2, 1 - EIGHT_TESTS / 2))
        passed = {
            "inside": recorded.q25 <= median <= recorded.q75,
            "not worse": low <= recorded.median,
            "better": high < recorded.median,
            "equal": bool(least <= 0 <= most),
        }[relation]
        return Outcome(f"{median:.3g} [{low:.3g}, {high:.3g}]", passed)

    claims = {
        "inside": f"in [{recorded.q25:.3g}, {recorded.q75:.3g}]",
        "not worse": f"not above {recorded.median:.3g}",
        "better": f"below {recorded.median:.3g}",
        "equal": f"like {recorded.median:.3g} (standard error {recorded.standard_error:.2g})",
    }
    return Check(optimizer, benchmark, f"median at {step} {claims[relation]}", measure)


def median_at_most(optimizer: str, benchmark: str, n_trials: int, limit: float) -> Check:
    """Check that the median regret is not above a limit, by a one-sided bootstrap at 5 %.

    It passes while the limit is within the uncertainty of the median, which is printed: a median slightly above the
    limit may pass; more seeds make the check stricter.

    Parameters
    ----------
    optimizer, benchmark
        Names.
    n_trials
        Evaluations of a run.
    limit
        Of the median, in units of the loss.

    Returns
    -------
    Check
        A line of the table.
    """

    def measure(n_seeds: int) -> Outcome:
        sample = regrets(optimizer, benchmark, n_trials, n_seeds)[:, -1]
        low, high = median_interval(sample)
        return Outcome(f"{np.median(sample):.3g} [{low:.3g}, {high:.3g}]", low <= limit)

    return Check(optimizer, benchmark, f"median at {n_trials} not above {limit:g}", measure)


def beats(
    optimizer: str, other: str, benchmark: str, step: int, n_trials: int, runs: Callable[[str, int], int]
) -> Check:
    """Check of a one-sided Mann-Whitney test at 5 % that the regret at a number of evaluations is lower.

    Parameters
    ----------
    optimizer, other, benchmark
        Names of the optimizer, of the one it is compared with, and of the benchmark.
    step, n_trials
        Number of evaluations after which regrets are compared, and evaluations of a run.
    runs
        Number of runs of an optimizer for a number of seeds.

    Returns
    -------
    Check
        A line of the table.
    """

    def measure(n_seeds: int) -> Outcome:
        from scipy.stats import mannwhitneyu

        ours, theirs = (
            regrets(name, benchmark, n_trials, runs(name, n_seeds))[:, STEPS.index(step)] for name in (optimizer, other)
        )
        p = mannwhitneyu(ours, theirs, alternative="less").pvalue
        medians = f"{np.median(ours):.3g} ({len(ours)} runs) against {np.median(theirs):.3g} ({len(theirs)})"
        return Outcome(f"{medians}, p = {p:.2g}", bool(p < 0.05))

    return Check(optimizer, benchmark, f"regret at {step} below that of {other}", measure)
