"""Two ways from a curve so far to a rule of optimal stopping: ours, and that of the code of Dai et al. (2019).

    ours               curves with an asymptote (`fitted_model`), observed with noise; the average over all epochs in
                       100 intervals of the range of the simulated averages
    reference-code     curves by `likely_model`, without noise, those that leave (0, 1) rejected; the average over the
                       epochs after N0 in 99 intervals of [0, 1]; training goes on in intervals with 30 curves or fewer

The second is for losses in [0, 1]. Its departure from that code: where training goes on because of few curves, the
expected loss is that of going on; the code takes 0 there, including all costs so far.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hpo_models.curves.decay_gp import fitted_model, likely_model
from hpo_models.curves.optimal_stopping import DecisionRule, solve

LEAST_PATHS = 31
SPAN, N_INTERVALS = (0.0, 1.0), 99

Rule = Callable[[np.ndarray, int, float, float, int, np.random.Generator], DecisionRule | None]


class StoppingVariant(NamedTuple):
    """How training is stopped: the rule, the number of simulated curves, and that of first random configurations.

    `rule(errors, n_epochs, incumbent, k1, n_paths, rng)` is None where it cannot be made: then training goes on.
    """

    rule: Rule
    n_paths: int
    n_initial: int


def rule_with_asymptote(
    errors: np.ndarray, n_epochs: int, incumbent: float, k1: float, n_paths: int, rng: np.random.Generator
) -> DecisionRule | None:
    """The rule "ours" of the module's docstring, for epochs N0 + 1..N.

    Parameters
    ----------
    errors
        (N0,) errors so far.
    n_epochs
        N.
    incumbent
        Lowest error found so far.
    k1
        Loss of stopping in error.
    n_paths
        Number of simulated curves.
    rng
        Source of the curves.

    Returns
    -------
    DecisionRule or None
        Always a rule.
    """
    observed, free = fitted_model(errors).simulate(errors, n_epochs, n_paths, rng)
    return solve(errors, observed, free[-1], incumbent, k1=k1)


def rule_of_the_code(
    errors: np.ndarray, n_epochs: int, incumbent: float, k1: float, n_paths: int, rng: np.random.Generator
) -> DecisionRule | None:
    """The rule "reference-code" of the module's docstring, for epochs N0 + 1..N.

    Parameters
    ----------
    errors, n_epochs, incumbent, k1, n_paths, rng
        As for `rule_with_asymptote`.

    Returns
    -------
    DecisionRule or None
        None if fewer than 31 curves stay within (0, 1).
    """
    _, free = likely_model(errors).simulate(errors, n_epochs, n_paths, rng)
    paths = free[:, (free > 0).all(axis=0) & (free < 1).all(axis=0)]
    if paths.shape[1] < LEAST_PATHS:
        return None
    return solve(
        errors, paths, paths[-1], incumbent,
        k1=k1, n_intervals=N_INTERVALS, span=SPAN, skipped=len(errors), least_paths=LEAST_PATHS,
    )  # fmt: skip


VARIANTS = {
    "ours": StoppingVariant(rule_with_asymptote, 5_000, 5),
    "reference-code": StoppingVariant(rule_of_the_code, 100_000, 6),
}
