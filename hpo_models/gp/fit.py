"""Hyperparameters of a Gaussian process from observations: the most probable ones, or samples of their posterior.

The most probable ones are found by L-BFGS with analytic gradients, inside a box, from one or several starts. The first
start is given (such as the hyperparameters before the last observation) or fixed; further ones are random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.single_thread import single_threaded
from hpo_models.gp.factors import NotPositiveDefinite
from hpo_models.gp.kernels import Kernel
from hpo_models.gp.posterior import LogPosterior
from hpo_models.gp.priors import Box, Priors
from hpo_models.gp.slice_sampling import BURN_IN, N_SAMPLES, THINNING, slice_samples

FIRST = (1.0, 1.0, 1e-3)  # lengthscale, scale and noise that the first search starts from
RANDOM = ((0.05, 20.0), (0.1, 10.0), (1e-6, 0.1))  # log-uniform ranges of further starts
MAX_STEPS = 200
TOLERANCE = 1e-3  # largest component of the gradient, in nats per unit of a logarithm, at which a search ends
RELATIVE_TOLERANCE = 1e-6  # or the gain of a step, relative to the density's logarithm


class Hyperparameters(NamedTuple):
    """lengthscales (g,) of the groups of input columns, variance of the function, variance of the noise."""

    lengthscales: np.ndarray
    scale: float
    noise: float


class Fitting(NamedTuple):
    """How hyperparameters are searched for, see the module's docstring and constants."""

    n_starts: int = 1
    max_steps: int = MAX_STEPS
    tolerance: float = TOLERANCE
    relative_tolerance: float = RELATIVE_TOLERANCE
    box: Box = Box()


DEFAULT = Fitting()


@single_threaded
def most_probable(
    x: np.ndarray,
    y: np.ndarray,
    groups: np.ndarray,
    kernel: Kernel,
    priors: Priors,
    fitting: Fitting = DEFAULT,
    start: Hyperparameters | None = None,
    rng: np.random.Generator | None = None,
) -> Hyperparameters:
    """Hyperparameters with the highest posterior density found.

    Parameters
    ----------
    x, y
        (n, d) inputs and (n,) standardised observations.
    groups
        (d,) index of each input column's lengthscale.
    kernel, priors
        See `hpo_models.gp.kernels` and `hpo_models.gp.priors`.
    fitting
        Number of starts, box and tolerances of the search.
    start
        First start; None for a fixed one.
    rng
        For the other starts, which are random.

    Returns
    -------
    Hyperparameters
        For the standardised observations.
    """
    return modes(x, y, groups, kernel, priors, fitting, start, rng)[0].hyperparameters


class Mode(NamedTuple):
    """Hyperparameters at which a search ended, with the logarithm of their posterior density up to a constant."""

    hyperparameters: Hyperparameters
    log_density: float


@single_threaded
def modes(
    x: np.ndarray,
    y: np.ndarray,
    groups: np.ndarray,
    kernel: Kernel,
    priors: Priors,
    fitting: Fitting = DEFAULT,
    start: Hyperparameters | None = None,
    rng: np.random.Generator | None = None,
) -> list[Mode]:
    """Hyperparameters at which the searches of `most_probable` end, one per start, the most probable first.

    Parameters
    ----------
    x, y, groups, kernel, priors, fitting, start, rng
        As for `most_probable`.

    Returns
    -------
    list of Mode
        `fitting.n_starts` of them.
    """
    if fitting.n_starts > 1 and rng is None:
        raise InvalidOption(f"{fitting.n_starts} starts need an rng, since all but the first are random; got None")
    density = LogPosterior(x, y, groups, kernel, priors)
    limits = _limits(int(groups.max()) + 1, fitting.box)
    tops = [climb(density, theta, limits, fitting) for theta in _starts(limits, start, fitting.n_starts, rng)]
    return sorted((Mode(_unpack(theta), value) for theta, value in tops), key=lambda mode: -mode.log_density)


class Density(Protocol):
    """Logarithm of a posterior density; `NotPositiveDefinite` where the covariance cannot be factorised."""

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]: ...


def climb(density: Density, first: np.ndarray, limits: np.ndarray, fitting: Fitting) -> tuple[np.ndarray, float]:
    """Point of highest density found by a local search, and the logarithm of the density there.

    Parameters
    ----------
    density
        Logarithm of the density, with its gradient.
    first
        (d,) start of the search.
    limits
        (d, 2) lowest and highest values.
    fitting
        Number of steps and tolerances.

    Returns
    -------
    tuple of np.ndarray and float
        The point (d,) and the logarithm of the density.
    """
    from scipy.optimize import minimize

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        try:
            value, gradient = density.value_and_gradient(theta)
        except NotPositiveDefinite:
            return 1e10, np.zeros_like(theta)  # too long a step: the line search shortens it
        return -value, -gradient

    options = {"maxiter": fitting.max_steps, "gtol": fitting.tolerance, "ftol": fitting.relative_tolerance}
    inside = np.clip(first, limits[:, 0], limits[:, 1])
    result = minimize(loss, inside, jac=True, method="L-BFGS-B", bounds=limits, options=options)
    return result.x, -float(result.fun)


def sample_within(
    log_density: Callable[[np.ndarray], float],
    start: np.ndarray,
    limits: np.ndarray,
    rng: np.random.Generator,
    n_samples: int,
    burn_in: int,
    thinning: int,
    step_out: bool = True,
) -> np.ndarray:
    """Slice samples of a density that is 0 outside of limits and where the covariance cannot be factorised.

    Parameters
    ----------
    log_density
        Logarithm of the density at a point (d,).
    start
        (d,) start of the chain; moved inside the limits.
    limits
        (d, 2) lowest and highest values.
    rng, n_samples, burn_in, thinning, step_out
        As for `slice_samples`.

    Returns
    -------
    np.ndarray
        (n_samples, d) samples.
    """

    def inside(theta: np.ndarray) -> float:
        if (theta < limits[:, 0]).any() or (theta > limits[:, 1]).any():
            return -np.inf
        try:
            return log_density(theta)
        except NotPositiveDefinite:
            return -np.inf

    first = np.clip(start, limits[:, 0] + 1e-6, limits[:, 1] - 1e-6)
    return slice_samples(inside, first, rng, n_samples, burn_in, thinning, step_out)


@single_threaded
def posterior_samples(
    x: np.ndarray,
    y: np.ndarray,
    groups: np.ndarray,
    kernel: Kernel,
    priors: Priors,
    rng: np.random.Generator,
    start: Hyperparameters,
    box: Box = DEFAULT.box,
    *,
    n_samples: int = N_SAMPLES,
    burn_in: int = BURN_IN,
    thinning: int = THINNING,
    step_out: bool = True,
) -> list[Hyperparameters]:
    """Samples of the hyperparameters' posterior, ten by default, by slice sampling of their logarithms.

    The priors are densities of the values, so the density of the logarithms has a Jacobian: the sum of the logarithms.
    The mean is not sampled: it takes its most probable value for each sample.

    Parameters
    ----------
    x, y, groups, kernel, priors
        As for `most_probable`.
    rng
        Of the sampler.
    start
        Start of the chain.
    box
        Lowest and highest values.
    n_samples, burn_in, thinning, step_out
        As for `slice_samples`.

    Returns
    -------
    list of Hyperparameters
        `n_samples` of them, of one chain.
    """
    density = LogPosterior(x, y, groups, kernel, priors)
    limits = _limits(int(groups.max()) + 1, box)

    def log_density(theta: np.ndarray) -> float:
        return density.value(theta) + float(theta.sum())

    chain = sample_within(log_density, _pack(start), limits, rng, n_samples, burn_in, thinning, step_out)
    return [_unpack(theta) for theta in chain]


def _starts(limits: np.ndarray, start: Hyperparameters | None, n: int, rng: Any) -> Iterator[np.ndarray]:
    n_groups = len(limits) - 2
    first = Hyperparameters(np.full(n_groups, FIRST[0]), FIRST[1], FIRST[2]) if start is None else start
    yield _pack(first)
    low, high = np.log(RANDOM).T
    low, high = np.repeat(low, [n_groups, 1, 1]), np.repeat(high, [n_groups, 1, 1])
    for _ in range(n - 1):
        yield rng.uniform(low, high)


def _limits(n_groups: int, box: Box) -> np.ndarray:
    """(n_groups + 2, 2) lowest and highest logarithms."""
    return np.log([box.lengthscale] * n_groups + [box.scale, box.noise])


def _pack(values: Hyperparameters) -> np.ndarray:
    return np.log(np.concatenate([values.lengthscales, [values.scale, values.noise]]))


def _unpack(theta: np.ndarray) -> Hyperparameters:
    return Hyperparameters(np.exp(theta[:-2]), float(np.exp(theta[-2])), float(np.exp(theta[-1])))
