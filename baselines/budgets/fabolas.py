"""Fabolas: small budgets in place of the full one (Klein et al., 2017; Klein, 2020, section 4.4) [fabolas].

Loss and cost are modelled as functions of the configuration and of the budget (`hpo_models.gp.fabolas`), and each
proposal maximises the information about the minimum at the full budget per second (Klein, 2020, eq. 4.6), see
`baselines.parts.information_per_cost`, which also says how the incumbent gets evaluated. The budget may be a share of a
dataset, as in the papers, or any other with which loss and cost change smoothly in its logarithm, such as epochs.

    budgets          the full one and its halves, quarters..., down to 1/128 of it, as far as there are any
    initial design   10 random configurations, at 1/64, 1/32, 1/16, 1/8 of the full budget in turn (section 4.4.3)

Departures from the papers: the budgets are a grid, not a continuum; hyperparameters are the most probable ones unless
samples are asked for; for the information gain see `baselines.bayesian.es`; losses are transformed, those of all
budgets together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.beliefs import Observations
from baselines.parts.cost_aware_optimizer import CostAwareOptimizer
from baselines.parts.information_per_cost import InformationPerCost
from baselines.parts.requirements import count, number
from baselines.parts.rungs import rungs
from hpo_core.space import Space
from hpo_models.gp.fabolas import NOISY, cost_points, loss_points, relative_sizes
from hpo_models.gp.product import Points, ProductGP, fit, fit_samples

SMALLEST = 1 / 128  # of the full budget
DESIGN = (1 / 64, 1 / 8)


def fabolas(
    space: Space,
    *,
    budgets: Sequence[float] = (1,),
    seed: int = 0,
    n_initial: int = 10,
    n_samples: int = 0,
    overhead: float = 0.2,
) -> CostAwareOptimizer:
    """Optimizer by information per cost across budgets.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; at least two budgets.
    n_initial
        Number of random configurations at small budgets before the models are used.
    n_samples
        Number of samples of the hyperparameters of the loss to average over; 0 takes the most probable ones.
    overhead
        Seconds that any evaluation is taken to cost besides, as a share of the cost of a full one.

    Returns
    -------
    CostAwareOptimizer
        With `ask`, `tell`, `sizes` and `incumbent`.
    """
    sizes = fabolas_sizes(budgets)
    relative = relative_sizes(sizes)
    choice = InformationPerCost(
        SizeModel(relative, count("n_samples", n_samples, 0)),
        lambda rows, levels: cost_points(rows, relative[levels]),
        number("overhead", overhead, 0.0, 1e9),
    )
    design = initial_levels(sizes)
    return CostAwareOptimizer(
        space, sizes, choice.propose, design=design, n_initial=n_initial, seed=seed, name="fabolas"
    )


def fabolas_sizes(budgets: Sequence[float]) -> list[float]:
    """The full budget and its halves, quarters..., as far as available, down to 1/128; at least two."""
    available = rungs(budgets, 2.0)
    sizes = [size for size in available if size >= SMALLEST * available[-1]]
    return sizes if len(sizes) > 1 else available[-2:]


def initial_levels(sizes: Sequence[float]) -> list[int]:
    """Indices of the sizes from 1/64 to 1/8 of the full one, or of all smaller ones if there are fewer than two."""
    low, high = (share * sizes[-1] for share in DESIGN)
    levels = [level for level, size in enumerate(sizes) if low <= size <= high]
    return levels if len(levels) > 1 else list(range(len(sizes) - 1))


class SizeModel:
    """Process of losses over configurations and relative sizes (k,), one for each level."""

    def __init__(self, relative: np.ndarray, n_samples: int = 0):
        self._relative, self._n_samples = relative, n_samples

    def points(self, rows: np.ndarray, levels: np.ndarray) -> Points:
        """Inputs of the process for rows (n, width) at levels (n,)."""
        return loss_points(rows, self._relative[levels])

    def fit(self, observed: Observations, groups: np.ndarray, rng: np.random.Generator) -> list[ProductGP]:
        """The most probable process, or samples to average over."""
        points = self.points(observed.rows, observed.levels)
        if not self._n_samples:
            return [fit(points, observed.values, groups, NOISY)]
        return fit_samples(points, observed.values, groups, rng, self._n_samples, NOISY)
