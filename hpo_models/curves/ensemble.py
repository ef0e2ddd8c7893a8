"""Extrapolation of a learning curve by a weighted sum of parametric ones (Domhan et al., 2015; Klein, 2020, sec. 5.1).

    y_t         = f(t) + N(0, sigma^2)          f(t) = sum_k w_k phi_k(t; theta_k)                     eqs 5.1, 5.3
    phi_k       k = 1..11, increasing like accuracies, see `hpo_models.curves.functions`
    prior       theta uniform in a box, w uniform in (0, 2), log sigma uniform in (log 1e-4, 0)
                f(n) <= f(T) <= 1: the final value is no worse than the value now, after n epochs, and no better than
                the best possible
    posterior   by the affine-invariant sampler, started around the least-squares fit of each phi_k, with weights w_k
                inversely proportional to its mean squared error

Losses become accuracies by y = (highest - loss) / (highest - floor): the highest loss of the curve so far becomes 0,
`floor` becomes 1. The floor is 0 if no loss is negative, else as far below the lowest loss as that is below the
highest.

Departures from the papers: Domhan et al. require a final value above the last observation. Klein (2020) drops that
requirement because of noisy curves. Here the noise-free f must not fall. Of a long curve 20 evenly spaced observations
are used, including the last.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from hpo_core.errors import InvalidOption
from hpo_core.single_thread import single_threaded
from hpo_models.curves.ensemble_sampling import ensemble_samples
from hpo_models.curves.functions import FUNCTIONS, CurveFunction

LOG_NOISE = (float(np.log(1e-4)), 0.0)
LARGEST_WEIGHT = 2.0
N_USED = 20  # observations
LEAST_OBSERVATIONS = 4  # as many as the largest of the functions has parameters
OFFSETS = np.cumsum([0, *(function.n_parameters for function in FUNCTIONS)])
N_THETA, N_FUNCTIONS = int(OFFSETS[-1]), len(FUNCTIONS)
LOW = np.concatenate([[x for f in FUNCTIONS for x in f.low], np.zeros(N_FUNCTIONS), LOG_NOISE[:1]])
HIGH = np.concatenate([[x for f in FUNCTIONS for x in f.high], np.full(N_FUNCTIONS, LARGEST_WEIGHT), LOG_NOISE[1:]])


class Steps(NamedTuple):
    """Length of the sampler's walk; Domhan et al. (2015) use 100 walkers and 2,000 steps, of which 500 are burn-in."""

    n_walkers: int = 100
    n_steps: int = 1000
    burn_in: int = 500
    thinning: int = 10


DEFAULT_STEPS = Steps()


def combined(t: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(S, m) values f(t) at epochs (m,) for parameters (S, 48): theta, w, log sigma; NaN where undefined."""
    log_t = np.log(t)
    total = np.zeros((len(points), len(t)))
    with np.errstate(all="ignore"):
        for k, function in enumerate(FUNCTIONS):
            parameters = points[:, OFFSETS[k] : OFFSETS[k + 1]].T[:, :, None]
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
    """Posterior samples of a curve.

    points      (S, 48) parameters of each sample
    top, floor  losses that become the accuracies 0 and 1
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
        """Probability that the loss observed at epoch `t` is below `loss`."""
        return float(ndtr((loss - self.losses(np.array([t]))[:, 0]) / self.noise).mean())


@single_threaded
def extrapolate(
    t: np.ndarray,
    losses: np.ndarray,
    end: float,
    rng: np.random.Generator,
    *,
    floor: float | None = None,
    steps: Steps = DEFAULT_STEPS,
) -> Extrapolation:
    """Posterior of a learning curve, for predictions up to the epoch `end`.

    Parameters
    ----------
    t
        (n,) observed epochs, ascending, n >= 4.
    losses
        (n,) losses at these epochs.
    end
        Last epoch that will be predicted.
    rng
        Of the sampler.
    floor
        Lowest possible loss; None derives it from the losses, see the module's docstring.
    steps
        Length of the sampler's walk.

    Returns
    -------
    Extrapolation
        Samples of the curve, in the units of the losses.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_models.curves.ensemble import Steps, extrapolate
    >>> t = np.arange(1.0, 11.0)
    >>> curve = extrapolate(t, 0.1 + 0.8 / t, 50.0, np.random.default_rng(0), steps=Steps(100, 200, 100))
    >>> mean, variance = curve.moments(50.0)
    >>> bool(0.0 < mean < 0.18)
    True
    """
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
    if not floor < top:  # a curve of zeros, or one that is below the given floor
        top = floor + 1.0
    used = np.unique(np.linspace(0, len(t) - 1, min(N_USED, len(t))).round().astype(int))
    density = CurveLogPosterior(t[used], (top - losses[used]) / (top - floor), float(end))
    points = ensemble_samples(density, _walkers(density, steps.n_walkers, rng), rng, **_walk(steps))
    return Extrapolation(points, top, floor)


def _walk(steps: Steps) -> dict[str, int]:
    return {"n_steps": steps.n_steps, "burn_in": steps.burn_in, "thinning": steps.thinning}


def _walkers(density: CurveLogPosterior, n: int, rng: np.random.Generator) -> np.ndarray:
    """(n, 48) starts of positive density around the least-squares fits, closer and closer until all are valid."""
    found: list[np.ndarray] = []
    for centre in (_fitted_centre(density), _rising_centre(density)):
        for std in (0.03, 0.01, 0.003, 0.001):
            steps = std * (HIGH - LOW) * rng.standard_normal((4 * n, len(LOW)))
            candidates = np.clip(centre + steps, LOW + 1e-9, HIGH - 1e-9)
            found.extend(candidates[np.isfinite(density(candidates))])
            if len(found) >= n:
                return np.array(found[:n])
    raise InvalidOption(f"no curve of the family fits epochs {density.t!r} with accuracies {density.y!r}")


def _fitted_centre(density: CurveLogPosterior) -> np.ndarray:
    """(48,) parameters that fit best one function at a time, weights by quality of fit, and the remaining noise."""
    theta, errors = zip(*(_least_squares(function, density.t, density.y) for function in FUNCTIONS), strict=True)
    weights = 1.0 / (np.array(errors) + 1e-6)
    return _centre(density, np.concatenate(theta), np.maximum(weights / weights.sum(), 1e-3))


def _rising_centre(density: CurveLogPosterior) -> np.ndarray:
    """(48,) parameters of curves that rise whatever the observations are: for a training that gets worse."""
    theta = np.concatenate([function.start for function in FUNCTIONS])
    level = float(np.clip(density.y.mean(), 0.02, 0.5))
    return _centre(density, theta, np.full(N_FUNCTIONS, level / N_FUNCTIONS))


def _centre(density: CurveLogPosterior, theta: np.ndarray, weights: np.ndarray) -> np.ndarray:
    point = np.concatenate([theta, weights, [0.0]])
    residuals = combined(density.t, point[None])[0] - density.y
    point[-1] = np.log(np.clip(np.sqrt(np.nanmean(residuals**2)), 3e-4, 0.5))
    return point


def _least_squares(function: CurveFunction, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Parameters of a function that fit (n,) accuracies at (n,) epochs best, and their mean squared error."""
    from scipy.optimize import least_squares

    low, high = np.array(function.low), np.array(function.high)
    log_t, margin = np.log(t), 0.02 * (high - low)

    def residuals(theta: np.ndarray) -> np.ndarray:
        return np.nan_to_num(function.formula(t, log_t, *theta) - y, nan=1e3, posinf=1e3, neginf=-1e3)

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = least_squares(residuals, function.start, bounds=(low + margin, high - margin), max_nfev=15)
    return fit.x, 2.0 * float(fit.cost) / len(y)
