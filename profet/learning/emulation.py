"""Training of one network of a meta-model: from configurations and latent vectors to losses, or to costs."""

from __future__ import annotations

import numpy as np

from hpo_core.single_thread import single_thread
from hpo_models.networks.adam import adam_in_place
from hpo_models.networks.bnn import LOG_NOISE_RANGE, Diverged, Regression
from hpo_models.networks.chains import Progress, at_rest
from hpo_models.networks.quick_regression import QuickRegression
from hpo_models.networks.tanh_network import TanhNetwork
from hpo_models.networks.weak_steps import weak_draws
from profet.inputs import Inputs
from profet.meta_data import MetaData
from profet.meta_model import Emulator, Encoding
from profet.settings import Settings
from profet.target import Target

LEAST_LOG_NOISE = -9.0  # a hundredth of the targets' standard deviation: costs that were modelled have no noise


def emulate(
    data: MetaData,
    values: np.ndarray,
    target: Target,
    encoding: Encoding,
    settings: Settings,
    n_draws: int,
    seed: int,
    progress: Progress | None,
) -> Emulator:
    """Draws of a network from configurations and latent vectors to standardised values (T, N, B)."""
    observations = StackedObservations(data, encoding, n_budgets=values.shape[2])
    network = TanhNetwork((observations.width, *settings.units, 1))
    model = Regression(
        network,
        observations,
        values.ravel().astype(np.float32),
        settings.prior,
        batch_size=settings.batch_size,
        n_draws=settings.n_latent_draws,
        least_log_noise=LEAST_LOG_NOISE,
    )
    draws = _draws(QuickRegression(model, settings.n_chains), settings, n_draws, seed, progress)
    if not (np.isfinite(draws).all() and (draws[..., -1] < LOG_NOISE_RANGE[1]).all()):
        raise Diverged(f"a chain diverged at step length {settings.step:g}; try one of {settings.step / 3:.1g}")
    return Emulator(network, draws.reshape(-1, draws.shape[-1])[:n_draws], target)


def _draws(
    model: QuickRegression, settings: Settings, n_draws: int, seed: int, progress: Progress | None
) -> np.ndarray:
    """(K, C, P + 1) float32 draws of the chains, which start where Adam ends; K C >= n_draws."""
    first, second, third = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3))
    with single_thread, np.errstate(over="ignore", invalid="ignore"):
        theta = model.start(settings.n_chains, first)
        if settings.warm_start is not None:
            theta = adam_in_place(model.gradient, theta, second, settings.warm_start)
            if progress is not None:
                progress(settings.warm_start.n_steps)
        state = at_rest(model.gradient, theta, third, model.prior_precision)
        n_each = -(-n_draws // settings.n_chains)
        return weak_draws(
            model, state, third, settings.n_burn_in, n_each, settings.n_between, settings.step, progress
        ).theta


class StackedObservations:
    """Inputs of observations by index into a flattened (T, N, B): configuration, budget if any, and a draw of h_t."""

    def __init__(self, data: MetaData, encoding: Encoding, n_budgets: int):
        inputs = Inputs(data.space, data.budgets)
        features = inputs.at_budgets(data.codes, data.budgets) if n_budgets > 1 else inputs(data.codes)
        self._features = features.reshape(-1, features.shape[-1]).astype(np.float32)
        self._means = (encoding.means * encoding.weights).astype(np.float32)
        self._stds = (np.sqrt(encoding.variances) * encoding.weights).astype(np.float32)
        self.width = self._features.shape[1] + self._means.shape[1]

    def __call__(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(C, B, width) float32 inputs of the observations `rows` (C, B), with new draws of the latent vectors."""
        tasks, indices = np.divmod(rows, len(self._features))
        x = np.empty((*rows.shape, self.width), dtype=np.float32)
        n_latent = self._means.shape[1]
        latent = rng.standard_normal((*rows.shape, n_latent), dtype=np.float32)
        latent *= self._stds.take(tasks, axis=0)
        latent += self._means.take(tasks, axis=0)
        x[..., :-n_latent] = self._features.take(indices, axis=0)
        x[..., -n_latent:] = latent
        return x
