"""Priors of a Gaussian process' hyperparameters, and the box that they are searched in.

    lengthscale   one per group of input columns
    scale         variance of the function
    noise         variance of the observations around the function
    mean          constant mean of the function

All are meant for inputs in the unit cube and for standardised losses. `MAP` has the priors of the code of Makarova et
al. (2022); small noise is probable, with a pole of the density at 0. `MARGINAL_LIKELIHOOD` has flat priors, for type II
maximum likelihood.

`SAMPLING` is `MAP` with a prior of the lengthscales, for samples. A flat one does no harm to the most probable values,
but nearly all of its mass lies at the upper end of the box, and a lengthscale that the observations say little about is
sampled there: with nine hyperparameters the median was 10^2.9, where maximum likelihood has 10^0.5. One that is flat in
the inverse lengthscale, as in the open code that Makarova et al. (2021) name as closest to theirs, has its mass at the
lower end: the median becomes 10^-1.7, and the bound on the regret next to 0. They do not print the prior they used.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol


class Prior(Protocol):
    """Logarithm of a density up to a constant, and its derivative, both at a value of the hyperparameter itself."""

    def log_density(self, value: float) -> float: ...
    def derivative(self, value: float) -> float: ...


class Gamma(NamedTuple):
    """Gamma distribution by mean and shape."""

    mean: float
    shape: float

    def log_density(self, value: float) -> float:
        return (self.shape - 1.0) * math.log(value) - value * self.shape / self.mean

    def derivative(self, value: float) -> float:
        return (self.shape - 1.0) / value - self.shape / self.mean


class LogNormal(NamedTuple):
    """Distribution of a value whose logarithm is normal."""

    location: float
    std: float

    def log_density(self, value: float) -> float:
        return -math.log(value) - 0.5 * ((math.log(value) - self.location) / self.std) ** 2

    def derivative(self, value: float) -> float:
        return -(1.0 + (math.log(value) - self.location) / self.std**2) / value


class Priors(NamedTuple):
    """Prior of each hyperparameter, None for a flat one; the mean's is normal around 0, given by its variance."""

    lengthscale: Prior | None = None
    scale: Prior | None = LogNormal(0.0, 1.0)
    noise: Prior | None = Gamma(0.1, 0.1)
    mean_variance: float | None = 1.0


class Box(NamedTuple):
    """Lowest and highest value of each positive hyperparameter."""

    lengthscale: tuple[float, float] = (1e-2, 1e4)
    scale: tuple[float, float] = (1e-3, 1e3)
    noise: tuple[float, float] = (1e-9, 1e6)


MAP = Priors()
SAMPLING = Priors(lengthscale=LogNormal(0.0, 1.0))
MARGINAL_LIKELIHOOD = Priors(None, None, None, None)
