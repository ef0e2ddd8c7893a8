"""Do the learning-curve models predict, and do the optimizers that use them search better? Statistical checks.

    python scripts/check_curves.py                                          both parts on mini-concrete, half an hour
    python scripts/check_curves.py --part prediction --fractions 10,30      a few minutes, --quick one
    python scripts/check_curves.py --part search --seeds 20 --only bo-bos
    python scripts/check_curves.py --benchmarks mini-concrete,mini-parkinsons

Prediction, after the thesis' figure 5.5: of some random configurations of a table one training each; its first 10 %,
20 %... are seen, and its loss at the full budget is predicted. *alone* is the thesis' setting, every curve seen up to
the same epoch; *taught* adds as many complete curves of other configurations, which the ensemble, a model of one curve,
has no use for. Losses are logarithms, cut at ten times the median first loss, since a diverged training would decide
about every mean. A line has the mean squared error and the median log-likelihood of the held-out curves over all
repeats, and the CPU seconds of a repeat. LC-Net must have a lower mean squared error than the plain network and than
the last value seen, at up to 30 %, in 95 % of the bootstraps over curves.

Search: regret of the incumbent, its mean loss over the repetitions less the best of the table, when as much as some
numbers of full trainings has been spent, in seconds or in epochs. A claim must hold in a one-sided Mann-Whitney test at
5 %. Exits with 1 if a check fails.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy loads: matrices this small only lose time on more cores
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from hpo_core import Benchmark, Result, SimpleProblem, run
from hpo_core.errors import InvalidOption
from hpo_core.space import Config
from hpo_models.curves.ensemble import LEAST_OBSERVATIONS, extrapolate
from hpo_models.curves.freeze_thaw import Curve, fit_freeze_thaw
from hpo_models.curves.lc_net import DEFAULT_SAMPLING, UNITS, fit_lc_net
from hpo_models.features import Features
from hpo_models.networks.bnn import Regression, WarmStart, sample_posterior
from hpo_models.networks.tanh_network import TanhNetwork

CAP = 10.0  # times the median first loss
EARLY = 30  # percent
N_TIMES = 20  # of a curve that the networks and freeze-thaw see
N_BOOTSTRAPS = 2000


class Curves(NamedTuple):
    """Features x (n, D) in [-1, 1], times t (T,) as shares of the full budget, logarithms of losses (n, T)."""

    x: np.ndarray
    t: np.ndarray
    losses: np.ndarray

    def seen(self, n_seen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of x, t and losses: of each curve up to 20 of the first `n_seen[i]`, see `places`."""
        each = [places(n) for n in n_seen]
        i, k = np.repeat(np.arange(len(self.x)), [len(part) for part in each]), np.concatenate(each)
        return self.x[i], self.t[k], self.losses[i, k]


def places(n: int) -> np.ndarray:
    """Up to 20 of the places 0..n-1, the first and the last among them, in about equal steps of log time.

    Neighbouring epochs say nearly the same, which models that take them for independent would believe twice.
    """
    return np.unique(np.geomspace(1, n, min(N_TIMES, n)).round().astype(int)) - 1


Prediction = tuple[np.ndarray, np.ndarray | None]  # means and variances (n,) of the last losses
Model = Callable[[Curves, np.ndarray, np.ndarray, int], Prediction]  # curves, numbers seen, rows held out, seed


def sampled_curves(b: Benchmark, n: int, seed: int) -> Curves:
    """One training of each of n random configurations."""
    rng = np.random.default_rng(seed)
    codes = b.space.grid.codes(rng.choice(b.space.grid.size, n, replace=False))
    seeds = rng.integers(2**31, size=n)
    losses = np.column_stack([b.objective_batch(codes, budget, seeds)[0] for budget in b.budgets])
    losses = np.log(np.minimum(np.nan_to_num(losses, nan=np.inf), CAP * np.median(losses[:, 0])))
    rows = Features(b.space).from_unit(b.space.to_unit(codes))
    return Curves(2.0 * rows - 1.0, np.asarray(b.budgets, dtype=float) / b.budgets[-1], losses)


def last_seen(curves: Curves, n_seen: np.ndarray, rows: np.ndarray, seed: int) -> Prediction:
    return curves.losses[rows, n_seen[rows] - 1], None


def lc_net(curves: Curves, n_seen: np.ndarray, rows: np.ndarray, seed: int) -> Prediction:
    return fit_lc_net(*curves.seen(n_seen), seed).moments(curves.x[rows], 1.0)


def plain_network(curves: Curves, n_seen: np.ndarray, rows: np.ndarray, seed: int) -> Prediction:
    """The same network without the layer of basis functions: time is one more input (section 5.2)."""
    x, t, y = curves.seen(n_seen)
    centre, spread = y.mean(), y.std()
    inputs = np.column_stack([x, 2.0 * t - 1.0]).astype(np.float32)
    sizes = (inputs.shape[1], *UNITS, 1)
    model = Regression(
        TanhNetwork(sizes), lambda k, rng: inputs[k], ((y - centre) / spread).astype(np.float32), batch_size=64
    )
    s = DEFAULT_SAMPLING
    posterior = sample_posterior(
        model,
        seed,
        n_chains=s.n_chains,
        n_draws=s.n_draws,
        n_between=s.n_between,
        n_burn_in=s.n_burn_in,
        warm_start=WarmStart(s.warm_start.n_steps),
    )
    at_end = np.column_stack([curves.x[rows], np.ones(len(rows))]).astype(np.float32)
    mean, variance = posterior.moments(at_end)
    return centre + spread * mean, spread**2 * variance


def ensemble(curves: Curves, n_seen: np.ndarray, rows: np.ndarray, seed: int) -> Prediction:
    """Curve by curve, on the losses themselves; mean and variance of the logarithm to first order."""
    moments = []
    for row in rows:
        n = int(n_seen[row])
        rng = np.random.default_rng((seed, int(row)))
        curve = extrapolate(curves.t[:n] / curves.t[0], np.exp(curves.losses[row, :n]), 1.0 / curves.t[0], rng)
        moments.append(curve.moments(1.0 / curves.t[0]))
    mean, variance = np.array(moments).T
    return np.log(mean), variance / mean**2


def freeze_thaw(curves: Curves, n_seen: np.ndarray, rows: np.ndarray, seed: int) -> Prediction:
    """All curves together."""
    y = curves.seen(n_seen)[2]
    centre, spread = y.mean(), y.std()
    parts = []
    for n, losses in zip(n_seen, curves.losses, strict=True):
        seen = places(n)
        parts.append(Curve(curves.t[seen], (losses[seen] - centre) / spread))
    process = fit_freeze_thaw(curves.x, parts)
    ends = [process.curve(int(row), np.ones(1)) for row in rows]
    mean = np.array([m[0] for m, _ in ends])
    variance = np.array([v[0, 0] for _, v in ends]) + process.hyperparameters.noise
    return centre + spread * mean, spread**2 * variance


MODELS: dict[str, Model] = {
    "lc-net": lc_net,
    "plain network": plain_network,
    "last seen": last_seen,
    "ensemble": ensemble,
    "freeze-thaw": freeze_thaw,
}


class Measured(NamedTuple):
    """Squared errors and log-likelihoods of all predicted curves by model, and CPU seconds of one repeat."""

    errors: dict[str, np.ndarray]
    likelihoods: dict[str, np.ndarray]
    seconds: dict[str, float]


def measured(b: Benchmark, setting: str, percent: int, options: argparse.Namespace) -> Measured:
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
    """Whether LC-Net's mean squared error is lower than another model's in 95 % of the bootstraps; printed."""
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
    """That an optimizer beats another after the cost of so many full trainings, at each of the numbers given."""

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
    """(numbers, n_seeds) regrets of the incumbent after the cost of so many full trainings; CPU seconds of a run."""
    optimum = b.optimum
    if optimum is None:
        raise InvalidOption(f"the regret needs a benchmark whose optimum is known, got {b.name!r}")
    everything = b.space.grid.codes(np.arange(b.space.grid.size))
    cost = float(b.budgets[-1]) if epochs else float(b.objective_batch(everything)[1].mean())
    played, found, start = in_epochs(b) if epochs else b, [], time.process_time()
    for seed in range(n_seeds):
        r = run(played, optimizer, n_trials=None, max_cost=max(n_full) * cost, seed=seed)
        trajectory = r.incumbent()
        places = trajectory.indices[np.searchsorted(trajectory.ends, np.array(n_full) * cost, side="right") - 1]
        found.append([b.objective(r.trials[place].config).loss - optimum for place in places])
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
    parser.add_argument("--trainings", type=numbers, help="after how many full trainings, instead of each claim's own")
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
