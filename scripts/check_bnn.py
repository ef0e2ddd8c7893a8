"""Does scale adaptation make SGHMC better than any step length? Tables 3.1 and 3.2 of Klein (2020), four datasets.

    python scripts/check_bnn.py                           ten splits of each dataset, ten minutes of one core
    python scripts/check_bnn.py --splits 50               as many as in the paper
    python scripts/check_bnn.py --datasets yacht,concrete
    python scripts/check_bnn.py --reference TABLES.csv    with the paper's numbers next to the measured ones: rows of
                                                          measure (rmse or loglik), method and a column per dataset

One layer of 50 tanh units, 90 % of the rows to train on, 15,000 steps of which 1,000 are burn-in, from random weights.
Not in the paper: features and target standardised by the training rows, the weights' prior of
`hpo_models.networks.bnn`, every 50th step kept, minibatches of 128 (on two splits of yacht the RMSE was two to four
times as large with 32, ten times with 8), a noise that starts at a thousandth of the target's variance. The last
follows from the first row of Table 3.1: a chain that has hardly moved has a log-likelihood of about -RMSE^2 / 2
sigma^2. The log-likelihood is that of the Gaussian of eq. 3.4, a mean over test rows, in the target's unit, like the
RMSE. Boston housing is left out.

Exits with 1 if adaptation does not have the lowest RMSE everywhere, or if it is more than 15 % above the paper's RMSE.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from fcnet_data.datasets import Dataset, open_dataset
from hpo_models.networks.bnn import Posterior, Regression, WeightPrior
from hpo_models.networks.chains import chain
from hpo_models.networks.sghmc import Dynamics, plain_dynamics
from hpo_models.networks.tanh_network import TanhNetwork

COLUMNS = {"concrete": "concrete", "yacht": "yacht", "wine-red": "wine", "ccpp": "power_plant"}  # of the paper's tables
STEPS = (1e-6, 1e-5, 1e-4, 1e-3)
METHODS = (*(f"sghmc_1e{round(np.log10(step))}" for step in STEPS), "adaptive_sghmc")
N_STEPS, N_BURN_IN, EVERY = 15_000, 1_000, 50
TOLERANCE, BATCH_SIZE = 1.15, 128
PRIOR = WeightPrior(log_noise_mean=float(np.log(1e-3)))


class Scores(NamedTuple):
    """Of one method on one split."""

    rmse: float
    loglik: float


def split_scores(data: Dataset, split: int) -> list[Scores]:
    """Of each of `METHODS`, after training on nine tenths of the rows."""
    rng = np.random.default_rng([split, data.n_rows])
    order = rng.permutation(data.n_rows)
    test, train = np.split(order, [data.n_rows // 10])
    x = (data.features - data.features[train].mean(axis=0)) / _stds(data.features[train])
    centre, std = data.target[train].mean(), data.target[train].std()
    inputs, targets = x[train].astype(np.float32), ((data.target[train] - centre) / std).astype(np.float32)
    model = Regression(TanhNetwork((data.n_features, 50, 1)), lambda rows, _: inputs[rows], targets, PRIOR, BATCH_SIZE)
    plain = plain_dynamics(np.array(STEPS, dtype=np.float32)[:, None])  # all step lengths at once, a chain for each
    draws = [*_draws(model, len(STEPS), rng, plain), *_draws(model, 1, rng, None)]
    found = (Posterior(model.network, chain_draws[None]).moments(x[test].astype(np.float32)) for chain_draws in draws)
    return [_scores(mean * std + centre, variance * std**2, data.target[test]) for mean, variance in found]


def _draws(model: Regression, n_chains: int, rng: np.random.Generator, dynamics: Dynamics | None) -> np.ndarray:
    """(C, K, P + 1) parameters along the chains; those that diverged are not finite."""
    start = model.start(n_chains, rng)
    with threadpool_limits(1), np.errstate(all="ignore"):
        states = chain(model.gradient, start, rng, n_burn_in=N_BURN_IN, floor=model.prior_precision, dynamics=dynamics)
        return np.stack([state.theta for state in islice(states, 0, N_STEPS - N_BURN_IN, EVERY)], axis=1)


def _stds(columns: np.ndarray) -> np.ndarray:
    stds = columns.std(axis=0)
    return np.where(stds > 0.0, stds, 1.0)


def _scores(mean: np.ndarray, variance: np.ndarray, target: np.ndarray) -> Scores:
    with np.errstate(all="ignore"):
        squares = (target - mean) ** 2
        density = -0.5 * (squares / variance + np.log(2.0 * np.pi * variance))
        return Scores(float(np.sqrt(squares.mean())), float(density.mean()))


def read_reference(path: Path | None) -> dict[tuple[str, str, str], float]:
    """The paper's numbers by measure, method and column."""
    if path is None:
        return {}
    with path.open(newline="") as file:
        return {
            (row["measure"], row["method"], column): float(row[column])
            for row in csv.DictReader(file)
            for column in COLUMNS.values()
        }


def report(name: str, scores: np.ndarray, reference: dict[tuple[str, str, str], float]) -> bool:
    """Whether adaptation is best, and near the paper; prints scores (splits, methods, 2)."""
    means, stds = scores.mean(axis=0), scores.std(axis=0)
    print(f"{name}, {len(scores)} splits{' (paper in brackets)' if reference else ''}")
    for k, method in enumerate(METHODS):
        cells = []
        for j, measure in enumerate(Scores._fields):
            theirs = reference.get((measure, method, COLUMNS[name]))
            shown = "" if theirs is None else f" ({theirs:.2f})"
            cells.append(f"{measure} {means[k, j]:10.3f} +- {stds[k, j]:<8.3f}{shown}")
        print(f"  {method:15s} {'   '.join(cells)}", flush=True)
    rmse = np.where(np.isfinite(means[:, 0]), means[:, 0], np.inf)
    limit = TOLERANCE * reference.get(("rmse", METHODS[-1], COLUMNS[name]), np.inf)
    return bool(rmse[-1] < rmse[:-1].min() and rmse[-1] <= limit)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--datasets", default=",".join(COLUMNS), help="some of " + ", ".join(COLUMNS))
    parser.add_argument("--reference", type=Path, help="file with the paper's numbers")
    options = parser.parse_args(arguments)
    names = options.datasets.split(",")
    unknown = [name for name in names if name not in COLUMNS]
    if unknown or options.splits < 1:
        parser.error(f"datasets must be some of {', '.join(COLUMNS)} and splits at least 1; got {options.datasets}")
    reference, failed = read_reference(options.reference), []
    for name in names:
        data = open_dataset(name)
        scores = [split_scores(data, split) for split in tqdm(range(options.splits), desc=name, leave=False)]
        failed += [] if report(name, np.array(scores), reference) else [name]
    print("failed: " + ", ".join(failed) if failed else "passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
