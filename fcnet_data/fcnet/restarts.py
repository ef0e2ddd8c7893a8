"""Training of classifiers to a tolerance: paths of networks of any depth, the best of several restarts at each epoch.

Plain gradient descent on the cross-entropy of two classes, relu units, Glorot-uniform weights, a learning rate that
falls slowly: rate / sqrt(1 + epoch / 10) in epochs 0, 1, 2... Restarts go on side by side; the path has the best of
them after each epoch. A path ends early when a restart makes no error on the training rows: the share of errors cannot
fall further.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fcnet_data.fcnet.inputs import LANES, Chunks, chunks
from hpo_core.errors import InvalidOption, MissingExtra

SLOW = 10  # epochs in which the learning rate falls to 0.7 of its initial value


@dataclass(frozen=True)
class NetworkPlan:
    """Architecture and training of a classifier: hidden layers, units in each, initial learning rate, batch size."""

    depth: int
    units: int
    learning_rate: float
    batch_size: int

    def __post_init__(self) -> None:
        for name in ("depth", "units", "batch_size"):
            if getattr(self, name) < 1:
                raise InvalidOption(f"{name} must be an integer >= 1, got {getattr(self, name)!r}")
        if not 0 < self.learning_rate < np.inf:
            raise InvalidOption(f"learning_rate must be a positive number, got {self.learning_rate!r}")


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with classes 0 and 1, in the kernel's layout too."""

    features: np.ndarray
    labels: np.ndarray
    chunks: Chunks


def rows_of(features: np.ndarray, labels: np.ndarray) -> Rows:
    """Rows to train on or to measure errors on."""
    return Rows(
        np.ascontiguousarray(features, np.float32),
        np.ascontiguousarray(labels, np.float32),
        chunks(features, labels),
    )


def training_path(
    plan: NetworkPlan,
    train: Rows,
    held_out: Rows,
    fresh: Rows,
    seed: np.random.SeedSequence,
    *,
    restarts: int = 5,
    epochs: int = 100,
    until_perfect: bool = True,
) -> np.ndarray:
    """Losses and errors of the best restart after each epoch.

    Parameters
    ----------
    plan
        Architecture and hyperparameters.
    train
        Rows to train on.
    held_out, fresh
        Rows whose errors are measured; the error on no rows is NaN.
    seed
        Of initial weights and shuffles.
    restarts
        Number of networks.
    epochs
        Largest number of passes through the rows.
    until_perfect
        Whether to end after the first epoch with a restart that makes no error on `train`.

    Returns
    -------
    ndarray (epochs trained, 2, 4)
        For the restart with the fewest errors on `train`, then for the one with the lowest loss: loss and share of
        errors on `train`, share of errors on `held_out` and on `fresh`.
    """
    try:
        import numba  # noqa: F401
    except ImportError:
        raise MissingExtra("numba", "collect") from None
    from fcnet_data.fcnet.kernel.restarts import run

    fans = np.array([train.features.shape[1], *[plan.units] * plan.depth, 2])
    layout, places = _lay_out(fans, plan.batch_size)
    rates = plan.learning_rate / np.sqrt(1 + np.arange(epochs) / SLOW)
    keys = seed.generate_state(restarts, np.uint64)
    curves = np.full((epochs, 2, 4), np.inf)
    data = (train.features, train.labels, train.chunks, held_out.chunks, fresh.chunks)
    trained = run(layout, places, fans, *data, plan.batch_size, rates, keys, curves, until_perfect)
    return curves[:trained]


def _lay_out(fans: np.ndarray, batch_size: int) -> tuple[np.ndarray, np.ndarray]:
    """Fields of each layer, and the indices of outputs, targets, scratch space and the end of memory."""
    from fcnet_data.fcnet.kernel.network import EVALUATED

    n_chunks = -(-max(EVALUATED, batch_size) // LANES)
    widths = [int(fans[0]), *(-(-int(width) // LANES) * LANES for width in fans[1:])]
    layers, end = [], 0
    for n_in, n_out in pairwise(widths):
        inputs = end + (n_in + 1) * n_out
        n_values = n_chunks * (n_in + 1) * LANES
        layers.append((n_in, n_out, end, 0, 0, inputs, inputs + n_values, inputs + 2 * n_values))
        end = inputs + 3 * n_values
    targets = end + n_chunks * (widths[-1] + 1) * LANES
    scratch = targets + n_chunks * LANES
    size = scratch + LANES * LANES + (max(widths) + 1) * LANES
    return np.array(layers), np.array([end, targets, scratch, size])
