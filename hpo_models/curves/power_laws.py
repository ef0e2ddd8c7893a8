"""Deep power laws: networks that predict the learning curve of a configuration as a power law (Kadra et al., 2023).

    x       (n, D) configurations                    b   (n,) shares of the full budget, in (0, 1]
    y       (n,) losses, meant to be standardised    K   number of networks, 5
    theta   (K, P) parameters of networks (D, 64, 64, 3) with leaky ReLUs, whose outputs are a, b', c'

    prediction    a + beta b^-gamma,   beta = b' sigmoid(b'), gamma = c' sigmoid(c')     eq. 2; the gates: authors' code
    training      Adam on mean |prediction - y|, the newest observation in every minibatch
    ensemble      mean and standard deviation over the K networks, which begin with weights of their own     section 4.2

Departures from the authors' code, for speed: layers have 64 units, not 128. A training from scratch takes 250
minibatches and a refinement 20, where it takes as many passes over the data (the same up to one minibatch of
observations). A minibatch has 32 observations, not 64, drawn with replacement. The learning rate falls along a cosine,
from 0.005 and in a refinement from 0.001, where it is 0.001 all the time: with so many steps from 0.001 on the smaller
networks did not fit their observations, and the search was not better than random.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hpo_core.single_thread import single_threaded
from hpo_models.networks.adam import WarmStart, adam_in_place
from hpo_models.networks.aligned import aligned, aligned_copy
from hpo_models.networks.tanh_network import TanhNetwork

K = 5
UNITS = (64, 64)
SLOPE = np.float32(0.01)  # of a leaky ReLU below 0
BATCH_SIZE = 32
TRAINING, REFINEMENT = WarmStart(250, 5e-3), WarmStart(20, 1e-3)
MOST = np.float32(30.0)  # of the exponent -gamma log b: float32 ends at e^88


class Curves(NamedTuple):
    """Observations: configurations (n, D), shares of the budget (n,) and losses (n,), the newest last."""

    x: np.ndarray
    shares: np.ndarray
    losses: np.ndarray


class PowerLaws(NamedTuple):
    """An ensemble; `shape` is the layout of the parameters theta (K, P)."""

    shape: TanhNetwork
    theta: np.ndarray

    @single_threaded
    def predict(self, x: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m,) means and (m,) standard deviations over the networks, at configurations (m, D) and shares (m,)."""
        laws = outputs(self.shape, self.theta, x.astype(np.float32))[-1]
        predictions = power_law(laws, np.log(shares, dtype=np.float32))[0]
        return predictions.mean(axis=0, dtype=float), predictions.std(axis=0, dtype=float)


@single_threaded
def trained(curves: Curves, rng: np.random.Generator, before: PowerLaws | None = None) -> PowerLaws:
    """The ensemble trained from scratch, or refined from the one before.

    Parameters
    ----------
    curves
        Observations.
    rng
        Source of the first weights and of the minibatches.
    before
        An ensemble of the same inputs, which stays as it is.

    Returns
    -------
    PowerLaws
        Predicts losses.
    """
    shape = TanhNetwork((curves.x.shape[1], *UNITS, 3)) if before is None else before.shape
    if before is None:
        bounds = shape.weight_stds(1.0, 1.0)
        for (_, biases), n_in in zip(shape.layers(bounds[None]), shape.sizes, strict=False):
            biases[...] = n_in**-0.5  # uniform within 1 / sqrt(inputs), as torch begins
        theta = aligned_copy(bounds * rng.uniform(-1.0, 1.0, (K, shape.n_parameters)))
    else:
        theta = aligned_copy(before.theta)
    options = TRAINING if before is None else REFINEMENT
    return PowerLaws(
        shape, adam_in_place(CurveObjective(shape, curves, rng, options.n_steps).gradient, theta, rng, options)
    )


class CurveObjective:
    """What training minimises, on minibatches one after the other, a different one for each network."""

    def __init__(self, shape: TanhNetwork, curves: Curves, rng: np.random.Generator, n_steps: int):
        n = len(curves.losses)
        self._shape = shape
        self._rows = rng.integers(n, size=(n_steps, K, min(BATCH_SIZE, n)))
        self._rows[:, :, -1] = n - 1
        self._x = curves.x.astype(np.float32)
        self._log_shares = np.log(curves.shares, dtype=np.float32)
        self._losses = curves.losses.astype(np.float32)
        self._gradient = aligned((K, shape.n_parameters))
        self._n_done = 0

    def gradient(self, theta: np.ndarray, _: np.random.Generator | None = None) -> np.ndarray:
        """(K, P) gradient on the next minibatch; valid until the next call, and the caller may change it."""
        rows = self._rows[self._n_done]
        layers, parts = self._shape.layers(theta), self._shape.layers(self._gradient)
        inputs = outputs(self._shape, theta, self._x[rows])
        predictions, slopes = power_law(inputs[-1], self._log_shares[rows])
        signs = np.sign(predictions - self._losses[rows]) / np.float32(rows.shape[1])
        by_output = slopes * signs[..., None]
        for depth in range(len(layers) - 1, -1, -1):
            d_weights, d_biases = parts[depth]
            np.matmul(inputs[depth].swapaxes(1, 2), by_output, out=d_weights)
            np.sum(by_output, axis=1, keepdims=True, out=d_biases)
            if depth:
                by_output = np.matmul(by_output, layers[depth][0].swapaxes(1, 2))
                by_output *= np.where(inputs[depth] > 0, np.float32(1.0), SLOPE)
        self._n_done += 1
        return self._gradient


def outputs(shape: TanhNetwork, theta: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
    """Inputs (B, D) or (K, B, D), outputs of the hidden layers, and those of the networks (K, B, 3), float32."""
    found, layers = [x], shape.layers(theta)
    for depth, (weights, biases) in enumerate(layers, 1):
        z = np.matmul(found[-1], weights)
        z += biases
        found.append(np.maximum(z, SLOPE * z) if depth < len(layers) else z)
    return found


def power_law(laws: np.ndarray, log_shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Predictions (K, B), and their derivatives (K, B, 3) with respect to a network's outputs.

    Parameters
    ----------
    laws
        (K, B, 3) outputs a, b', c' of the networks.
    log_shares
        (B,) or (K, B) logarithms of shares of the full budget.

    Returns
    -------
    tuple of ndarray
        (K, B) and (K, B, 3).
    """
    gates = 1.0 / (1.0 + np.exp(-laws[..., 1:]))
    gated = laws[..., 1:] * gates
    by_gated = gates * (1.0 + laws[..., 1:] * (1.0 - gates))
    powers = np.exp(np.minimum(-gated[..., 1] * log_shares, MOST))
    scaled = gated[..., 0] * powers
    slopes = np.empty_like(laws)
    slopes[..., 0] = 1.0
    slopes[..., 1] = powers * by_gated[..., 0]
    slopes[..., 2] = -scaled * log_shares * by_gated[..., 1]
    return laws[..., 0] + scaled, slopes
