"""What to do with the best hyperparameters: retrain on all data or not, and how precisely to train (Ram et al., 2022).

Symbols as in the paper. An optimizer compared L configurations by training on m rows and validating on mu others, with
m + mu = n. `g` is the best configuration's model, trained on the m rows; `f` is the same configuration trained on all
n. The loss lies in [0, B], such as a share of wrong classes with B = 1; statements hold with probability 1 - delta.

    E_n(h)      mean loss of a model h on all n rows
    rho_in      how far the training risk of each compared model may lie above the lowest possible
    rho_out     the same for the final training of f
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hpo_core.errors import InvalidOption

DELTA = 0.05


def retrain(risk_of_g: float, risk_of_f: float, n: int, L: int, *, B: float = 1.0, delta: float = DELTA) -> bool:
    """Whether to deploy f rather than g (heuristic 3.1).

    f is chosen if its empirical risk improves on that of g by more than the statistical price of another training:

        E_n(g) - E_n(f) > 2 B sqrt(2 log(2 (L + 2) / delta) / n)

    Parameters
    ----------
    risk_of_g, risk_of_f
        E_n(g) and E_n(f), in units of the loss.
    n
        Number of rows.
    L
        Number of configurations compared.
    B
        Largest possible loss.
    delta
        Probability that the statement does not hold.

    Examples
    --------
    >>> from baselines.deployment import retrain
    >>> retrain(0.30, 0.05, n=1000, L=36), retrain(0.10, 0.05, n=1000, L=36)
    (True, False)
    """
    _check_rows(n=n)
    _check(L, B, delta)
    return risk_of_g - risk_of_f > 2 * B * math.sqrt(2 * math.log(2 * (L + 2) / delta) / n)


def inner_tolerance(m: int, mu: int, L: int, *, gamma: float = 0.1, B: float = 1.0, delta: float = DELTA) -> float:
    """rho_in below which training the compared models more precisely does not pay (heuristic 3.2, eq. 10).

        rho_in = gamma B sqrt(2 log(2 (L + 1) / delta)) (2 / sqrt(m) + 1 / sqrt(mu))

    The paper finds gamma = 0.1 small enough to lose nothing.

    Parameters
    ----------
    m, mu
        Number of rows for training, and for validation.
    L
        Number of configurations compared.
    gamma
        Share of the statistical error that the tolerance may add.
    B
        Largest possible loss.
    delta
        Probability that the statement does not hold.

    Returns
    -------
    float
        In units of the loss.
    """
    _check_rows(m=m, mu=mu)
    _check(L, B, delta)
    _check_positive(gamma=gamma)
    return gamma * B * math.sqrt(2 * math.log(2 * (L + 1) / delta)) * (2 / math.sqrt(m) + 1 / math.sqrt(mu))


def outer_tolerance(
    improvement: Callable[[float], float],
    rho_in: float,
    m: int,
    mu: int,
    L: int,
    *,
    gamma: float = 0.005,
    nu: float = 0.5,
    B: float = 1.0,
    delta: float = DELTA,
    max_steps: int = 50,
) -> list[tuple[float, float]]:
    """Values of rho_out that were tried, each with its improvement; the last is the one to keep (heuristic B.1).

    `improvement(rho_out)` trains f further, until its training risk is within `rho_out`, and returns E_n(g) - E_n(f).
    Starting at rho_in, the tolerance is multiplied by nu as long as that raised the improvement by more than gamma
    kappa,

        kappa = rho_in + B sqrt(2 log(2 (L + 2) / delta)) (2 / sqrt(n) + 2 / sqrt(m) + 1 / sqrt(mu))

    The paper's eq. 36 has the two improvements the other way round; as printed the scheme would stop at once, since the
    improvement grows when the tolerance shrinks. It finds gamma up to 0.005 to cost little.

    Parameters
    ----------
    improvement
        Trains f further and returns E_n(g) - E_n(f), in units of the loss.
    rho_in
        Tolerance of the compared models, where the search starts.
    m, mu
        Number of rows for training, and for validation.
    L
        Number of configurations compared.
    gamma
        Share of kappa by which the improvement must grow.
    nu
        Factor on the tolerance, between 0 and 1.
    B
        Largest possible loss.
    delta
        Probability that the statement does not hold.
    max_steps
        Largest number of times that the tolerance shrinks.

    Returns
    -------
    list of (float, float)
        Tolerances and improvements, in the order in which they were tried.
    """
    _check_rows(m=m, mu=mu)
    _check(L, B, delta)
    _check_positive(gamma=gamma, rho_in=rho_in)
    if not 0 < nu < 1:
        raise InvalidOption(f"nu must lie between 0 and 1, got {nu!r}")
    n = m + mu
    scale = 2 / math.sqrt(n) + 2 / math.sqrt(m) + 1 / math.sqrt(mu)
    kappa = rho_in + B * math.sqrt(2 * math.log(2 * (L + 2) / delta)) * scale
    tried = [(rho_in, improvement(rho_in))]
    for _ in range(max_steps):
        rho_out = nu * tried[-1][0]
        tried.append((rho_out, improvement(rho_out)))
        if tried[-1][1] - tried[-2][1] <= gamma * kappa:
            break
    return tried


def _check_rows(**counts: int) -> None:
    for name, count in counts.items():
        if count < 1:
            raise InvalidOption(f"{name} must be a number of rows, at least 1, got {count!r}")


def _check(L: int, B: float, delta: float) -> None:
    if L < 1:
        raise InvalidOption(f"L must be the number of configurations compared, at least 1, got {L!r}")
    if not 0 < delta < 1:
        raise InvalidOption(f"delta must lie between 0 and 1, got {delta!r}")
    _check_positive(B=B)


def _check_positive(**numbers: float) -> None:
    for name, number in numbers.items():
        if not 0 < number < math.inf:
            raise InvalidOption(f"{name} must be a positive number, got {number!r}")
