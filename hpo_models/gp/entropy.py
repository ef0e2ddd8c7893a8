"""Entropy search (Hennig and Schuler, 2012; Klein, 2020, section 4.1): information about the location of the minimum.

    r      (Z,) representer points              mu, S   mean (Z,) and covariance (Z, Z) of f at the representers
    p      (Z,) p_min, the probability that r_j is the lowest of them
    c, v   covariance (Z,) of f(x) with f(r), and variance of f(x), for a candidate x

If y is observed at x with noise variance n, then with w = (y - mean of y) / sqrt(v + n), a standard normal beforehand,

    mean of f(r) becomes         mu + c w / sqrt(v + n)                algorithm 4, line 1
    covariance of f(r) becomes   S - c c' / (v + n)                    line 2

The gain is H[p] - E_w H[p after w], the mutual information of y and the location of the minimum. Eq. 4.2 has the
relative entropy to the uniform distribution, and algorithm 3 a density U of the representers; both cancel in the
difference, since E_w [p after w] = p. The difference follows algorithm 3. Eq. 4.2 as printed is the relative entropy
afterwards; divided by a cost, it would prefer cheap candidates however little information they give.

Departure from the paper: p_min is a count over draws of f(r), where Klein (2020) has expectation propagation. Draws are
updated, not drawn again: with S = C C' and h = C^-1 c / sqrt(v + n), the draw f(r) = mu + C u belongs to y = mean +
sqrt(v + n) q for q = h'u + sqrt(1 - h'h) e, and f(r) + C h (w - q) is a draw after w: it has the new mean and
covariance. So a candidate without information gains exactly nothing, and candidates are compared on the same draws.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack
from scipy.special import ndtri

from hpo_core.single_thread import single_threaded
from hpo_models.gp.factors import cholesky

N_DRAWS, N_OUTCOMES = 200, 5


def p_min(draws: np.ndarray) -> np.ndarray:
    """(Z,) share of the draws (n, Z) that are lowest at each point."""
    return np.bincount(np.argmin(draws, axis=1), minlength=draws.shape[1]) / len(draws)


def entropy(p: np.ndarray) -> np.ndarray:
    """Entropies in nats of distributions along the last axis."""
    return -np.sum(p * np.log(np.where(p > 0.0, p, 1.0)), axis=-1)


class Minimum:
    """Distribution of the location of the minimum among representers; `p` (Z,) is p_min.

    Parameters
    ----------
    mean, covariance
        (Z,) and (Z, Z), of the function at the representers.
    rng
        Source of the draws.
    n_draws, n_outcomes
        Number of draws of the function, and of values of w that a gain is averaged over.
    scale
        Variance before any observation, which rounding errors of the covariance are proportional to; None takes the
        largest variance.
    """

    def __init__(
        self,
        mean: np.ndarray,
        covariance: np.ndarray,
        rng: np.random.Generator,
        n_draws: int = N_DRAWS,
        n_outcomes: int = N_OUTCOMES,
        scale: float | None = None,
    ):
        largest = float(covariance.diagonal().max()) + 1e-300 if scale is None else scale
        self._factor = cholesky(covariance, largest)
        self._normals = rng.standard_normal((n_draws, len(mean)))
        self._own = rng.standard_normal(n_draws)
        draws = mean + self._normals @ self._factor.T
        self._outcomes = ndtri((np.arange(n_outcomes) + 0.5) / n_outcomes)
        self.p = p_min(draws)
        # float32 halves the time; its rounding changes p far less than the number of draws does
        self._draws = np.ascontiguousarray((draws - draws.min()).T[:, None, :], dtype=np.float32)

    @single_threaded
    def gains(self, cross: np.ndarray, variances: np.ndarray, noise: float) -> np.ndarray:
        """(m,) expected reductions of the entropy, in nats, by observing candidates.

        `cross` (m, Z) are their covariances with the representers, `variances` (m,) their variances.
        """
        changes = cross / np.sqrt(np.maximum(variances, 0.0) + noise)[:, None]
        known = lapack.dtrtrs(self._factor, changes.T, lower=1)[0].T  # h, (m, Z)
        rest = np.sqrt(np.maximum(1.0 - np.einsum("mz,mz->m", known, known), 0.0))
        observed = known @ self._normals.T + rest[:, None] * self._own  # (m, draws)
        surprises = (self._outcomes[:, None] - observed[:, None, :]).astype(np.float32)  # (m, outcomes, draws)
        counts = np.stack([self._counts(*each) for each in zip(changes.astype(np.float32), surprises, strict=True)])
        after = counts / counts.sum(axis=1, keepdims=True)  # (m, Z, outcomes)
        return entropy(self.p) - entropy(np.swapaxes(after, 1, 2)).mean(axis=1)

    def _counts(self, change: np.ndarray, surprises: np.ndarray) -> np.ndarray:
        """(Z, outcomes) number of draws that are lowest at each representer."""
        updated = surprises * change[:, None, None]
        updated += self._draws
        return (updated == updated.min(axis=0)).sum(axis=2)
