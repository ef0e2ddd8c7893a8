"""Bayesian optimal stopping of one training (Dai et al., 2019, section 2.2 and appendices A and B).

After each epoch n one of three decisions is taken, from the average error over epochs 1..n, or over those after the
first N0, as the authors' code has it:

    d0    continue, at a cost of c
    d1    stop and conclude that the error after N epochs will not be below the incumbent's; costs K1 if wrong
    d2    stop and conclude that it will be below; costs K2 if wrong

    rho_n = min( K1 Pr(theta_2), K2 Pr(theta_1), c + E[rho_{n+1}] )                       eq. 2 with eq. 4

Algorithm 2 solves this backwards from epoch N on simulated curves: the range of the averages is divided into M
intervals, and probabilities and expectations given an interval are proportions and means over the curves that pass
through it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.single_thread import single_threaded

CONTINUE, STOP_WORSE, STOP_BETTER, UNREACHED = 0, 1, 2, -1
K1_FIRST, K1_RATE, K2, STEP_COST = 100.0, 0.95, 99.0, 1.0  # Dai et al., figure 1


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """The decision for each epoch and average error.

    first_epoch   of the rows below
    low, width    low end of the first interval of the average error, and width of each interval
    decisions     (epochs, M): 0, 1, 2 for d0, d1, d2; -1 where no simulated curve passes
    losses        (epochs, M) expected loss rho, NaN where no simulated curve passes
    skipped       number of first errors that the average leaves out
    """

    first_epoch: int
    low: float
    width: float
    decisions: np.ndarray
    losses: np.ndarray
    skipped: int = 0

    def decide(self, errors: np.ndarray) -> int:
        """Decision after errors of epochs 1, 2...: 0, 1 or 2; 0 (continue) where no simulated curve passes."""
        row = len(errors) - self.first_epoch
        if not 0 <= row < len(self.decisions):
            raise InvalidOption(
                f"the rule decides after {self.first_epoch}..{self.first_epoch + len(self.decisions) - 1} epochs, "
                f"got the errors of {len(errors)}"
            )
        column = self.interval(float(np.mean(errors[self.skipped :])))
        return CONTINUE if column is None else max(int(self.decisions[row, column]), CONTINUE)

    def interval(self, average: float) -> int | None:
        """Index of the interval that contains an average error; None outside the range of the simulated curves."""
        position = (np.float32(average) - np.float32(self.low)) * np.float32(1 / self.width)
        n = self.decisions.shape[1]
        return min(max(int(position), 0), n - 1) if -0.5 < position < n + 0.5 else None


def k1_schedule(t: int, first: float = K1_FIRST, rate: float = K1_RATE) -> float:
    """K1 in iteration t = 1, 2...: first / rate^(t - 1). It grows, so later trainings are stopped less often."""
    if t < 1 or not 0 < rate <= 1 or not first > 0:
        raise InvalidOption(f"K1 needs t >= 1, 0 < rate <= 1 and first > 0, got t={t}, rate={rate}, first={first}")
    return first / rate ** (t - 1)


def is_certain(std_at_full: float, std_now: float, kappa: float = 2.0) -> bool:
    """Condition C2: whether the model predicts the full training about as precisely as the current epoch."""
    return std_at_full <= kappa * std_now


@single_threaded
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
    span: tuple[float, float] | None = None,
    skipped: int = 0,
    least_paths: int = 1,
) -> DecisionRule:
    """Decision rule from simulated curves (Algorithm 2).

    Parameters
    ----------
    errors
        (N0,) errors so far.
    observed
        (N - N0, paths) simulated errors of the following epochs.
    final
        (paths,) noise-free error after N epochs in each path.
    incumbent
        Lowest error found so far; theta_2 is the event that `final` is below it.
    k1, k2
        Losses K1 and K2 of the two wrong conclusions.
    step_cost
        Cost c of one more epoch, in units of K1 and K2.
    n_intervals
        Number M of intervals of the average error.
    span
        What the intervals divide; None for the range of the averages.
    skipped
        Number of first errors, up to N0, that the average leaves out.
    least_paths
        Before epoch N, training goes on in an interval with fewer simulated curves.

    Returns
    -------
    DecisionRule
        For epochs N0 + 1..N.
    """
    _check(errors, observed, final, (k1, k2, step_cost), n_intervals)
    start, n_epochs = len(errors), len(observed)
    intervals, low, width = _intervals(errors[skipped:], observed, n_intervals, span)
    better = (np.asarray(final) < incumbent).astype(float)
    decisions = np.full((n_epochs, n_intervals), UNREACHED, dtype=np.int8)
    losses = np.full((n_epochs, n_intervals), np.nan)
    future = None
    for row in range(n_epochs - 1, -1, -1):
        counts = np.bincount(intervals[row], minlength=n_intervals)
        reached = counts > 0
        chance = np.bincount(intervals[row], better, n_intervals)[reached] / counts[reached]
        options = [_finite_product(k1, chance), _finite_product(k2, 1 - chance)]
        if future is not None:
            options.insert(0, step_cost + np.bincount(intervals[row], future, n_intervals)[reached] / counts[reached])
        table = np.stack(options)
        decisions[row, reached] = np.argmin(table, axis=0) + (future is None)
        losses[row, reached] = table.min(axis=0)
        # stop if that is no worse than to continue (section 2.2)
        if future is not None:
            tied = (table[1:].min(axis=0) <= table[0]) & (decisions[row, reached] == CONTINUE)
            decisions[row, np.flatnonzero(reached)[tied]] = 1 + np.argmin(table[1:, tied], axis=0)
            rare = counts[reached] < least_paths
            decisions[row, np.flatnonzero(reached)[rare]] = CONTINUE
            losses[row, np.flatnonzero(reached)[rare]] = table[0, rare]
        future = losses[row][intervals[row]]
    return DecisionRule(start + 1, low, width, decisions, losses, skipped)


def _intervals(
    errors: np.ndarray, observed: np.ndarray, n_intervals: int, span: tuple[float, float] | None
) -> tuple[np.ndarray, float, float]:
    """Indices (epoch, path) of the average errors' intervals, low end and width of the first; in float32, for speed."""
    averages = np.cumsum(observed, axis=0, dtype=np.float32)
    averages += np.float32(np.sum(errors))
    averages /= np.arange(len(errors) + 1, len(errors) + len(observed) + 1, dtype=np.float32)[:, None]
    low, high = (float(averages.min()), float(averages.max())) if span is None else span
    width = max((high - low) / n_intervals, 1e-6 * max(abs(low), abs(high)), 1e-30)
    averages -= np.float32(low)
    averages *= np.float32(1 / width)
    return np.clip(averages.astype(np.intp), 0, n_intervals - 1), low, width


def _finite_product(k: float, chance: np.ndarray) -> np.ndarray:
    """k times a probability; an infinite k forbids the decision even where the probability is 0."""
    return np.full_like(chance, math.inf) if math.isinf(k) else k * chance


def _check(
    errors: np.ndarray, observed: np.ndarray, final: np.ndarray, costs: tuple[float, float, float], n_intervals: int
) -> None:
    if np.ndim(observed) != 2 or observed.shape[1:] != np.shape(final) or not observed.size:
        raise InvalidOption(
            f"simulated curves must be (epochs, paths) with a final error per path, got {np.shape(observed)} and "
            f"{np.shape(final)}"
        )
    if not (np.isfinite(errors).all() and np.isfinite(observed).all() and np.isfinite(final).all()):
        raise InvalidOption("errors and simulated curves must be finite numbers; a diverged training needs no rule")
    if not all(cost > 0 for cost in costs):
        raise InvalidOption(f"K1, K2 and the cost of an epoch must be positive, got {costs}")
    if n_intervals < 1:
        raise InvalidOption(f"the number of intervals must be at least 1, got {n_intervals}")
