"""How much a loss varies between repetitions of the same configuration at the same budget.

The variance is measured on the scale that the trees predict on, where it varies least. It is one number for all
configurations, pooled over those that were repeated; or, where enough of them were, a small ensemble of trees that
predicts its logarithm, if that describes held-out configurations better: a higher Gaussian likelihood.

    s^2 ~ sigma^2 chi^2(v) / v,   so   E[log s^2] = log sigma^2 + psi(v / 2) + log(2 / v)

of a variance s^2 with v degrees of freedom. The trees are fitted to log s^2 without the bias, and are then shifted so
that the variances are right on average.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tabular.surrogates.rows.records import Records
from tabular.surrogates.scales import LossScale
from tabular.surrogates.trees.ensemble import TreeEnsemble, gather
from tabular.surrogates.trees.fitting import Boosting, ensemble_of, fit

LEAST_CELLS = 100  # repeated ones, for a model of the variance
SMALL = Boosting(leaves=8, min_rows=20, n_trees=50, rate=0.1, share=1.0)
FLOOR = 1e-4  # of a variance, as a share of the pooled one: repetitions with equal losses have none, and no logarithm


@dataclass(frozen=True)
class MeasuredNoise:
    """How much losses vary, and how that was found.

    `log_variance` is an ensemble, of an intercept alone if the variance is the same everywhere.
    """

    log_variance: TreeEnsemble
    description: str


def measure_noise(
    records: Records, inputs: np.ndarray, scale: LossScale, folds: np.ndarray, seed: int
) -> MeasuredNoise | None:
    """Noise of the loss on a scale, None if no configuration was repeated or repetitions do not differ.

    Parameters
    ----------
    records, inputs
        The recorded evaluations, and what trees see of each cell.
    scale
        Of the loss.
    folds
        (n_cells,) fold of each cell.
    seed
        Of the fits.
    """
    counts, variances = _variances(records, scale)
    repeated = counts > 1
    if not repeated.any():
        return None
    degrees = (counts - 1)[repeated]
    pooled = float(np.average(variances[repeated], weights=degrees))
    if pooled == 0:
        return None
    constant = gather([], float(np.log(pooled)))
    measured = f"measured on {int(repeated.sum()):,} configurations with 2 to {int(counts.max())} repetitions"
    if repeated.sum() >= LEAST_CELLS:
        positive = np.maximum(variances[repeated], FLOOR * pooled)
        found = _Repeated(inputs[repeated], positive, degrees, folds[repeated], seed)
        if found.model_is_better():
            model, shift = found.fitted(np.ones(len(degrees), dtype=bool))
            trees = ensemble_of(model)
            shifted = replace(trees, intercept=trees.intercept + shift)
            return MeasuredNoise(shifted, f"normal, its std depends on the configuration, {measured}")
    return MeasuredNoise(constant, f"normal, the same std for all configurations, {measured}")


def noise_words(records: Records, noise: MeasuredNoise | None) -> str:
    """What a surrogate says about its noise: how it was measured, or why there is none."""
    if noise is not None:
        return noise.description
    repeated = len(records.row_losses) > len(records.losses)
    return f"none: {'repetitions have equal losses' if repeated else 'no configuration was repeated'}"


def _variances(records: Records, scale: LossScale) -> tuple[np.ndarray, np.ndarray]:
    """(n_cells,) number of repetitions of each cell, and variance of the loss between them."""
    cells, n = records.cell_of_row, len(records.losses)
    counts = np.bincount(cells, minlength=n)
    on_scale = scale.forward(records.row_losses)
    means = np.bincount(cells, weights=on_scale, minlength=n) / counts
    squares = np.bincount(cells, weights=(on_scale - means[cells]) ** 2, minlength=n)
    return counts, squares / np.maximum(counts - 1, 1)


@dataclass(frozen=True)
class _Repeated:
    """The cells that were repeated: what trees see, variance, degrees of freedom, fold."""

    inputs: np.ndarray
    variances: np.ndarray
    degrees: np.ndarray
    folds: np.ndarray
    seed: int

    def fitted(self, chosen: np.ndarray) -> tuple[Any, float]:
        """Trees fitted to the logarithms of the variances of the chosen cells, and what to add to them."""
        from scipy.special import psi

        inputs, variances, degrees = self.inputs[chosen], self.variances[chosen], self.degrees[chosen]
        unbiased = np.log(variances) - psi(degrees / 2) - np.log(2 / degrees)
        model = fit(SMALL, inputs, unbiased, self.seed, weights=degrees)
        return model, float(np.log(np.average(variances / np.exp(model.predict(inputs)), weights=degrees)))

    def model_is_better(self) -> bool:
        """Whether the trees give held-out deviations a higher likelihood than one variance for all."""
        gain = 0.0
        for fold in np.unique(self.folds).tolist():
            held_out = self.folds == fold
            constant = np.average(self.variances[~held_out], weights=self.degrees[~held_out])
            model, shift = self.fitted(~held_out)
            gain += self._likelihood(held_out, np.exp(model.predict(self.inputs[held_out]) + shift))
            gain -= self._likelihood(held_out, constant)
        return gain > 0

    def _likelihood(self, cells: np.ndarray, predicted: np.ndarray | float) -> float:
        """Logarithm of the Gaussian likelihood of the deviations in some cells, up to a constant."""
        return -0.5 * float(np.sum(self.degrees[cells] * (np.log(predicted) + self.variances[cells] / predicted)))
