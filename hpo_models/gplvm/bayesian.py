"""Bayesian Gaussian process latent variable model (Titsias and Lawrence, 2010): tasks as positions in a latent space.

    Y       (T, D) one row per task, of zero mean over all       G = Y Y^T
    h_t     (Q,) the latent position of task t, prior N(0, I), posterior q(h_t) = N(m_t, diag S_t)
    g       y_td = g_d(h_t) + noise of variance 1 / beta, every g_d ~ GP(0, k)
    Z       (M, Q) inducing points;    K = k(Z, Z),   psi0, psi1, psi2 as in `hpo_models.gplvm.statistics`
    A       K + beta psi2;    P = psi1^T G psi1

Collapsed bound on log p(Y) (their eq. 21, over all D outputs at once, so that a fit does not depend on D):

    F = D/2 (T log(beta / 2 pi) + log|K| - log|A|) - beta/2 tr G + beta^2/2 tr(A^-1 P)
        - beta D/2 (psi0 - tr(K^-1 psi2)) - sum_t KL(q(h_t) || N(0, I))

Departures from the paper: Klein (2020, section 8.2.2 and E.6) uses GPy's model with a Matern-5/2 kernel, whose
statistics GPy computes wrongly for more than one latent dimension; here they are quasi-Monte-Carlo means. The columns
of Y are not centred one by one: that would remove what all tasks have in common, and with few tasks no kernel that
falls with the distance would explain the rest better than noise.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from hpo_core.errors import HpoError, InvalidOption, nearest
from hpo_core.single_thread import single_threaded
from hpo_models.gplvm.statistics import (
    ClosedForm,
    Latent,
    Psi,
    QuasiMonteCarlo,
    Statistics,
    covariance,
    covariance_gradients,
)

Limits = tuple[float | None, float | None]
JITTER = 1e-6  # on the diagonal of K, in units of the kernel's variance
KERNELS = ("matern52", "rbf")
START_NOISE = 0.01  # share of noise in the variance at the start of a fit
LOG_BOUNDS: Limits = (-12.0, 12.0)  # of the logarithms of all positive parameters
OUT_OF_REACH = 1e4  # negative bound per output, in nats, where it cannot be computed


class InvalidTasks(HpoError, ValueError):
    """Tasks that no latent space can be learned from."""


class Parameters(NamedTuple):
    """All that the bound depends on: the latent positions, the kernel and the precision beta of the noise."""

    latent: Latent
    precision: float


class GPLVM(NamedTuple):
    """A fitted model: q(h_t) = N(means[t], diag variances[t]), the kernel's lengthscales and the bound in nats."""

    means: np.ndarray
    variances: np.ndarray
    scales: np.ndarray
    noise_variance: float
    bound: float
    parameters: Parameters


class Factors(NamedTuple):
    """root = L^-1 with K = L L^T;  c = L^-1 psi2 L^-T;  E with I + beta c = E E^T;  w = E^-1 L^-1, so A^-1 = w^T w."""

    root: np.ndarray
    c: np.ndarray
    e: np.ndarray
    w: np.ndarray


def _factors(parameters: Parameters, psi2: np.ndarray, statistics: Statistics) -> Factors:
    """Everything through L: A itself is too ill-conditioned where inducing points lie close together."""
    latent, beta = parameters
    k = covariance(statistics.kernel, latent.inducing, latent.inducing, latent.variance, latent.scales)
    k[np.diag_indices_from(k)] += JITTER * latent.variance
    lower = np.linalg.cholesky(k)
    root = solve_triangular(lower, np.eye(len(k)), lower=True)
    c = root @ psi2 @ root.T
    e = np.linalg.cholesky(np.eye(len(k)) + beta * c)
    return Factors(root, c, e, solve_triangular(e, root, lower=True))


def bound(parameters: Parameters, gram: np.ndarray, n_outputs: int, statistics: Statistics) -> tuple[float, Parameters]:
    """Lower bound on the logarithm of the evidence, in nats, and its gradient.

    Parameters
    ----------
    parameters
        Where the bound is evaluated.
    gram
        (T, T) G, the inner products of the tasks' values.
    n_outputs
        D, the number of values per task.
    statistics
        Of the kernel.

    Returns
    -------
    tuple of float and Parameters
        The bound, and its derivatives with respect to the parameters.
    """
    latent, beta = parameters
    n_tasks, total = len(gram), float(np.trace(gram))
    psi1, psi2 = statistics(latent)
    factors = _factors(parameters, psi2, statistics)
    g_psi1 = gram @ psi1
    p = factors.w @ psi1.T @ g_psi1 @ factors.w.T
    explained = float(np.trace(p))
    unexplained = n_tasks * latent.variance - float(np.trace(factors.c))
    determinant = 2.0 * float(np.sum(np.log(np.diag(factors.e))))
    value = 0.5 * n_outputs * (n_tasks * math.log(beta / (2.0 * math.pi)) - determinant - beta * unexplained)
    value += 0.5 * beta * (beta * explained - total) - divergence(latent)

    a_inverse = factors.w.T @ factors.w
    d_a = -0.5 * (n_outputs * a_inverse + beta**2 * factors.w.T @ p @ factors.w)
    d_psi2 = beta * (d_a + 0.5 * n_outputs * factors.root.T @ factors.root)
    d_k = d_a + 0.5 * n_outputs * factors.root.T @ (np.eye(len(p)) - beta * factors.c) @ factors.root
    d_beta = 0.5 * (n_outputs * (n_tasks / beta - unexplained) - total) + beta * explained + float(np.sum(d_a * psi2))
    through = statistics.gradients(latent, Psi(beta**2 * g_psi1 @ a_inverse, d_psi2))
    gradient = _add_prior_terms(latent, through, d_k, statistics)
    gradient = gradient._replace(variance=gradient.variance - 0.5 * beta * n_outputs * n_tasks)
    return float(value), Parameters(gradient, d_beta)


def _add_prior_terms(latent: Latent, through: Latent, d_k: np.ndarray, statistics: Statistics) -> Latent:
    """The gradient through psi1 and psi2, plus those through K and through the divergence."""
    d_left, d_right, d_variance, d_scales = covariance_gradients(
        statistics.kernel, latent.inducing, latent.inducing, latent.variance, latent.scales, d_k
    )
    return Latent(
        means=through.means - latent.means,
        variances=through.variances - 0.5 * (1.0 - 1.0 / latent.variances),
        inducing=through.inducing + d_left + d_right,
        variance=through.variance + d_variance + JITTER * float(np.trace(d_k)),
        scales=through.scales + d_scales,
    )


def divergence(latent: Latent) -> float:
    """sum_t KL(q(h_t) || N(0, I)) in nats."""
    return 0.5 * float(np.sum(latent.means**2 + latent.variances - np.log(latent.variances) - 1.0))


@single_threaded
def fit_gplvm(
    y: np.ndarray,
    n_dimensions: int = 5,
    *,
    kernel: str = "matern52",
    seed: int,
    n_inducing: int | None = None,
    n_restarts: int = 3,
    n_points: int = 64,
    n_iterations: int = 400,
) -> GPLVM:
    """The model with latent positions of tasks, from their values at the same configurations.

    Parameters
    ----------
    y
        (T, D) values, one row per task, one column per configuration.
    n_dimensions
        Q, the number of latent dimensions.
    kernel
        `matern52`, as in Klein (2020), with statistics from quasi-random points; or `rbf`, in closed form.
    seed
        Of the starts, of the inducing points and of the quasi-random points.
    n_inducing
        At most 25 by default, and never more than the number of tasks.
    n_restarts
        Number of fits; the first starts at the principal components, the others near them. The best bound wins.
    n_points
        Number of quasi-random points, a power of two.
    n_iterations
        Iterations of L-BFGS in a fit, at most.

    Returns
    -------
    GPLVM
        Its positions, lengthscales, noise and bound.
    """
    y = check_tasks(y, n_dimensions)
    if kernel not in KERNELS:
        raise InvalidOption(f"no kernel {kernel!r} for a latent space{nearest(kernel, KERNELS)}")
    if n_restarts < 1 or n_points < 1:
        raise InvalidOption(f"a fit needs n_restarts >= 1 and n_points >= 1, got {n_restarts} and {n_points}")
    rng = np.random.default_rng(seed)
    statistics: Statistics = ClosedForm() if kernel == "rbf" else QuasiMonteCarlo(n_dimensions, n_points, rng)
    n_inducing = min(n_inducing or 25, len(y))
    scale = float(y.std())
    scaled = y / scale
    gram = scaled @ scaled.T
    starts = [_start(scaled, n_dimensions, n_inducing, rng, shake) for shake in [0.0] + [0.5] * (n_restarts - 1)]
    fits = [_climb(start, gram, y.shape[1], statistics, n_iterations) for start in starts]
    value, (latent, beta) = max(fits, key=lambda found: found[0])
    value -= y.size * math.log(scale)  # the density of y is that of y / scale, divided by scale in each dimension
    parameters = Parameters(latent, beta)
    return GPLVM(latent.means, latent.variances, latent.scales, scale**2 / beta, value, parameters)


def check_tasks(y: np.ndarray, n_dimensions: int) -> np.ndarray:
    """`y` as floats of zero mean; raises `InvalidTasks` where nothing can be learned from it."""
    y = np.asarray(y, dtype=float)
    if y.ndim != 2 or not np.isfinite(y).all():
        raise InvalidTasks(f"tasks are a (tasks, configurations) array of finite numbers, got shape {y.shape}")
    if len(y) < 2:
        raise InvalidTasks(f"a latent space needs at least two tasks, got {len(y)}")
    if not 1 <= n_dimensions <= len(y):
        raise InvalidTasks(
            f"latent dimensions must be 1..{len(y)}, the number of tasks, got {n_dimensions}; ask for fewer"
        )
    if np.ptp(y, axis=0).max() <= 1e-12 * max(1.0, float(np.abs(y).max())):
        raise InvalidTasks("tasks must differ at some configuration; all of these are equal")
    return y - y.mean()


def _start(y: np.ndarray, n_dimensions: int, n_inducing: int, rng: np.random.Generator, shake: float) -> Parameters:
    """Principal components of the centred columns at variance one, lengthscales longer for weaker ones, and noise."""
    left, sizes, _ = np.linalg.svd(y - y.mean(axis=0), full_matrices=False)
    means = left[:, :n_dimensions] * math.sqrt(len(y)) + shake * rng.standard_normal((len(y), n_dimensions))
    scales = np.clip(np.sqrt(sizes[0] / np.maximum(sizes[:n_dimensions], 1e-3 * sizes[0])), 1.0, 5.0)
    chosen = rng.permutation(len(y))[:n_inducing]
    inducing = means[chosen] + 0.01 * rng.standard_normal((n_inducing, n_dimensions))
    latent = Latent(means, np.full_like(means, 0.1), inducing, 1.0, scales)
    return Parameters(latent, 1.0 / START_NOISE)


def _climb(
    start: Parameters, gram: np.ndarray, n_outputs: int, statistics: Statistics, n_iterations: int
) -> tuple[float, Parameters]:
    """Highest bound that L-BFGS finds from `start`, and its parameters; positive ones are searched as logarithms.

    The noise is fixed for the first quarter of the iterations: otherwise a fit may explain everything as noise.
    """
    shapes = Shapes(start.latent.means.shape, start.latent.inducing.shape)

    def negative(flat: np.ndarray) -> tuple[float, np.ndarray]:
        parameters = shapes.unpack(flat)
        try:
            value, gradient = bound(parameters, gram, n_outputs, statistics)
        except np.linalg.LinAlgError:  # a step too far; the line search takes a shorter one
            return OUT_OF_REACH, np.zeros_like(flat)
        return -value / n_outputs, -shapes.chain(parameters, gradient) / n_outputs

    flat = shapes.pack(start)
    for share, free in ((0.25, False), (0.75, True)):
        limit = max(1, round(share * n_iterations))
        options = {"maxiter": limit, "maxfun": 2 * limit}
        bounds = shapes.bounds(None if free else flat)
        flat = minimize(negative, flat, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    return bound(shapes.unpack(flat), gram, n_outputs, statistics)[0], shapes.unpack(flat)


class Shapes(NamedTuple):
    """Layout of the parameters in one vector: means, inducing points, then logarithms of all that is positive."""

    means: tuple[int, ...]
    inducing: tuple[int, ...]

    @property
    def n_free(self) -> int:
        return math.prod(self.means) + math.prod(self.inducing)

    def bounds(self, held: np.ndarray | None = None) -> list[Limits]:
        """Limits of each number; the precision of the noise is fixed to that of `held`, if given."""
        n_positive = math.prod(self.means) + 1 + self.means[1]
        last: Limits = LOG_BOUNDS if held is None else (float(held[-1]), float(held[-1]))
        none: Limits = (None, None)
        return [*[none] * self.n_free, *[LOG_BOUNDS] * n_positive, last]

    def pack(self, parameters: Parameters) -> np.ndarray:
        latent, beta = parameters
        positive = np.concatenate([latent.variances.ravel(), [latent.variance], latent.scales, [beta]])
        return np.concatenate([latent.means.ravel(), latent.inducing.ravel(), np.log(positive)])

    def unpack(self, flat: np.ndarray) -> Parameters:
        n_means = math.prod(self.means)
        positive = np.exp(flat[self.n_free :])
        latent = Latent(
            means=flat[:n_means].reshape(self.means),
            variances=positive[:n_means].reshape(self.means),
            inducing=flat[n_means : self.n_free].reshape(self.inducing),
            variance=float(positive[n_means]),
            scales=positive[n_means + 1 : -1],
        )
        return Parameters(latent, float(positive[-1]))

    def chain(self, parameters: Parameters, gradient: Parameters) -> np.ndarray:
        """Gradient with respect to the vector, from that with respect to the parameters."""
        (latent, beta), (d_latent, d_beta) = parameters, gradient
        positive = [
            (latent.variances * d_latent.variances).ravel(),
            [latent.variance * d_latent.variance],
            latent.scales * d_latent.scales,
            [beta * d_beta],
        ]
        return np.concatenate([d_latent.means.ravel(), d_latent.inducing.ravel(), *positive])
