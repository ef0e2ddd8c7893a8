"""Training of one network of a meta-model: from configurations and latent vectors to losses, or to costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hpo_models.networks.adam import WarmStart, adam_in_place
from hpo_models.networks.bnn import LOG_NOISE_RANGE, Diverged, Regression
from hpo_models.networks.chains import Progress, sample_chains
from hpo_models.networks.quick_regression import QuickRegression
from hpo_models.networks.tanh_network import TanhNetwork
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
    draws = sample_chains(
        WarmStarted(QuickRegression(model, settings.n_chains), settings.warm_start, progress),
        seed,
        n_chains=settings.n_chains,
        n_draws=n_draws,
        n_between=settings.n_between,
        n_burn_in=settings.n_burn_in,
        step=settings.step,
        warm_start=None,
        progress=progress,
    )
    if not (np.isfinite(draws).all() and (draws[..., -1] < LOG_NOISE_RANGE[1]).all()):
        raise Diverged(f"a chain diverged at step length {settings.step:g}; try one of {settings.step / 3:.1g}")
    return Emulator(network, draws.reshape(-1, draws.shape[-1])[:n_draws], target)


class WarmStarted(NamedTuple):
    """A network's potential whose chains start where Adam ends.

    Adam keeps the parameters in float32 here. `sample_chains` would sum them up in float64, and with them all products
    of the network would be float64: nearly twice as long, for a start that the chains leave at once.
    """

    regression: QuickRegression
    warm_start: WarmStart | None
    progress: Progress | None

    @property
    def prior_precision(self) -> np.ndarray:
        return self.regression.prior_precision

    def start(self, n_chains: int, rng: np.random.Generator) -> np.ndarray:
        """(C, P + 1) float32 parameters after all steps of Adam, or random ones if there are none."""
        theta = self.regression.start(n_chains, rng)
        if self.warm_start is None:
            return theta
        theta = adam_in_place(self.regression.gradient, theta, rng, self.warm_start)
        if self.progress is not None:
            self.progress(self.warm_start.n_steps)
        return theta

    def gradient(self, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self.regression.gradient(theta, rng)


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
