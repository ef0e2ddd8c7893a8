"""Where the risk of a model chosen by validation comes from, and bounds on it (Ram et al., 2022, sections 2.1 and 3).

Symbols as in the paper, and as in `baselines.deployment`. L configurations are compared by training on m rows and
validating on mu others, n = m + mu; the loss lies in [0, B] and is beta-Lipschitz; a bound holds with probability
1 - delta.

    selected     lowest validation risk         oracle      lowest true risk
    g            approximate minimizer of the risk on m rows (to rho_in)
    f            the selected configuration's approximate minimizer on all n rows (to rho_out)
    R_m(F)       Rademacher complexity of the functions of a configuration for m rows
    E_app(F)     true risk of the best function of a configuration, less that of the best of all (f*)

The bounds are the printed ones. Their proof applies Hoeffding's inequality to the selected configuration, which depends
on the validation rows; a union over all L there would turn log(2 (L + 1) / delta) into log((3 L + 1) / delta), which
adds less than 3 % to them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from baselines.deployment import DELTA
from hpo_core.errors import InvalidOption


class RiskTerms(NamedTuple):
    """Parts of an excess risk, which add up to it; `hold_in` is 0 for a model that is not trained again.

    misspecification   E_mcm, for having selected another configuration than the oracle's
    optimization       E_opt, for training the oracle's configuration to a tolerance
    estimation         E_est, for training it on m rows rather than on the distribution
    approximation      E_app, for its functions not containing the best of all
    hold_in            -E_hin, what training on all rows adds: mostly negative
    """

    misspecification: float
    optimization: float
    estimation: float
    approximation: float
    hold_in: float = 0.0

    @property
    def total(self) -> float:
        """The excess risk."""
        return sum(self)


def risk_terms(
    selected: float,
    oracle: float,
    exact: float,
    best_in_class: float,
    bayes: float,
    retrained: float | None = None,
) -> RiskTerms:
    """Decomposition of the excess risk of g (eq. 6), or of f if its risk is given (eq. 7).

    Parameters
    ----------
    selected, oracle
        True risks of g for the selected and for the oracle's configuration.
    exact
        True risk of the oracle's configuration trained to the minimum on the same m rows.
    best_in_class
        Lowest true risk of any function of the oracle's configuration.
    bayes
        True risk of f*.
    retrained
        True risk of f.

    Examples
    --------
    >>> from baselines.excess_risk import risk_terms
    >>> terms = risk_terms(0.25, 0.22, 0.20, 0.15, 0.05, retrained=0.21)
    >>> [round(term, 2) for term in terms], round(terms.total, 2)
    ([0.03, 0.02, 0.05, 0.1, -0.04], 0.16)
    """
    hold_in = 0.0 if retrained is None else retrained - selected
    return RiskTerms(selected - oracle, oracle - exact, exact - best_in_class, best_in_class - bayes, hold_in)


def misspecification_bound(mu: int, L: int, *, B: float = 1.0, delta: float = DELTA) -> float:
    """Upper bound on E_mcm: 2 B sqrt(log(2 (L + 1) / delta) / (2 mu)), eqs. 12-14."""
    return _hoeffding(2 * (L + 1), B, delta) / math.sqrt(2 * mu)


def hold_in_bound(
    improvement: float,
    n: int,
    L: int,
    *,
    complexity: float = 0.0,
    beta: float = 1.0,
    B: float = 1.0,
    delta: float = DELTA,
) -> float:
    """Upper bound on -E_hin = E(f) - E(g): 8 beta R_n(F) + 4 B sqrt(log(2 (L + 2) / delta) / (2 n)) - I, eq. 21.

    Heuristic 3.1 trains again where this is negative for R_n(F) = 0.

    Parameters
    ----------
    improvement
        I, the empirical risk on all n rows of g less that of f (or the other term of theorem 3.2, if larger).
    n, L
        Number of rows, and of configurations compared.
    complexity
        R_n(F) of the selected configuration.
    beta, B, delta
        See above.
    """
    return 8 * beta * complexity + 2 * _hoeffding(2 * (L + 2), B, delta) / math.sqrt(2 * n) - improvement


def selected_bound(
    m: int,
    mu: int,
    L: int,
    *,
    rho_in: float = 0.0,
    complexities: Sequence[float] = (0.0,),
    approximations: Sequence[float] = (0.0,),
    beta: float = 1.0,
    B: float = 1.0,
    delta: float = DELTA,
) -> float:
    """Upper bound on the excess risk of g (theorem 3.1, eq. 8).

    Parameters
    ----------
    m, mu, L
        Rows for training and for validation, and number of configurations.
    rho_in
        Tolerance of the training.
    complexities, approximations
        R_m(F) and E_app(F) of each configuration; with the default what remains is the part that one can compute.
    beta, B, delta
        See above.
    """
    scale = 2 / math.sqrt(2 * m) + 1 / math.sqrt(2 * mu)
    return _best_class(complexities, approximations, beta) + rho_in + _hoeffding(2 * (L + 1), B, delta) * scale


def retrained_bound(
    m: int,
    mu: int,
    L: int,
    *,
    improvement: float,
    exact_improvement: float | None = None,
    rho_in: float = 0.0,
    rho_out: float = 0.0,
    complexities: Sequence[float] = (0.0,),
    approximations: Sequence[float] = (0.0,),
    complexity: float = 0.0,
    beta: float = 1.0,
    B: float = 1.0,
    delta: float = DELTA,
) -> float:
    """Upper bound on the excess risk of f (theorem 3.2, eq. 9).

    Parameters
    ----------
    m, mu, L
        Rows for training and for validation, and number of configurations.
    improvement, exact_improvement
        Empirical risk on all rows of g less that of f, as trained; and, if known, as if rho_in = rho_out = 0.
    rho_in, rho_out
        Tolerances.
    complexities, approximations
        R_m(F) and E_app(F) of each configuration.
    complexity
        R_n(F) of the selected configuration.
    beta, B, delta
        See above.
    """
    n = m + mu
    recovered = improvement
    if exact_improvement is not None:
        recovered = max(improvement, exact_improvement - rho_out - mu / n * B)
    scale = 2 / math.sqrt(2 * n) + 2 / math.sqrt(2 * m) + 1 / math.sqrt(2 * mu)
    statistical = _hoeffding(2 * (L + 2), B, delta) * scale
    return _best_class(complexities, approximations, beta) + 8 * beta * complexity + rho_in + statistical - recovered


def tighter_selected_bound(
    m: int,
    mu: int,
    L: int,
    *,
    tau: float,
    rho_in: float = 0.0,
    complexities: Sequence[float] = (0.0,),
    approximations: Sequence[float] = (0.0,),
    beta: float = 1.0,
    B: float = 1.0,
    delta: float = DELTA,
) -> float:
    """Upper bound on the excess risk of g where the variance of a loss falls with its mean (theorem A.2).

    The minimum over theta of (1 + theta) (a + b / theta) is a + b + 2 sqrt(a b) where b < a, else 2 (a + b).

    Parameters
    ----------
    m, mu, L
        Rows for training and for validation, and number of configurations.
    tau
        tau*(mu), the x > 0 with w(x) = x sqrt(mu), where w(excess risk) bounds the standard deviation of the loss; 1 /
        mu for w(x) = sqrt(x), as for classes without noise.
    rho_in
        Tolerance of the training.
    complexities, approximations
        R_m(F) and E_app(F) of each configuration.
    beta, B, delta
        See above.
    """
    logarithm = math.log((2 * L + 1) / delta)
    training = _best_class(complexities, approximations, beta) + rho_in + 2 * B * math.sqrt(2 * logarithm / m)
    a, b = training + 8 * B * logarithm / (3 * mu), 4 * B * logarithm * tau
    return a + b + 2 * math.sqrt(a * b) if b < a else 2 * (a + b)


def _best_class(complexities: Sequence[float], approximations: Sequence[float], beta: float) -> float:
    """Lowest 8 beta R(F) + E_app(F) of any configuration."""
    if len(complexities) != len(approximations) or not complexities:
        raise InvalidOption(
            "complexities and approximations must have a number for each configuration, got "
            f"{len(complexities)} and {len(approximations)}"
        )
    return min(8 * beta * r + e for r, e in zip(complexities, approximations, strict=True))


def _hoeffding(events: int, B: float, delta: float) -> float:
    """2 B sqrt(log(events / delta)), the paper's B'."""
    if not 0 < delta < 1:
        raise InvalidOption(f"delta must lie between 0 and 1, got {delta!r}")
    return 2 * B * math.sqrt(math.log(events / delta))
