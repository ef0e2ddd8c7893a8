"""Losses made as normal as a power can make them (Box and Cox, 1964; Yeo and Johnson, 2000).

    Box-Cox, y > 0            (y^l - 1) / l,  log y for l = 0
    Yeo-Johnson, y >= 0       ((y + 1)^l - 1) / l,  log(y + 1) for l = 0
                 y < 0        -((1 - y)^(2 - l) - 1) / (2 - l),  -log(1 - y) for l = 2

The power l is the most likely one, of a grid, if the transformed losses are normal.
"""

from __future__ import annotations

import numpy as np

from baselines.parts.loss_transforms import LARGEST

POWERS = np.linspace(-3.0, 3.0, 121)[:, None]
LEAST_STD = 1e-8  # of transformed losses; below it the power has made them all equal


def box_cox(y: np.ndarray, power: np.ndarray) -> np.ndarray:
    """Transformed positive numbers; `power` is broadcast against them."""
    return _power(np.log(y), power)


def yeo_johnson(y: np.ndarray, power: np.ndarray) -> np.ndarray:
    """Transformed numbers; `power` is broadcast against them."""
    above = _power(np.log1p(np.maximum(y, 0.0)), power)
    return np.where(y >= 0.0, above, -_power(np.log1p(np.maximum(-y, 0.0)), 2.0 - power))


def normalised(losses: np.ndarray) -> np.ndarray:
    """(n,) losses transformed by the more likely power and standardised; zeros if all are equal.

    As in HEBO (Cowen-Rivers et al., 2022), of losses divided by their standard deviation: Box-Cox if all
    are positive, Yeo-Johnson otherwise or if no power of Box-Cox can be used.
    """
    losses = np.clip(losses, -LARGEST, LARGEST)
    std = losses.std()
    if not std > 0.0:
        return np.zeros_like(losses)
    y = losses / std
    if y.min() > 0.0:
        found = _most_likely(box_cox(y, POWERS), np.log(y).sum())
        if found is not None:
            return found
    found = _most_likely(yeo_johnson(y, POWERS), (np.sign(y) * np.log1p(np.abs(y))).sum())
    return y - y.mean() if found is None else found


def _power(log: np.ndarray, power: np.ndarray) -> np.ndarray:
    """(exp(log)^power - 1) / power, its limit for a power of 0; infinite where it is too large."""
    is_zero = np.abs(power) < 1e-12
    with np.errstate(over="ignore"):
        return np.where(is_zero, log, np.expm1(power * log) / np.where(is_zero, 1.0, power))


def _most_likely(transformed: np.ndarray, log_jacobian: float) -> np.ndarray | None:
    """The row, standardised, of (powers, n) with the highest likelihood; None if there is none that can be used.

    -n/2 log(variance) + (l - 1) `log_jacobian`, the normal density at its best mean and variance
    """
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        stds = transformed.std(axis=1)
        likelihoods = -transformed.shape[1] * np.log(stds) + (POWERS[:, 0] - 1.0) * log_jacobian
    usable = np.isfinite(likelihoods) & (stds > LEAST_STD * np.abs(transformed).max(axis=1))
    if not usable.any():
        return None
    best = int(np.argmax(np.where(usable, likelihoods, -np.inf)))
    return (transformed[best] - transformed[best].mean()) / stds[best]
