"""A Gaussian process over the epochs of one training, whose curves decay (Swersky et al., 2014; Dai et al., 2019).

    y(n) = c + g(n) + noise        validation error after epoch n
    cov(g(n), g(n')) = scale beta^alpha / (n + n' + beta)^alpha                          Dai et al., eq. 5

which is a mixture of exponentials exp(-lambda n), lambda ~ Gamma(alpha, beta). The asymptote c ~ N(mean, std^2) is
that of Swersky et al.; Dai et al. have none (mean = std = 0), so their curves all decay to 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.single_thread import single_threaded

LOG_RANGE = (-9.0, 9.0)  # of the logarithms of alpha and beta
# Of the posterior's diagonal, relative to the prior's: the first is a difference of the kernel's columns, nearly alike.
JITTER = 1e-10


def decay_kernel(first: np.ndarray, second: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    """Covariance beta^alpha / (first + second + beta)^alpha of a curve at two rows of epochs.

    Parameters
    ----------
    first, second
        (n,) and (m,) epochs.
    alpha, beta
        Shape and rate of the Gamma distribution of decay rates.

    Returns
    -------
    np.ndarray
        (n, m) covariances, 1 at epoch 0.
    """
    return (beta / (np.add.outer(first, second) + beta)) ** alpha


@dataclass(frozen=True)
class CurveModel:
    """Prior over learning curves.

    alpha, beta   shape and rate of the Gamma distribution of decay rates
    scale         variance of g at epoch 0
    mean, std     of the asymptote
    noise         standard deviation of an observation
    """

    alpha: float
    beta: float
    scale: float = 1.0
    mean: float = 0.0
    std: float = 0.0
    noise: float = 0.01

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "scale", "noise"):
            if not 0 < getattr(self, name) < np.inf:
                raise InvalidOption(f"{name} of a curve must be a positive number, got {getattr(self, name)!r}")

    def covariance(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """(n, m) prior covariance of noise-free curves at two rows of epochs."""
        return self.scale * decay_kernel(first, second, self.alpha, self.beta) + self.std**2

    @single_threaded
    def log_likelihood(self, errors: np.ndarray) -> float:
        """Logarithm of the density of errors observed after epochs 1, 2..."""
        lower, residuals = self._factor(errors)
        white = np.linalg.solve(lower, residuals)
        return float(-0.5 * white @ white - np.log(np.diag(lower)).sum() - 0.5 * len(errors) * np.log(2 * np.pi))

    def _factor(self, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        epochs = np.arange(1, len(errors) + 1.0)
        covariance = self.covariance(epochs, epochs) + self.noise**2 * np.eye(len(errors))
        return np.linalg.cholesky(covariance), np.asarray(errors, dtype=float) - self.mean

    @single_threaded
    def posterior(self, errors: np.ndarray, epochs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean (k,) and covariance (k, k) of the noise-free curve at `epochs`, after errors of epochs 1, 2..."""
        lower, residuals = self._factor(errors)
        known = np.arange(1, len(errors) + 1.0)
        cross = np.linalg.solve(lower, self.covariance(known, epochs))
        mean = self.mean + cross.T @ np.linalg.solve(lower, residuals)
        return mean, self.covariance(epochs, epochs) - cross.T @ cross

    @single_threaded
    def simulate(
        self, errors: np.ndarray, n_epochs: int, n_paths: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Continuations of a curve, drawn from the posterior.

        Parameters
        ----------
        errors
            (N0,) validation errors after epochs 1..N0.
        n_epochs
            Last epoch of the continuations.
        n_paths
            Number of continuations.
        rng
            Source of the draws.

        Returns
        -------
        tuple of np.ndarray
            Observed and noise-free errors, each (n_epochs - N0, n_paths) in float32.
        """
        epochs = np.arange(len(errors) + 1.0, n_epochs + 1)
        mean, covariance = self.posterior(errors, epochs)
        covariance[np.diag_indices_from(covariance)] += JITTER * (self.scale + self.std**2)
        lower = np.linalg.cholesky(covariance).astype(np.float32)
        free = lower @ rng.standard_normal((len(epochs), n_paths), dtype=np.float32)
        free += mean[:, None].astype(np.float32)
        noise = rng.standard_normal(free.shape, dtype=np.float32)
        noise *= np.float32(self.noise)
        noise += free
        return noise, free


@single_threaded
def likely_model(errors: np.ndarray, noise: float = math.sqrt(1e-3)) -> CurveModel:
    """Model of the code of Dai et al. (2019): alpha and beta of the highest likelihood, all else fixed.

    The text (appendix B) has a Bayesian update of alpha and beta in place of the likelihood, as if errors were draws of
    an exponential distribution: alpha + N0 and beta + their sum. That sends every curve to 0 within some epochs, a flat
    one at 0.8 too. By the likelihood a flat curve gets an alpha near 0 and stays where it is.

    Parameters
    ----------
    errors
        (N0,) validation errors so far.
    noise
        Standard deviation of an observation; the code fixes the variance at 1e-3.

    Returns
    -------
    CurveModel
        With an asymptote of 0, though far away where alpha is small, and a variance of 1 at epoch 0.
    """
    from scipy.optimize import minimize

    errors = np.asarray(errors, dtype=float)
    if not (len(errors) and np.isfinite(errors).all()):
        raise InvalidOption(f"a curve needs finite errors, got {errors!r}")

    def model(logs: np.ndarray) -> CurveModel:
        alpha, beta = np.exp(logs).tolist()
        return CurveModel(alpha, beta, noise=noise)

    bounds = [LOG_RANGE] * 2
    found = minimize(lambda logs: -model(logs).log_likelihood(errors), np.zeros(2), method="L-BFGS-B", bounds=bounds)
    return model(found.x)


@single_threaded
def fitted_model(errors: np.ndarray) -> CurveModel:
    """Model with the highest likelihood on a grid of alpha, beta and noise; scale and asymptote follow from the errors.

    An addition of this project, since curves of the real tables do not decay to 0. The asymptote is expected between 0
    and the last error (mean in the middle, two standard deviations to either end). The standard deviation of g at epoch
    1 is twice the range of the errors.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_models.curves.decay_gp import fitted_model
    >>> errors = 0.2 + 0.5 / np.arange(1, 11)
    >>> mean, covariance = fitted_model(errors).posterior(errors, np.array([20.0]))
    >>> bool(0.2 < mean[0] < errors[-1])
    True
    """
    errors = np.asarray(errors, dtype=float)
    last, height = float(errors[-1]), max(float(np.ptp(errors)), 1e-3 * abs(float(errors[0])), 1e-12)
    best, found = -np.inf, None
    for alpha in (0.5, 1.0, 2.0, 4.0):
        for beta in (1.0, 3.0, 10.0, 30.0):
            at_one = (beta / (2 + beta)) ** alpha
            for noise in (0.003, 0.01, 0.03, 0.1, 0.3):
                model = CurveModel(
                    alpha, beta, (2 * height) ** 2 / at_one, last / 2, max(abs(last) / 4, 1e-12), noise * height
                )
                likelihood = model.log_likelihood(errors)
                if likelihood > best:
                    best, found = likelihood, model
    if found is None:
        raise InvalidOption(f"a curve needs finite errors, got {errors!r}")
    return found
