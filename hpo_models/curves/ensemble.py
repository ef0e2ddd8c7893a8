"""Extrapolation of one learning curve by a weighted sum of parametric ones (Domhan et al., 2015; thesis, section 5.1).

    y_t         = f(t) + N(0, sigma^2)          f(t) = sum_k w_k phi_k(t; theta_k)                     eqs 5.1, 5.3
    phi_k       k = 1..11, see `hpo_models.curves.functions`: they rise, as accuracies do
    prior       theta uniform in a box, w uniform in (0, 2), log sigma uniform in (log 1e-4, 0)
                f(n) <= f(T) <= 1: after the n observed epochs the curve does not end worse than now, nor better than
                is possible
    posterior   by the affine-invariant sampler, from around the least-squares fit of each phi_k, with weights w_k in
                inverse proportion to its mean squared error

Losses become accuracies by y = (highest - loss) / (highest - floor): the highest loss of the curve so far is 0, `floor`
is 1. The floor is 0 where no loss is negative, else as far below the lowest as that lies below the highest.

Domhan et al. ask for an end above the last observation, which the thesis took out because of noisy curves; asked here
is that f itself does not fall. Of a long curve some 20 observations are used, spread evenly, the last among them.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from hpo_core.errors import InvalidOption
from hpo_models.curves.ensemble_sampling import ensemble_samples
from hpo_models.curves.functions import FUNCTIONS, CurveFunction

LOG_NOISE = (float(np.log(1e-4)), 0.0)
LARGEST_WEIGHT = 2.0
N_USED = 20  # observations
LEAST_OBSERVATIONS = 4  # as many as the largest of the functions has parameters
PLACES = np.cumsum([0, *(function.n_parameters for function in FUNCTIONS)])
N_THETA, N_FUNCTIONS = int(PLACES[-1]), len(FUNCTIONS)
LOW = np.concatenate([[x for f in FUNCTIONS for x in f.low], np.zeros(N_FUNCTIONS), LOG_NOISE[:1]])
HIGH = np.concatenate([[x for f in FUNCTIONS for x in f.high], np.full(N_FUNCTIONS, LARGEST_WEIGHT), LOG_NOISE[1:]])


class Steps(NamedTuple):
    """Length of the sampler's walk; Domhan et al. have 100 walkers and 2,000 steps, of which 500 are burn-in."""

    n_walkers: int = 100
    n_steps: int = 1000
    burn_in: int = 500
    thinning: int = 10


DEFAULT_STEPS = Steps()


def combined(t: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(S, m) values f(t) at epochs (m,) for parameters (S, 48): theta, w, log sigma; NaN where a formula has none."""
    log_t = np.log(t)
    total = np.zeros((len(points), len(t)))
    with np.errstate(all="ignore"):
        for k, function in enumerate(FUNCTIONS):
            parameters = points[:, PLACES[k] : PLACES[k + 1]].T[:, :, None]
            total += points[:, N_THETA + k, None] * function.formula(t, log_t, *parameters)
    return total


@dataclass(frozen=True)
class CurveLogPosterior:
    """Logarithm of the posterior density of points (S, 48), up to a constant.

    t, y    (n,) observed epochs and accuracies
    end     T, the epoch that the curve is extrapolated to
    """

    t: np.ndarray
    y: np.ndarray
    end: float

    def __call__(self, points: np.ndarray) -> np.ndarray:
        values = np.full(len(points), -np.inf)
        inside = ((points > LOW) & (points < HIGH)).all(axis=1)
        if not inside.any():
            return values
        points = points[inside]
        curves = combined(np.append(self.t, self.end), points)
        log_noise = points[:, -1]
        misfit = ((curves[:, :-1] - self.y) ** 2).sum(axis=1)
        density = -0.5 * misfit * np.exp(-2.0 * log_noise) - len(self.y) * log_noise
        allowed = (curves[:, -2] <= curves[:, -1]) & (curves[:, -1] <= 1.0) & np.isfinite(density)
        values[inside] = np.where(allowed, density, -np.inf)
        return values


@dataclass(frozen=True)
class Extrapolation:
    """Samples of the curves that may go through the observations.

    points      (S, 48) parameters of each
    top, floor  losses that are 0 and 1 as accuracies
    """

    points: np.ndarray
    top: float
    floor: float

    def losses(self, t: np.ndarray) -> np.ndarray:
        """(S, m) noise-free losses at epochs (m,)."""
        return self.top - (self.top - self.floor) * combined(np.asarray(t, dtype=float), self.points)

    @property
    def noise(self) -> np.ndarray:
        """(S,) standard deviation of an observation, in units of the loss."""
        return (self.top - self.floor) * np.exp(self.points[:, -1])

    def moments(self, t: float) -> tuple[float, float]:
        """Mean and variance of the loss observed at an epoch, eq. 5.4 with the noise averaged, not summed."""
        losses = self.losses(np.array([t]))[:, 0]
        return float(losses.mean()), float(losses.var() + (self.noise**2).mean())

    def probability_below(self, loss: float, t: float) -> float:
        """Probability that the loss observed at an epoch lies below a value."""
        return float(ndtr((loss - self.losses(np.array([t]))[:, 0]) / self.noise).mean())


def extrapolate(
    t: np.ndarray,
    losses: np.ndarray,
    end: float,
    rng: np.random.Generator,
    *,
    floor: float | None = None,
    steps: Steps = DEFAULT_STEPS,
) -> Extrapolation:
    """Posterior of a learning curve after losses (n,) at ascending epochs (n,), n >= 4, for predictions up to `end`."""
    t, losses = np.asarray(t, dtype=float), np.asarray(losses, dtype=float)
    if t.shape != losses.shape or t.ndim != 1 or len(t) < LEAST_OBSERVATIONS or not np.isfinite(losses).all():
        raise InvalidOption(
            f"a curve is extrapolated from at least {LEAST_OBSERVATIONS} finite losses, one per epoch; got epochs "
            f"{t.shape} and losses {losses!r}"
        )
    if not (t[0] > 0 and (np.diff(t) > 0).all() and t[-1] <= end):
        raise InvalidOption(f"epochs must ascend from above 0 to at most the end, {end:g}; got {t!r}")
    top, lowest = float(losses.max()), float(losses.min())
    if floor is None:
        floor = 0.0 if lowest >= 0 else 2 * lowest - top
    if not floor < top:  # a curve of zeros, or below what was said to be possible
        top = floor + 1.0
    used = np.unique(np.linspace(0, len(t) - 1, min(N_USED, len(t))).round().astype(int))
    density = CurveLogPosterior(t[used], (top - losses[used]) / (top - floor), float(end))
    points = ensemble_samples(density, _walkers(density, steps.n_walkers, rng), rng, **_walk(steps))
    return Extrapolation(points, top, floor)


def _walk(steps: Steps) -> dict[str, int]:
    return {"n_steps": steps.n_steps, "burn_in": steps.burn_in, "thinning": steps.thinning}


def _walkers(density: CurveLogPosterior, n: int, rng: np.random.Generator) -> np.ndarray:
    """(n, 48) starts of positive density around the least-squares fits, ever closer to them until all are valid."""
    found: list[np.ndarray] = []
    for centre in (_fitted_centre(density), _rising_centre(density)):
        for spread in (0.03, 0.01, 0.003, 0.001):
            steps = spread * (HIGH - LOW) * rng.standard_normal((4 * n, len(LOW)))
            candidates = np.clip(centre + steps, LOW + 1e-9, HIGH - 1e-9)
            found.extend(candidates[np.isfinite(density(candidates))])
            if len(found) >= n:
                return np.array(found[:n])
    raise InvalidOption(f"no curve of the family fits epochs {density.t!r} with accuracies {density.y!r}")


def _fitted_centre(density: CurveLogPosterior) -> np.ndarray:
    """(48,) parameters that fit best one function at a time, weights by how well that is, and the noise left."""
    theta, errors = zip(*(_least_squares(function, density.t, density.y) for function in FUNCTIONS), strict=True)
    weights = 1.0 / (np.array(errors) + 1e-6)
    return _centre(density, np.concatenate(theta), np.maximum(weights / weights.sum(), 1e-3))


def _rising_centre(density: CurveLogPosterior) -> np.ndarray:
    """(48,) parameters of curves that rise wherever the observations go: for a training that gets worse."""
    theta = np.concatenate([function.start for function in FUNCTIONS])
    level = float(np.clip(density.y.mean(), 0.02, 0.5))
    return _centre(density, theta, np.full(N_FUNCTIONS, level / N_FUNCTIONS))


def _centre(density: CurveLogPosterior, theta: np.ndarray, weights: np.ndarray) -> np.ndarray:
    point = np.concatenate([theta, weights, [0.0]])
    residuals = combined(density.t, point[None])[0] - density.y
    point[-1] = np.log(np.clip(np.sqrt(np.nanmean(residuals**2)), 3e-4, 0.5))
    return point


def _least_squares(function: CurveFunction, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Parameters of a function that fit (n,) accuracies at (n,) epochs best, and the mean squared error left."""
    from scipy.optimize import least_squares

    low, high = np.array(function.low), np.array(function.high)
    log_t, margin = np.log(t), 0.02 * (high - low)

    def residuals(theta: np.ndarray) -> np.ndarray:
        return np.nan_to_num(function.formula(t, log_t, *theta) - y, nan=1e3, posinf=1e3, neginf=-1e3)

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = least_squares(residuals, function.start, bounds=(low + margin, high - margin), max_nfev=15)
    return fit.x, 2.0 * float(fit.cost) / len(y)
