"""Models that predict the loss at the full budget from the beginnings of learning curves, for `check_curves.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hpo_core import Benchmark
from hpo_models.curves.ensemble import extrapolate
from hpo_models.curves.freeze_thaw import Curve, fit_freeze_thaw
from hpo_models.curves.lc_net import DEFAULT_SAMPLING, UNITS, fit_lc_net
from hpo_models.features import Features
from hpo_models.networks.adam import WarmStart
from hpo_models.networks.bnn import Regression, sample_posterior
from hpo_models.networks.tanh_network import TanhNetwork

CAP = 10.0  # times the median first loss
N_TIMES = 20  # of a curve that the networks and freeze-thaw use


class Curves(NamedTuple):
    """Features x (n, D) in [-1, 1], times t (T,) as shares of the full budget, logarithms of losses (n, T)."""

    x: np.ndarray
    t: np.ndarray
    losses: np.ndarray

    def seen(self, n_seen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of x, t and losses: up to 20 of the first `n_seen[i]` losses of each curve, see `chosen_indices`."""
        each = [chosen_indices(n) for n in n_seen]
        i, k = np.repeat(np.arange(len(self.x)), [len(part) for part in each]), np.concatenate(each)
        return self.x[i], self.t[k], self.losses[i, k]


def chosen_indices(n: int) -> np.ndarray:
    """Up to 20 of the indices 0..n-1, including the first and the last, in about equal steps of log time.

    Losses of neighbouring epochs are strongly correlated, which models that assume independence would count twice.
    """
    return np.unique(np.geomspace(1, n, min(N_TIMES, n)).round().astype(int)) - 1


Prediction = tuple[np.ndarray, np.ndarray | None]  # means and variances (n,) of the last losses
# From curves, the number of observed losses of each, the rows to predict, and a seed.
Model = Callable[[Curves, np.ndarray, np.ndarray, int], Prediction]


def sampled_curves(b: Benchmark, n: int, seed: int) -> Curves:
    """One training of each of n random configurations."""
    rng = np.random.default_rng(seed)
    codes = b.space.grid.codes(rng.choice(b.space.grid.size, n, replace=False))
    seeds = rng.integers(2**31, size=n)
    losses = np.column_stack([b.objective_batch(codes, budget, seeds)[0] for budget in b.budgets])
    losses = np.log(np.minimum(np.nan_to_num(losses, nan=np.inf), CAP * np.median(losses[:, 0])))
    rows = Features(b.space).from_unit(b.space.to_unit(codes))
    return Curves(2.0 * rows - 1.0, np.asarray(b.budgets, dtype=float) / b.budgets[-1], losses)


def _last_seen(curves: Curves, n_seen: np.ndarray, rows: np.ndarray, seed: int) -> Prediction:
    return curves.losses[rows, n_seen[rows] - 1], None


def _lc_net(curves: Curves, n_seen: np.ndarray, rows: np.ndarray, seed: int) -> Prediction:
    return fit_lc_net(*curves.seen(n_seen), seed).moments(curves.x[rows], 1.0)


def _plain_network(curves: Curves, n_seen: np.ndarray, rows: np.ndarray, seed: int) -> Prediction:
    """The same network without the layer of basis functions: time is one more input (section 5.2)."""
    x, t, y = curves.seen(n_seen)
    centre, std = y.mean(), y.std()
    inputs = np.column_stack([x, 2.0 * t - 1.0]).astype(np.float32)
    sizes = (inputs.shape[1], *UNITS, 1)
    model = Regression(
        TanhNetwork(sizes), lambda k, rng: inputs[k], ((y - centre) / std).astype(np.float32), batch_size=64
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
    return centre + std * mean, std**2 * variance


def _ensemble(curves: Curves, n_seen: np.ndarray, rows: np.ndarray, seed: int) -> Prediction:
    """Curve by curve, on the losses themselves; mean and variance of the logarithm to first order."""
    moments = []
    for row in rows:
        n = int(n_seen[row])
        rng = np.random.default_rng((seed, int(row)))
        curve = extrapolate(curves.t[:n] / curves.t[0], np.exp(curves.losses[row, :n]), 1.0 / curves.t[0], rng)
        moments.append(curve.moments(1.0 / curves.t[0]))
    mean, variance = np.array(moments).T
    return np.log(mean), variance / mean**2


def _freeze_thaw(curves: Curves, n_seen: np.ndarray, rows: np.ndarray, seed: int) -> Prediction:
    """All curves together."""
    y = curves.seen(n_seen)[2]
    centre, std = y.mean(), y.std()
    parts = []
    for n, losses in zip(n_seen, curves.losses, strict=True):
        seen = chosen_indices(n)
        parts.append(Curve(curves.t[seen], (losses[seen] - centre) / std))
    process = fit_freeze_thaw(curves.x, parts)
    ends = [process.curve(int(row), np.ones(1)) for row in rows]
    mean = np.array([m[0] for m, _ in ends])
    variance = np.array([v[0, 0] for _, v in ends]) + process.hyperparameters.noise
    return centre + std * mean, std**2 * variance


MODELS: dict[str, Model] = {
    "lc-net": _lc_net,
    "plain network": _plain_network,
    "last seen": _last_seen,
    "ensemble": _ensemble,
    "freeze-thaw": _freeze_thaw,
}
