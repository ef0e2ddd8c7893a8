"""Do the learning-curve models predict, and do the optimizers that use them search better? Statistical checks.

    python scripts/check_curves.py                                          both parts on mini-concrete, half an hour
    python scripts/check_curves.py --part prediction --fractions 10,30      a few minutes, --quick one
    python scripts/check_curves.py --part search --seeds 20 --only bo-bos
    python scripts/check_curves.py --benchmarks mini-concrete,mini-parkinsons

Prediction, after figure 5.5 of Klein (2020): one training of each of some random configurations of a table; the models
(`curve_models.py`) observe its first 10 %, 20 %... and predict its loss at the full budget. *alone* is the setting of
the paper, every curve observed up to the same epoch; *taught* adds as many complete curves of other configurations,
which the ensemble, a model of one curve, cannot use. Losses are logarithms, capped at ten times the median first loss,
since a diverged training would dominate every mean. A line has the mean squared error and the median log-likelihood of
the held-out curves over all repeats, and the CPU seconds of a repeat. LC-Net must have a lower mean squared error than
the plain network and than the last observed value, at up to 30 %, in 95 % of the bootstraps over curves.

Search: regret of the incumbent (its mean loss over the repetitions minus the best of the table) after the cost of some
numbers of full trainings, in seconds or in epochs. A claim must hold in a one-sided Mann-Whitney test at 5 %. Exits
with 1 if a check fails.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy loads: several cores are slower on matrices this small
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
import time
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from curve_models import MODELS, Curves, sampled_curves

from hpo_core import Benchmark, Result, SimpleProblem, run
from hpo_core.errors import InvalidOption
from hpo_core.space import Config
from hpo_models.curves.ensemble import LEAST_OBSERVATIONS

EARLY = 30  # percent
N_BOOTSTRAPS = 2000


class Measured(NamedTuple):
    """Squared errors and log-likelihoods of all predicted curves by model, and CPU seconds of one repeat."""

    errors: dict[str, np.ndarray]
    likelihoods: dict[str, np.ndarray]
    seconds: dict[str, float]


def measured(b: Benchmark, setting: str, percent: int, options: argparse.Namespace) -> Measured:
    """Predictions of all models, compared with the recorded losses.

    Parameters
    ----------
    b
        A table with learning curves.
    setting
        `alone` or `taught`.
    percent
        Of each curve that the models observe.
    options
        Of the command line.

    Returns
    -------
    Measured
        Errors and likelihoods of logarithms of losses.
    """
    n, n_repeats, alone = options.curves, options.repeats, setting == "alone"
    models = {name: model for name, model in MODELS.items() if name != "ensemble" or (alone and not options.quick)}
    errors: dict[str, list[np.ndarray]] = {name: [] for name in models}
    likelihoods: dict[str, list[np.ndarray]] = {name: [] for name in models}
    seconds = dict.fromkeys(models, 0.0)
    for repeat in range(n_repeats):
        curves = sampled_curves(b, 2 * n, repeat)
        if alone:
            curves = Curves(curves.x[:n], curves.t, curves.losses[:n])
        n_seen = np.full(len(curves.x), max(round(percent / 100 * len(curves.t)), LEAST_OBSERVATIONS))
        n_seen[n:] = len(curves.t)
        for name, model in models.items():
            start = time.process_time()
            mean, variance = model(curves, n_seen, np.arange(n), repeat)
            seconds[name] += (time.process_time() - start) / n_repeats
            away = (mean - curves.losses[:n, -1]) ** 2
            errors[name].append(away)
            if variance is not None:
                likelihoods[name].append(-0.5 * (np.log(2 * np.pi * variance) + away / variance))
    return Measured(
        {name: np.concatenate(parts) for name, parts in errors.items()},
        {name: np.concatenate(parts) for name, parts in likelihoods.items() if parts},
        seconds,
    )


def check_prediction(b: Benchmark, options: argparse.Namespace) -> int:
    """Number of checks that fail; prints a line per setting, fraction and model."""
    failed = 0
    for setting in ("alone", "taught"):
        for percent in options.fractions:
            found = measured(b, setting, percent, options)
            for name in found.errors:
                likelihood = f"{np.median(found.likelihoods[name]):7.3f}" if name in found.likelihoods else "      -"
                print(
                    f"{b.name:<16} {setting:<7} {percent:>3} %  {name:<14} mse {found.errors[name].mean():7.4f}  "
                    f"log-likelihood {likelihood}  {found.seconds[name]:6.2f} s",
                    flush=True,
                )
            if percent <= EARLY:
                for other in ("plain network", "last seen"):
                    failed += not beats(b, setting, percent, found.errors, other)
    return failed


def beats(b: Benchmark, setting: str, percent: int, errors: dict[str, np.ndarray], other: str) -> bool:
    """Whether LC-Net's mean squared error is lower than another model's in 95 % of the bootstraps; printed.

    Parameters
    ----------
    b, setting, percent
        As for `measured`.
    errors
        Squared errors of all predicted curves by model.
    other
        Name of the other model.

    Returns
    -------
    bool
        Whether it is lower.
    """
    differences = errors["lc-net"] - errors[other]
    rng = np.random.default_rng(0)
    means = rng.choice(differences, (N_BOOTSTRAPS, len(differences))).mean(axis=1)
    share = float(np.mean(means < 0))
    passed = share >= 0.95
    print(
        f"{b.name:<16} {setting:<7} {percent:>3} %  lc-net below {other:<20} {'ok  ' if passed else 'FAIL'} "
        f"in {share:.3f} of the bootstraps",
        flush=True,
    )
    return passed


class Claim(NamedTuple):
    """A claim that an optimizer beats another after the costs of `n_full` full trainings, in epochs or seconds."""

    optimizer: str
    other: str
    n_full: tuple[int, ...]
    in_epochs: bool


CLAIMS = (
    Claim("lcnet-hb", "hyperband", (50,), False),
    Claim("bohb", "hyperband", (200,), False),
    Claim("bo-bos", "gp-ucb", (15, 25), True),
    Claim("lc-gp", "gp-ucb", (15, 25), True),
)


def in_epochs(b: Benchmark) -> Benchmark:
    """The benchmark with its budgets as costs."""

    def evaluate(config: Config, budget: float, seed: int | None) -> Result:
        return Result(b.objective(config, budget, seed=seed).loss, float(budget), budget, {})

    return Benchmark(SimpleProblem(b.name, b.space, evaluate, budgets=b.budgets))


@cache
def regrets(
    b: Benchmark, optimizer: str, n_full: tuple[int, ...], epochs: bool, n_seeds: int
) -> tuple[np.ndarray, float]:
    """Regrets of the incumbent after the costs of some numbers of full trainings, and CPU seconds of a run.

    Parameters
    ----------
    b, optimizer
        The benchmark, and the name of the optimizer.
    n_full
        Numbers of full trainings.
    epochs
        Whether costs are epochs, not seconds.
    n_seeds
        Number of runs.

    Returns
    -------
    tuple of np.ndarray and float
        Regrets (len(n_full), n_seeds), and CPU seconds.
    """
    optimum = b.optimum
    if optimum is None:
        raise InvalidOption(f"the regret needs a benchmark whose optimum is known, got {b.name!r}")
    everything = b.space.grid.codes(np.arange(b.space.grid.size))
    cost = float(b.budgets[-1]) if epochs else float(b.objective_batch(everything)[1].mean())
    timed, found, start = in_epochs(b) if epochs else b, [], time.process_time()
    for seed in range(n_seeds):
        r = run(timed, optimizer, n_trials=None, max_cost=max(n_full) * cost, seed=seed)
        trajectory = r.incumbent()
        indices = trajectory.indices[np.searchsorted(trajectory.ends, np.array(n_full) * cost, side="right") - 1]
        found.append([b.objective(r.trials[index].config).loss - optimum for index in indices])
    return np.array(found).T, (time.process_time() - start) / n_seeds


def check_search(b: Benchmark, options: argparse.Namespace) -> int:
    """Number of claims that fail; prints a line for each."""
    from scipy.stats import mannwhitneyu

    failed = 0
    for claim in CLAIMS:
        if options.only and claim.optimizer not in options.only:
            continue
        n_full = claim.n_full if options.trainings is None else tuple(options.trainings)
        ours, cpu = regrets(b, claim.optimizer, n_full, claim.in_epochs, options.seeds)
        theirs, _ = regrets(b, claim.other, n_full, claim.in_epochs, options.seeds)
        unit = "epochs" if claim.in_epochs else "seconds"
        for n, our, their in zip(n_full, ours, theirs, strict=True):
            p = mannwhitneyu(our, their, alternative="less").pvalue
            failed += p >= 0.05
            print(
                f"{b.name:<16} {claim.optimizer:<9} beats {claim.other:<10} after {n} trainings ({unit})  "
                f"{'ok  ' if p < 0.05 else 'FAIL'} median {np.median(our):.4f} against {np.median(their):.4f}, mean "
                f"{our.mean():.4f} against {their.mean():.4f}, p = {p:.2g}; {cpu:.1f} CPU seconds a run",
                flush=True,
            )
    return failed


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmarks", default="mini-concrete", help="tables with curves, separated by commas")
    parser.add_argument("--part", choices=("prediction", "search", "both"), default="both")
    parser.add_argument("--curves", type=int, default=50, help="curves that are predicted (50)")
    parser.add_argument("--fractions", type=numbers, default=[10, 20, 30, 50, 70], help="percent (10,20,30,50,70)")
    parser.add_argument("--quick", action="store_true", help="without the ensemble, which takes most of the time")
    parser.add_argument("--repeats", type=int, default=3, help="samples of curves (3)")
    parser.add_argument("--seeds", type=int, default=10, help="runs per optimizer (10)")
    parser.add_argument(
        "--trainings", type=numbers, help="after how many full trainings, instead of those of each claim"
    )
    parser.add_argument("--only", type=lambda text: text.split(","), help="claims of some optimizers")
    options = parser.parse_args(arguments)
    failed = 0
    for name in options.benchmarks.split(","):
        b = Benchmark(name)
        if len(b.budgets) < 2:
            parser.error(f"{name} has no learning curves")
        if options.part != "search":
            failed += check_prediction(b, options)
        if options.part != "prediction":
            failed += check_search(b, options)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
