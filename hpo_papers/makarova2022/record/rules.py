"""The authors' stopping rules on whole arrays of runs, as their code has them.

    conv     no better loss in the last i evaluations, counted from the end of the warm-up
    bound    the bound on the regret is below a threshold
    folds    the threshold is a multiple of the standard error of the incumbent's cross-validation (eq. 9): of the
             incumbent after the warm-up, kept (their code), or of the current one (the text)
    score    the expected or probable improvement of their optimizer's own proposal is below a threshold

A stop is the number of evaluations that are completed. Runs that are never stopped have T - 1: the authors leave out
the last evaluation, in RTC = (T - 1 - stop) / (T - 1) and in the final incumbent. Arrays end in (run, evaluation);
leading axes are free.
"""

from __future__ import annotations

import math

import numpy as np

HALF = 0.5 / 0.21  # what the paper calls 0.5 multiplies the standard deviation by this in the authors' code
TEXTS_HALF = math.sqrt(0.5 / (1 / 10 + 1 / 9))  # 0.5 s^2 in the text, on the standard deviation of eq. 9
ROUNDING = 1e-12  # relative


def incumbents(losses: np.ndarray) -> np.ndarray:
    """Index of the best of the evaluations up to each one, the first of those that are equal but for rounding.

    Of two means over the same fold losses in another order the authors count neither as better.
    """
    before = np.minimum.accumulate(losses, axis=-1)[..., :-1] * (1.0 - ROUNDING)
    better = losses < np.concatenate([np.full((*losses.shape[:-1], 1), np.inf), before], axis=-1)
    return np.maximum.accumulate(np.where(better, np.arange(losses.shape[-1]), 0), axis=-1)


def first_hold(holds: np.ndarray, warm_up: int, in_a_row: int = 1) -> np.ndarray:
    """First t >= warm_up at which a condition has held `in_a_row` times, T - 1 where it never does before."""
    length = holds.shape[-1]
    holds = holds & (np.arange(length) >= warm_up)
    runs = holds.copy()
    for back in range(1, in_a_row):
        runs[..., back:] &= holds[..., :-back]
        runs[..., :back] = False
    return np.where(runs.any(axis=-1), runs.argmax(axis=-1), length - 1)


def conv_stops(losses: np.ndarray, patience: int, warm_up: int) -> np.ndarray:
    """Stops of Conv-i."""
    t = np.arange(1, losses.shape[-1])
    unchanged = np.zeros(losses.shape, dtype=int)
    unchanged[..., 1:] = t - np.maximum(incumbents(losses)[..., :-1] + 1, warm_up)
    return first_hold(unchanged >= patience, warm_up)


def bound_stops(bounds: np.ndarray, threshold: float | np.ndarray, warm_up: int, in_a_row: int = 1) -> np.ndarray:
    """Stops of a bound below a threshold, one number or one for each check."""
    with np.errstate(invalid="ignore"):
        return first_hold(bounds < threshold, warm_up, in_a_row)


def fold_thresholds(losses: np.ndarray, folds: np.ndarray, warm_up: int, frozen: bool) -> np.ndarray:
    """Standard error of the incumbent's cross-validation at each check, in units of the loss, eq. 9."""
    k = folds.shape[-1]
    errors = math.sqrt(1 / k + 1 / (k - 1)) * folds.std(axis=-1)
    best = incumbents(losses)
    best = np.broadcast_to(best[..., warm_up - 1 : warm_up], best.shape) if frozen else np.roll(best, 1, axis=-1)
    return np.take_along_axis(errors, best, axis=-1)


def score_stops(scores: np.ndarray, threshold: float, warm_up: int) -> np.ndarray:
    """Stops of EI or PI: the recorded value of the proposal is below the threshold."""
    return first_hold(scores < threshold, warm_up)


def at_stop(values: np.ndarray, losses: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Value of the incumbent when a run is stopped, such as its test loss."""
    best = np.take_along_axis(incumbents(losses), stops[..., None] - 1, axis=-1)
    return np.take_along_axis(values, best, axis=-1)[..., 0]


def rtc(stops: np.ndarray, length: int) -> np.ndarray:
    """Share of the evaluations saved, eq. 12 by evaluations."""
    return (length - 1 - stops) / (length - 1)


def ryc(values: np.ndarray, losses: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """Relative change of the incumbent's value, below 0 if stopping made it higher, eq. 11."""
    final = at_stop(values, losses, np.full(stops.shape, losses.shape[-1] - 1))
    stopped = at_stop(values, losses, stops)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(final == stopped, 0.0, (final - stopped) / np.maximum(final, stopped))
