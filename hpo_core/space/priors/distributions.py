"""Entries of a prior as the distributions of ConfigSpace's hyperparameters, and back.

ConfigSpace has normal and beta distributions of floats and ints, and weights of categoricals. The standard deviation of
a normal one is in units of the value there; on a logarithmic scale the library takes |log(lower + sigma)| for it, and
so does this. What ConfigSpace has no words for stays uniform there: entries of ordinals, and a few narrow ones on
logarithmic scales.
"""

from __future__ import annotations

import math
from typing import Any

from hpo_core.errors import InvalidPrior, UnsupportedSpace
from hpo_core.space.hyperparameters import Categorical, Float, Hyperparameter, Int
from hpo_core.space.priors.entries import Beta, Entry, Normal, Weights, masses_of, settled_entry


def read_distribution(h: Hyperparameter, given: Any) -> Entry | None:
    """Entry of one of ConfigSpace's hyperparameters, which became `h`; None for a uniform one."""
    import ConfigSpace as cs

    if not isinstance(h, (Float, Int)):
        return None
    try:
        if isinstance(given, (cs.NormalFloatHyperparameter, cs.NormalIntegerHyperparameter)):
            return settled_entry(h, Normal(given.mu, _share(h, float(given.sigma))))
        if isinstance(given, (cs.BetaFloatHyperparameter, cs.BetaIntegerHyperparameter)):
            return settled_entry(h, Beta(given.alpha, given.beta))
    except InvalidPrior as error:
        raise UnsupportedSpace(f"the distribution of {h.name!r} cannot be a prior: {error}") from None
    return None


def written_distribution(h: Hyperparameter, entry: Entry) -> Any | None:
    """One of ConfigSpace's hyperparameters with the distribution of an entry; None where it has none such."""
    import ConfigSpace as cs

    if isinstance(entry, Weights):
        if not isinstance(h, Categorical):
            return None
        return cs.CategoricalHyperparameter(
            h.name, list(h.values), weights=masses_of(h, entry).tolist(), default_value=h.default
        )
    if not isinstance(h, (Float, Int)):
        return None
    shared: dict[str, Any] = {"lower": h.low, "upper": h.high, "log": h.log, "default_value": h.default}
    is_float = isinstance(h, Float)
    if isinstance(entry, Beta):
        kind = cs.BetaFloatHyperparameter if is_float else cs.BetaIntegerHyperparameter
        return kind(h.name, entry.a, entry.b, **shared)
    sigma = _sigma(h, entry.std)
    if not sigma > 0:
        return None
    return (cs.NormalFloatHyperparameter if is_float else cs.NormalIntegerHyperparameter)(
        h.name, entry.centre, sigma, **shared
    )


def _share(h: Float | Int, sigma: float) -> float:
    """Share of the range that a standard deviation of ConfigSpace is."""
    if h.log:
        return abs(math.log(h.low + sigma)) / (math.log(h.high) - math.log(h.low))
    return sigma / (h.high - h.low)


def _sigma(h: Float | Int, std: float) -> float:
    """Standard deviation of ConfigSpace that is a share of the range, or a number below 0 if none is."""
    if h.log:
        return math.exp(std * (math.log(h.high) - math.log(h.low))) - h.low
    return std * (h.high - h.low)
