"""Loss and cost as functions of a configuration and of a relative size s in [0, 1] (Klein, 2020, section 4.4.1).

    loss        k_5/2(x, x') f(s)' Sigma f(s'),  f(s) = (1, (1 - s)^2)       flat at s = 1
    log cost    the same with                    f(s) = (1, s)               cost ~ exp(a s), a power of the budget

s is the budget's position between the smallest and the largest on a logarithmic scale, 1 for the largest, as in section
4.2. The budget may be a share of a dataset or any other fidelity that loss and cost change smoothly with. Both
processes are product processes, see `hpo_models.gp.product`.

Departure from the paper: small budgets are noisy (fig. 4.4), and so are measured seconds. Under a prior with a pole at
0, such as Klein's horseshoe, the most probable noise is 0; that prior needs sampling. So the prior of the noise is
log-normal around exp(-5), in units of the variance of all observations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hpo_models.gp.fit import Fitting
from hpo_models.gp.priors import LogNormal
from hpo_models.gp.product import Points, ProductGP, fit
from hpo_models.gp.product_posterior import ProductPriors
from hpo_models.gp.regression import standardise

NOISE = LogNormal(-5.0, 1.0)
NOISY = ProductPriors(noise=NOISE)
ROUGH = Fitting(tolerance=1e-1, relative_tolerance=1e-4)


def relative_sizes(budgets: Sequence[float]) -> np.ndarray:
    """(k,) relative sizes s in [0, 1] of ascending budgets above 0; 1 for a single one."""
    logs = np.log(np.asarray(budgets, dtype=float))
    span = logs[-1] - logs[0]
    return np.ones(1) if span == 0.0 else (logs - logs[0]) / span


def loss_points(x: np.ndarray, sizes: np.ndarray) -> Points:
    """Inputs (n, d) at sizes (n,), for the process of the losses."""
    return Points(x, np.column_stack([np.ones_like(sizes), (1.0 - sizes) ** 2]))


def cost_points(x: np.ndarray, sizes: np.ndarray) -> Points:
    """Inputs (n, d) at sizes (n,), for the process of the log costs."""
    return Points(x, np.column_stack([np.ones_like(sizes), sizes]))


class CostModel(NamedTuple):
    """A process of log costs, standardised by their mean `centre` and standard deviation `std`."""

    process: ProductGP
    centre: float
    std: float

    def predict(self, points: Points) -> np.ndarray:
        """(m,) predicted costs in seconds, the median of their distribution."""
        mean, _ = self.process.predict(points)
        return np.exp(self.centre + self.std * mean)


def fit_costs(points: Points, costs: np.ndarray, groups: np.ndarray, last: CostModel | None = None) -> CostModel:
    """The cost model with the most probable hyperparameters, found to a low precision: costs need a few percent only.

    Parameters
    ----------
    points
        Inputs with their basis functions, see `cost_points`.
    costs
        (n,) costs in seconds, >= 0; 0 counts as the smallest cost above 0, or as 1 s if there is none.
    groups
        (d,) index of each input column's lengthscale.
    last
        Model whose hyperparameters the search starts from.

    Returns
    -------
    CostModel
        Predicts costs in seconds.
    """
    positive = costs[costs > 0.0]
    floor = positive.min() if len(positive) else 1.0
    values, centre, std = standardise(np.log(np.maximum(costs, floor)))
    start = None if last is None else last.process.hyperparameters
    return CostModel(fit(points, values, groups, NOISY, ROUGH, start), centre, std)
