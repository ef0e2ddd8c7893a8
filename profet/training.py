"""Training of a meta-model: encoder, then Bayesian neural networks for loss and cost (Klein, 2020, section 8.2.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np

from hpo_core.single_thread import single_threaded
from hpo_core.space import Config, Space
from hpo_models.networks.bnn import Regression, sample_posterior
from hpo_models.networks.chains import Progress
from hpo_models.networks.tanh_network import TanhNetwork
from profet.encoder import encode
from profet.inputs import Inputs
from profet.meta_data import MetaData
from profet.meta_model import Emulator, Encoding, MetaModel
from profet.settings import FAST, Settings
from profet.target import Target

LEAST_LOG_NOISE = -9.0  # a hundredth of the targets' standard deviation: costs that were modelled have no noise


def from_arrays(
    X: np.ndarray | Sequence[Config],
    Y: np.ndarray,
    space: Space,
    cost: np.ndarray | None = None,
    *,
    name: str = "own",
    loss_range: tuple[float, float] = (-math.inf, math.inf),
    seed: int = 0,
    settings: Settings = FAST,
) -> MetaModel:
    """Meta-model of your own data.

    Parameters
    ----------
    X
        N configurations, or their codes (N, d) as `space.encode` gives them.
    Y
        (T, N) losses of these configurations on T tasks.
    space
        Of the configurations.
    cost
        (T, N) costs of the evaluations, in seconds.
    name
        Of the model: its tasks are `profet-NAME/0`, `profet-NAME/1`...
    loss_range
        Lowest and highest possible loss, which sampled tasks respect: (0, 1) for errors of classifiers.
    seed
        Of the training.
    settings
        Of the training.

    Returns
    -------
    MetaModel
        To `sample` tasks from, or to `save`.
    """
    codes = X if isinstance(X, np.ndarray) else space.encode(X)
    return train_on(MetaData(name, space, codes, Y, cost, loss_range=loss_range), seed, settings=settings)


@single_threaded
def train_on(
    data: MetaData, seed: int, *, settings: Settings = FAST, progress: Callable[[int], Progress] | None = None
) -> MetaModel:
    """Meta-model of the tasks in `data`.

    Parameters
    ----------
    data
        Losses, and perhaps costs, of the same configurations on several tasks.
    seed
        Of the encoder and of the networks.
    settings
        Of the encoder and of the networks.
    progress
        Called once with the total number of steps; returns a function that is called with numbers of finished steps.

    Returns
    -------
    MetaModel
        To `sample` tasks from, or to `save`.
    """
    loss_seed, cost_seed, encoder_seed = (int(s.generate_state(1)[0]) for s in np.random.SeedSequence(seed).spawn(3))
    target = Target.of(data.losses, *data.loss_range, log=data.log_loss)
    values = target.standardise(data.losses)
    encoding = encode(values.reshape(len(values), -1), settings, encoder_seed)
    n_steps = settings.n_steps(settings.n_draws)
    n_steps += 0 if data.costs is None else settings.n_steps(settings.n_cost_draws)
    tell = None if progress is None else progress(n_steps)
    loss = _emulate(data, values, target, encoding, settings, settings.n_draws, loss_seed, tell)
    cost = None
    if data.costs is not None:
        of_cost = Target.of(data.costs, log=True)
        costs = of_cost.standardise(data.costs)[:, :, None]
        cost = _emulate(data, costs, of_cost, encoding, settings, settings.n_cost_draws, cost_seed, tell)
    budgets = data.budgets if len(data.budgets) == 1 else range(int(data.budgets[0]), int(data.budgets[-1]) + 1)
    provenance = {**data.provenance, "seed": seed, "settings": asdict(settings)}
    return MetaModel(data.family, data.space, encoding, loss, cost, budgets, data.tasks, provenance)


def _emulate(
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
    model = Regression(
        TanhNetwork((observations.width, *settings.units, 1)),
        observations,
        values.ravel().astype(np.float32),
        settings.prior,
        batch_size=settings.batch_size,
        n_draws=settings.n_latent_draws,
        least_log_noise=LEAST_LOG_NOISE,
    )
    posterior = sample_posterior(
        model,
        seed,
        n_chains=settings.n_chains,
        n_draws=n_draws,
        n_between=settings.n_between,
        n_burn_in=settings.n_burn_in,
        step=settings.step,
        warm_start=settings.warm_start,
        progress=progress,
    )
    return Emulator(posterior.network, posterior.draws[:n_draws], target)


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
