"""`MetaModel`: a distribution of tasks, given by their latent positions and by networks for loss and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hpo_core.space import Space
from hpo_models.networks.tanh_network import TanhNetwork
from profet.inputs import Inputs
from profet.target import Target


class Encoding(NamedTuple):
    """Latent positions of the tasks.

    means, variances    (T, Q) of q(h_t)
    weights             (Q,) factors of h as a network's input: proportional to 1 / lengthscale, so that the std over
                        tasks is 1 in the most important dimension; 0 for dimensions without information
    """

    means: np.ndarray
    variances: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class Emulator:
    """Draws of a network for one quantity: `theta` (M, P + 1) float32, and the conversion of its output."""

    network: TanhNetwork
    theta: np.ndarray
    target: Target


@dataclass(frozen=True)
class MetaModel:
    """A distribution of tasks; `profet.sample` draws from it.

    name        of the tasks: `profet-NAME/17`
    cost        None if there were no costs; then an evaluation costs one nominal second
    budgets     of the tasks, (1,) or a range
    tasks       names of the tasks it was trained on, in the order of `encoding`
    """

    name: str
    space: Space
    encoding: Encoding
    loss: Emulator
    cost: Emulator | None
    budgets: Sequence[float] = (1,)
    tasks: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    checksum: str = ""

    @cached_property
    def inputs(self) -> Inputs:
        """Translation of configurations to a network's inputs, the same object for all tasks."""
        return Inputs(self.space, self.budgets)
