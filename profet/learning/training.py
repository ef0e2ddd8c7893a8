"""Training of a meta-model: encoder, then Bayesian neural networks for loss and cost (Klein, 2020, section 8.2.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np

from hpo_core.single_thread import single_threaded
from hpo_core.space import Config, Space
from hpo_models.networks.chains import Progress
from profet.learning.emulation import emulate
from profet.learning.encoder import encode
from profet.meta_data import MetaData
from profet.meta_model import MetaModel
from profet.settings import FAST, Settings
from profet.target import Target


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
    loss = emulate(data, values, target, encoding, settings, settings.n_draws, loss_seed, tell)
    cost = None
    if data.costs is not None:
        of_cost = Target.of(data.costs, log=True)
        costs = of_cost.standardise(data.costs)[:, :, None]
        cost = emulate(data, costs, of_cost, encoding, settings, settings.n_cost_draws, cost_seed, tell)
    budgets = data.budgets if len(data.budgets) == 1 else range(int(data.budgets[0]), int(data.budgets[-1]) + 1)
    provenance = {**data.provenance, "seed": seed, "settings": asdict(settings)}
    return MetaModel(data.family, data.space, encoding, loss, cost, budgets, data.tasks, provenance)
