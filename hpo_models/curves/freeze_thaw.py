"""The Gaussian process of freeze-thaw Bayesian optimization (Swersky et al., 2014), over several learning curves.

    f(x)        asymptote of configuration x, a process with mean m and kernel k_x (Matern-5/2)
    y_n         (T_n,) losses of curve n, given f(x_n) normal with mean f(x_n) and covariance K_n = K_tn + noise I
    k_t         scale beta^alpha / (t + t' + beta)^alpha, see `hpo_models.curves.decay_gp`

Given the asymptotes the curves are independent, so one number and one precision per curve summarize all T_1 + ... + T_N
losses:

    Lambda      diagonal, 1^T K_n^-1 1              gamma   1^T K_n^-1 (y_n - m)
    f | y       N(m + C gamma, C), C = (K_x^-1 + Lambda)^-1 = K_x - K_x (K_x + Lambda^-1)^-1 K_x
    f(x*) | y   the same process after "observations" m + gamma / Lambda with noise 1 / Lambda
    y_n(t*)     mean K_*n K_n^-1 y_n + Omega E[f], covariance K** - K_*n K_n^-1 K_n* + Omega C_nn Omega^T,
                Omega = 1 - K_*n K_n^-1 1

which costs N^3 + sum T_n^3; curves of one length share their Cholesky factor. It is the exact process of all losses
with covariance k_x(x, x') + [same curve] (k_t(t, t') + [same time] noise), as a test shows. Times are shares of the
full budget. All lengthscales of k_x are equal.

Departure from the paper: the hyperparameters are the most probable ones under wide log-normal priors; Swersky et al.
slice-sample them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from hpo_core.errors import InvalidOption
from hpo_core.single_thread import single_threaded
from hpo_models.curves.decay_gp import decay_kernel
from hpo_models.gp.kernels import matern52, squared_distances

JITTER = 1e-8  # of a covariance's diagonal, relative to it


class CurveHyperparameters(NamedTuple):
    """alpha, beta and variance of k_t, variance of the noise, mean, variance and lengthscale of the asymptotes."""

    alpha: float = 1.0
    beta: float = 0.3
    curve_scale: float = 1.0
    noise: float = 0.01
    mean: float = 0.0
    asymptote_scale: float = 1.0
    lengthscale: float = 1.0


PRIOR_STD = np.array([1.0, 1.5, 1.5, 2.0, 1.0, 1.0, 1.0])  # around the defaults: of logarithms, but of the mean itself


class Curve(NamedTuple):
    """Losses (T,) of one configuration at times (T,), shares of the full budget."""

    t: np.ndarray
    losses: np.ndarray


class Summary(NamedTuple):
    """Information of the curves about their asymptotes: Lambda (N,), gamma (N,), and the log density at f = m."""

    precision: np.ndarray
    pull: np.ndarray
    log_density: float


@dataclass(frozen=True)
class FreezeThaw:
    """The process after the curves of configurations x (N, D), N >= 1."""

    x: np.ndarray
    curves: tuple[Curve, ...]
    hyperparameters: CurveHyperparameters

    @single_threaded
    def __post_init__(self) -> None:
        if len(self.curves) != len(self.x) or not self.curves:
            raise InvalidOption(f"there must be one curve per configuration, got {len(self.curves)} and {len(self.x)}")
        for curve in self.curves:
            if curve.t.shape != curve.losses.shape or not len(curve.t) or not np.isfinite(curve.losses).all():
                raise InvalidOption(f"a curve needs as many finite losses as times, at least one; got {curve!r}")

    @single_threaded
    def asymptotes(self, x: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Means (M,) and covariance (M, M) of f at configurations (M, D), those of the curves unless given."""
        cross = self._configs(self.x, self.x if x is None else x)
        prior = self._configs(self.x, self.x) if x is None else self._configs(x, x)
        summary = self._summary()
        factor = np.linalg.cholesky(self._configs(self.x, self.x) + np.diag(1.0 / summary.precision))
        whitened = solve_triangular(factor, cross, lower=True)
        targets = solve_triangular(factor, summary.pull / summary.precision, lower=True)
        return self.hyperparameters.mean + whitened.T @ targets, prior - whitened.T @ whitened

    @single_threaded
    def curve(self, n: int, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means (k,) and covariance (k, k) of curve n, without noise, at times (k,)."""
        means, covariance = self.asymptotes()
        known, losses = self.curves[n]
        factor = self._factor(known)
        cross = self._times(known, t)
        solved = cho_solve((factor, True), cross)
        omega = 1.0 - solved.sum(axis=0)
        inner = self._times(t, t) - cross.T @ solved + covariance[n, n] * np.outer(omega, omega)
        return solved.T @ losses + omega * means[n], inner

    @single_threaded
    def new_curve(self, x: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means (k,) and covariance (k, k) at times (k,) of the curve of a configuration (D,) without observations."""
        means, covariance = self.asymptotes(x[None])
        return np.full(len(t), means[0]), self._times(t, t) + covariance[0, 0]

    @single_threaded
    def log_likelihood(self) -> float:
        """Logarithm of the density of all losses."""
        summary = self._summary()
        prior = self._configs(self.x, self.x)
        factor = np.linalg.cholesky(prior + np.diag(1.0 / summary.precision))
        targets = summary.pull / summary.precision
        white = solve_triangular(factor, targets, lower=True)
        # density of the curves at f = m, times an integral over f, which has the factors below
        gained = 0.5 * (summary.pull @ targets) - 0.5 * white @ white
        gained -= np.log(np.diag(factor)).sum() + 0.5 * np.log(summary.precision).sum()
        return summary.log_density + float(gained)

    def _summary(self) -> Summary:
        precision, pull, total = np.empty(len(self.curves)), np.empty(len(self.curves)), 0.0
        factors: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
        for n, (t, losses) in enumerate(self.curves):
            key = t.tobytes()
            if key not in factors:
                factor = self._factor(t)
                factors[key] = factor, solve_triangular(factor, np.ones(len(t)), lower=True)
            factor, ones = factors[key]
            white = solve_triangular(factor, losses - self.hyperparameters.mean, lower=True)
            precision[n], pull[n] = ones @ ones, ones @ white
            total -= 0.5 * white @ white + np.log(np.diag(factor)).sum() + 0.5 * len(t) * np.log(2 * np.pi)
        return Summary(precision, pull, float(total))

    def _factor(self, t: np.ndarray) -> np.ndarray:
        covariance = self._times(t, t)
        diagonal = self.hyperparameters.noise + JITTER * self.hyperparameters.curve_scale
        covariance[np.diag_indices_from(covariance)] += diagonal
        return np.linalg.cholesky(covariance)

    def _times(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        alpha, beta, scale = self.hyperparameters[:3]
        return scale * decay_kernel(first, second, alpha, beta)

    def _configs(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        lengthscale = self.hyperparameters.lengthscale
        distances = squared_distances(first / lengthscale, second / lengthscale)
        return self.hyperparameters.asymptote_scale * matern52(distances)[0]


@single_threaded
def fit_freeze_thaw(x: np.ndarray, curves: Sequence[Curve], max_steps: int = 60) -> FreezeThaw:
    """The process with the most probable hyperparameters, for losses of about zero mean and unit variance."""
    from scipy.optimize import minimize

    x, curves = np.asarray(x, dtype=float), tuple(curves)
    centre = _pack(CurveHyperparameters())

    def loss(theta: np.ndarray) -> float:
        try:
            value = FreezeThaw(x, curves, _unpack(theta)).log_likelihood()
        except np.linalg.LinAlgError:
            return 1e10
        return -value + 0.5 * float((((theta - centre) / PRIOR_STD) ** 2).sum())

    bounds = list(zip(centre - 4 * PRIOR_STD, centre + 4 * PRIOR_STD, strict=True))
    found = minimize(loss, centre, method="L-BFGS-B", bounds=bounds, options={"maxiter": max_steps})
    return FreezeThaw(x, curves, _unpack(found.x))


def _pack(values: CurveHyperparameters) -> np.ndarray:
    theta = np.log(np.array(values._replace(mean=1.0)))
    theta[4] = values.mean
    return theta


def _unpack(theta: np.ndarray) -> CurveHyperparameters:
    values = np.exp(theta)
    values[4] = theta[4]
    return CurveHyperparameters(*values.tolist())
