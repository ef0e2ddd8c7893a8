"""Bayesian optimal stopping of one training (Dai et al., 2019, section 2.2 and appendices A and B).

After each epoch n one of three decisions is taken, by the average error over epochs 1..n:

    d0    go on, at a price of c
    d1    stop and conclude that the error after N epochs will not be below the incumbent's; costs K1 if wrong
    d2    stop and conclude that it will be below; costs K2 if wrong

    rho_n = min( K1 Pr(theta_2), K2 Pr(theta_1), c + E[rho_{n+1}] )                       eq. 2 with eq. 4

Algorithm 2 solves this backwards from epoch N on simulated curves: the averages are cut into M intervals, and
probabilities and expectations given an interval are proportions and means over the curves that pass through it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hpo_core.errors import InvalidOption

CONTINUE, STOP_WORSE, STOP_BETTER, UNREACHED = 0, 1, 2, -1
K1_FIRST, K1_RATE, K2, STEP_COST = 100.0, 0.95, 99.0, 1.0  # Dai et al., figure 1


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """What to do in each epoch.

    first_epoch   of the rows below
    low, width    of the first interval of the average error, and of each
    decisions     (epochs, M): 0, 1, 2 for d0, d1, d2; -1 where no simulated curve came along
    losses        (epochs, M) expected loss rho, NaN where no curve came along
    """

    first_epoch: int
    low: float
    width: float
    decisions: np.ndarray
    losses: np.ndarray

    def decide(self, errors: np.ndarray) -> int:
        """Decision after errors of epochs 1, 2...; where no simulated curve came along: go on."""
        row = len(errors) - self.first_epoch
        if not 0 <= row < len(self.decisions):
            raise InvalidOption(
                f"the rule decides after {self.first_epoch}..{self.first_epoch + len(self.decisions) - 1} epochs, "
                f"got the errors of {len(errors)}"
            )
        column = self.interval(float(np.mean(errors)))
        return CONTINUE if column is None else max(int(self.decisions[row, column]), CONTINUE)

    def interval(self, average: float) -> int | None:
        """Number of the interval that holds an average error; None beyond the simulated curves."""
        place = (np.float32(average) - np.float32(self.low)) * np.float32(1 / self.width)
        n = self.decisions.shape[1]
        return min(max(int(place), 0), n - 1) if -0.5 < place < n + 0.5 else None


def k1_schedule(t: int, first: float = K1_FIRST, rate: float = K1_RATE) -> float:
    """K1 in iteration t = 1, 2...: first / rate^(t - 1), which grows so that late trainings are stopped less often."""
    if t < 1 or not 0 < rate <= 1 or not first > 0:
        raise InvalidOption(f"K1 needs t >= 1, 0 < rate <= 1 and first > 0, got t={t}, rate={rate}, first={first}")
    return first / rate ** (t - 1)


def knows_enough(sd_at_full: float, sd_now: float, kappa: float = 2.0) -> bool:
    """Condition C2: whether the optimizer's model knows the full training about as well as the present epoch."""
    return sd_at_full <= kappa * sd_now


def solve(
    errors: np.ndarray,
    observed: np.ndarray,
    final: np.ndarray,
    incumbent: float,
    *,
    k1: float = K1_FIRST,
    k2: float = K2,
    step_cost: float = STEP_COST,
    n_intervals: int = 100,
) -> DecisionRule:
    """Decision rule from simulated curves (Algorithm 2).

    Parameters
    ----------
    errors
        (N0,) errors so far.
    observed
        (N - N0, paths) errors that continue them.
    final
        (paths,) what the error after N epochs truly is in each path.
    incumbent
        Lowest error found so far; theta_2 is that `final` lies below it.
    """
    _check(errors, observed, final, (k1, k2, step_cost), n_intervals)
    start, n_epochs = len(errors), len(observed)
    places, low, width = _intervals(errors, observed, n_intervals)
    better = (np.asarray(final) < incumbent).astype(float)
    decisions = np.full((n_epochs, n_intervals), UNREACHED, dtype=np.int8)
    losses = np.full((n_epochs, n_intervals), np.nan)
    future = None
    for row in range(n_epochs - 1, -1, -1):
        counts = np.bincount(places[row], minlength=n_intervals)
        there = counts > 0
        chance = np.bincount(places[row], better, n_intervals)[there] / counts[there]
        options = [_finite_product(k1, chance), _finite_product(k2, 1 - chance)]
        if future is not None:
            options.insert(0, step_cost + np.bincount(places[row], future, n_intervals)[there] / counts[there])
        table = np.stack(options)
        decisions[row, there] = np.argmin(table, axis=0) + (future is None)
        losses[row, there] = table.min(axis=0)
        # a decision to stop is taken if it is no worse than to go on (section 2.2)
        if future is not None:
            tied = (table[1:].min(axis=0) <= table[0]) & (decisions[row, there] == CONTINUE)
            decisions[row, np.flatnonzero(there)[tied]] = 1 + np.argmin(table[1:, tied], axis=0)
        future = losses[row][places[row]]
    return DecisionRule(start + 1, low, width, decisions, losses)


def _intervals(errors: np.ndarray, observed: np.ndarray, n_intervals: int) -> tuple[np.ndarray, float, float]:
    """Intervals (epoch, path) of the average errors, and low end and width of the first; in float32, for speed."""
    averages = np.cumsum(observed, axis=0, dtype=np.float32)
    averages += np.float32(np.sum(errors))
    averages /= np.arange(len(errors) + 1, len(errors) + len(observed) + 1, dtype=np.float32)[:, None]
    low, high = float(averages.min()), float(averages.max())
    width = max((high - low) / n_intervals, 1e-6 * max(abs(low), abs(high)), 1e-30)
    averages -= np.float32(low)
    averages *= np.float32(1 / width)
    return np.minimum(averages.astype(np.intp), n_intervals - 1), low, width


def _finite_product(k: float, chance: np.ndarray) -> np.ndarray:
    """k times a probability; an infinite k forbids the decision even where the probability is 0."""
    return np.full_like(chance, math.inf) if math.isinf(k) else k * chance


def _check(
    errors: np.ndarray, observed: np.ndarray, final: np.ndarray, prices: tuple[float, float, float], n_intervals: int
) -> None:
    if np.ndim(observed) != 2 or observed.shape[1:] != np.shape(final) or not observed.size:
        raise InvalidOption(
            f"simulated curves must be (epochs, paths) with a final error per path, got {np.shape(observed)} and "
            f"{np.shape(final)}"
        )
    if not (np.isfinite(errors).all() and np.isfinite(observed).all() and np.isfinite(final).all()):
        raise InvalidOption("errors and simulated curves must be finite numbers; a diverged training needs no rule")
    if not all(price > 0 for price in prices):
        raise InvalidOption(f"K1, K2 and the price of an epoch must be positive, got {prices}")
    if n_intervals < 1:
        raise InvalidOption(f"the number of intervals must be at least 1, got {n_intervals}")
