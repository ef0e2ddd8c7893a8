"""`Task`: one sampled objective, a network with fixed weights at a fixed position of the latent space.

The latent vector is folded into the first layer's bias, and the weights are kept as float64 for networks of up to
50,000 parameters, so that one configuration and a batch give the same numbers; larger ones stay float32, for speed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hpo_core.problems.noise import generator
from hpo_core.problems.problem import Batch, Result
from hpo_core.space import Config, Space
from profet.inputs import WIDTH, Inputs
from profet.meta_model import Emulator, MetaModel
from profet.target import Target

LARGE = 50_000  # parameters
BLOCK = 512  # configurations
NOMINAL_COST = 1.0  # second, where no costs are known
EVALUATION = 1  # goes up when a release gets other numbers out of the same weights, beyond rounding


def number_type(theta: np.ndarray) -> np.dtype:
    """Number type in which a network with the weight vector theta is evaluated."""
    return np.dtype(np.float64 if len(theta) < LARGE else np.float32)


class Surface:
    """One draw of an emulator at one latent vector: a function of inputs."""

    def __init__(self, emulator: Emulator, draw: int, latent: np.ndarray):
        theta = emulator.theta[draw]
        kind = self._kind = number_type(theta)
        layers = [
            (weights[0].astype(kind), biases[0, 0].astype(kind))
            for weights, biases in emulator.network.layers(theta[None, :-1])
        ]
        first, bias = layers[0]
        n_free = len(first) - len(latent)
        layers[0] = np.ascontiguousarray(first[:n_free]), bias + latent.astype(kind) @ first[n_free:]
        self._layers, self._hidden = layers, layers[:-1]
        self._last, self._last_bias = layers[-1][0][:, 0].copy(), float(layers[-1][1][0])
        self.target: Target = emulator.target
        self.noise = float(np.exp(0.5 * theta[-1]))  # standard deviation, standardised

    def output(self, x: np.ndarray) -> np.ndarray:
        """Standardised value at one input (width,), or (n,) at many (n, width)."""
        x = x.astype(self._kind, copy=False)
        if x.ndim > 1:
            blocks = [self._block(x[i : i + BLOCK]) for i in range(0, len(x), BLOCK)]
            return np.concatenate(blocks) if blocks else np.empty(0)
        for weights, biases in self._hidden:
            x = x.dot(weights)
            x += biases
            np.tanh(x, x)
        return x.dot(self._last) + self._last_bias

    def _block(self, x: np.ndarray) -> np.ndarray:
        """(n,) standardised values at a block of inputs that fits in a cache."""
        with np.errstate(over="ignore"):
            for weights, biases in self._hidden:
                x = x @ weights
                x += biases
                _tanh(x)
        return x.dot(self._last) + self._last_bias

    def gradient(self, x: np.ndarray) -> np.ndarray:
        """(..., width) derivatives of the values, in their own units, with respect to the inputs."""
        x = x.astype(self._kind, copy=False)
        hidden = []
        for weights, biases in self._hidden:
            x = np.tanh(x @ weights + biases)
            hidden.append(x)
        weights, biases = self._layers[-1]
        z = x @ weights[:, 0] + biases[0]
        back = np.broadcast_to(weights[:, 0], x.shape)
        for (weights, _), units in zip(self._layers[-2::-1], hidden[::-1], strict=True):
            back = (back * (1.0 - units * units)) @ weights.T
        return self.target.derivative(z)[..., None] * back


def _tanh(x: np.ndarray) -> None:
    """Replace x by tanh x = 1 - 2 / (exp(2 x) + 1), to 4e-16; `np.tanh` takes twice as long for float64."""
    x *= 2.0
    np.exp(x, x)
    x += 1.0
    np.divide(-2.0, x, x)
    x += 1.0


class Task:
    """A sampled task, as a `Problem`. Its cost is proportional to the budget.

    Parameters
    ----------
    model
        That it is sampled from.
    name
        Of the task.
    draw, cost_draw
        Indices of its weight vectors for loss and cost.
    latent
        (Q,) its position h in the latent space.
    noise
        Whether an evaluation with a seed is noisy, y ~ N(f(x), sigma^2) (Klein, 2020, section 8.2.3). `seed=None` is
        noise-free in either case.
    """

    optimum = None
    validates = True
    noise_free_is_cheap = True

    def __init__(
        self, model: MetaModel, name: str, draw: int, cost_draw: int, latent: np.ndarray, *, noise: bool = False
    ):
        self.name = name
        self.space: Space = model.space
        self.budgets: Sequence[float] = model.budgets
        self.latent = latent
        self.noise = noise
        self.model, self.draw, self.cost_draw = model, draw, cost_draw

    @property
    def provenance(self) -> Mapping[str, Any]:
        return {
            "source": f"sampled from the meta-model {self.model.name!r} of {len(self.model.tasks)} tasks",
            "model": self.model.checksum,
            "weights": self.draw,
            "latent": self.latent.tolist(),
            "cost": "modelled" if self.model.cost else "one nominal second per evaluation",
            "noise": self.noise,
        }

    @cached_property
    def checksum(self) -> str | None:
        """Hexadecimal SHA-256 of what an evaluation depends on; None of a model that was never in a file.

        That of a published task stays as it is when code is changed and its numbers are not.
        """
        if not self.model.checksum:
            return None
        return hashlib.sha256(f"{EVALUATION} {self.contents}".encode()).hexdigest()

    @cached_property
    def contents(self) -> str:
        """Digest of the model, which may be trained anew under the same name, and of what was drawn from it."""
        model = self.model
        drawn = json.dumps([model.checksum, self.draw, self.cost_draw, self.latent.tolist(), self.noise])
        digest = hashlib.sha256(drawn.encode())
        for emulator in (model.loss, model.cost) if not model.checksum else ():  # that were never in a file
            if emulator is not None:
                digest.update(emulator.theta.tobytes())
        return digest.hexdigest()

    @cached_property
    def _inputs(self) -> Inputs:
        return self.model.inputs

    @cached_property
    def _weighted(self) -> np.ndarray:
        return self.latent * self.model.encoding.weights

    @cached_property
    def loss(self) -> Surface:
        """The loss as a function of inputs."""
        return Surface(self.model.loss, self.draw, self._weighted)

    @cached_property
    def cost(self) -> Surface | None:
        """The logarithm of the cost as a function of inputs."""
        return None if self.model.cost is None else Surface(self.model.cost, self.cost_draw, self._weighted)

    def evaluate(self, config: Config, budget: float, seed: int | None) -> Result:
        x = self._inputs.one(self.space.codes_of(config))
        z = float(self.loss.output(self._inputs.with_budget(x, budget)))
        if seed is not None and self.noise:
            z += self.loss.noise * generator(self.space, config, budget, seed).standard_normal()
        share = budget / self.budgets[-1]
        cost = NOMINAL_COST if self.cost is None else self.cost.target.restore_one(float(self.cost.output(x)))
        return Result(self.loss.target.restore_one(z), cost * share, budget, {})

    def evaluate_batch(self, codes: np.ndarray, budget: float, seeds: np.ndarray | None) -> Batch:
        x = self._inputs(codes.astype(float))
        share = budget / self.budgets[-1]
        z = self.loss.output(self._inputs.with_budget(x, budget))
        if seeds is not None and self.noise:
            pairs = zip(self.space.decode(codes), seeds.tolist(), strict=True)
            normals = [generator(self.space, c, budget, s).standard_normal() for c, s in pairs]
            z = z + self.loss.noise * np.array(normals)
        costs = np.full(len(codes), NOMINAL_COST)
        if self.cost is not None:
            costs = self.cost.target.restore(self.cost.output(x))
        return self.loss.target.restore(z).astype(float), costs * share

    def value(self, unit: np.ndarray, budget: float | None = None) -> np.ndarray:
        """(...,) noise-free losses at points (..., d) of the unit cube; integers are not rounded."""
        x = self._inputs.with_budget(self._inputs.from_unit(unit), self.budgets[-1] if budget is None else budget)
        return self.loss.target.restore(self.loss.output(x))

    def gradient(self, unit: np.ndarray, budget: float | None = None) -> np.ndarray:
        """(..., d) derivatives of `value` with respect to the point of the unit cube, in units of the loss."""
        x = self._inputs.with_budget(self._inputs.from_unit(unit), self.budgets[-1] if budget is None else budget)
        return WIDTH * self.loss.gradient(x)[..., : len(self.space)]
