"""The encoder: latent positions of the tasks, q(h_t) = N(m_t, diag S_t) (Klein, 2020, section 8.2.2)."""

from __future__ import annotations

import numpy as np

from hpo_core.errors import MissingExtra
from hpo_models.gplvm.bayesian import check_tasks, fit_gplvm
from profet.meta_model import Encoding
from profet.settings import Settings

Fitted = tuple[np.ndarray, np.ndarray, np.ndarray]  # means, variances, lengthscales
DEFAULT_DIMENSIONS = 5  # appendix E.6
COLLAPSED = 0.1  # std of the means, where the prior expects 1, below which tasks are not distinguished
COMPONENT_STD = 0.05  # of q(h_t) at principal components, as in a typical fit
WEAK = 0.01  # std over tasks, in lengthscales and relative to the largest, below which a dimension is ignored


def encode(values: np.ndarray, settings: Settings, seed: int) -> Encoding:
    """Latent positions of tasks with the given standardised values (T, N).

    With few tasks the evidence may favour a model in which all have the same position and differ by noise. A network
    could then not distinguish them, so their principal components are used instead.
    """
    n_latent = min(DEFAULT_DIMENSIONS, len(values)) if settings.n_latent is None else settings.n_latent
    check_tasks(values, n_latent)
    if settings.encoder == "gpy":
        means, variances, scales = _encode_by_gpy(values, n_latent, seed)
    else:
        model = fit_gplvm(values, n_latent, kernel=settings.kernel, seed=seed)
        means, variances, scales = model.means, model.variances, model.scales
    if means.std(axis=0).max() < COLLAPSED:
        means, variances, scales = _principal_components(values, n_latent)
    stds = means.std(axis=0) / scales
    weights = np.where(stds > WEAK * stds.max(), 1.0 / (scales * stds.max()), 0.0)
    return Encoding(means, variances, weights)


def _principal_components(values: np.ndarray, n_latent: int) -> Fitted:
    left, sizes, _ = np.linalg.svd(values - values.mean(axis=0), full_matrices=False)
    means = left[:, :n_latent] * np.sqrt(len(values)) * (sizes[:n_latent] > 1e-6 * sizes[0])
    return means, np.full_like(means, COMPONENT_STD**2), sizes[0] / np.maximum(sizes[:n_latent], 1e-6 * sizes[0])


def _encode_by_gpy(values: np.ndarray, n_latent: int, seed: int) -> Fitted:
    """GPy's model with its squared exponential kernel; its Matern statistics are wrong beyond one dimension."""
    try:
        import GPy
    except ImportError:
        raise MissingExtra("GPy", "profet") from None
    y = check_tasks(values, n_latent)
    left, _, _ = np.linalg.svd(y, full_matrices=False)
    rng = np.random.default_rng(seed)
    means = left[:, :n_latent] * np.sqrt(len(y)) + 0.01 * rng.standard_normal((len(y), n_latent))
    model = GPy.models.BayesianGPLVM(
        y,
        n_latent,
        X=means,
        X_variance=np.full_like(means, 0.1),
        Z=means.copy(),
        num_inducing=len(means),
        kernel=GPy.kern.RBF(n_latent, ARD=True),
    )
    model.likelihood.variance = 0.01 * y.var()
    model.optimize(max_iters=1000)
    return np.array(model.X.mean.values), np.array(model.X.variance.values), np.array(model.kern.lengthscale.values)
