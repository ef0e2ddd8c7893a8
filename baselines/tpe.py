"""Multivariate TPE: the two densities of Bergstra et al. (2011), each one kernel density over all hyperparameters.

    n      rows asked for so far        l, g   densities of the good and of the bad rows

The best ceil(gamma n) rows, at most 25, are good; of 24 draws from l the one with the highest l/g is proposed.
The first 10 configurations are random.

Where this leaves the paper: the paper multiplies one-dimensional densities, here the kernels are multiplied, so that
l and g see which values go together (thesis section 6.3 does so too). A bandwidth follows the spread of the rows,
1.06 sd n^(-1/5), the prior being one row among them, but is never smaller than the cell of a value of an int or
ordinal: with less, the draws repeat what is known. A categorical keeps its value but for a probability of n^(-1/5) / 2.
All rows have the same weight, however old. A pending row counts as bad.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from baselines.observations import Observations
from baselines.requirements import count, number, without_conditions
from baselines.sampling import unit_decoder
from hpo_core.space import Space
from hpo_core.trial import Proposal
from hpo_models.features import Features
from hpo_models.kde import ProductKde

MOST_GOOD = 25
BLOCK = 4
NARROWEST = 1e-3  # bandwidth of a float


class TPE:
    """TPE with multivariate densities.

    Parameters
    ----------
    n_startup
        Random configurations before the densities are used.
    n_candidates
        Draws from l that are compared.
    gamma
        Share of the rows that counts as good.
    """

    name = "tpe"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        n_startup: int = 10,
        n_candidates: int = 24,
        gamma: float = 0.1,
    ):
        without_conditions(space, self.name)
        self.n_startup = count("n_startup", n_startup)
        self.n_candidates = count("n_candidates", n_candidates)
        self.gamma = number("gamma", gamma, 0.0, 1.0)
        self._rng = np.random.default_rng(seed)
        self._features = Features(space)
        self._decode = unit_decoder(space)
        self._observations = Observations()
        self._rows = np.empty((64, self._features.width))
        self._good: list[int] = []
        self._drawn: Iterator[tuple[np.ndarray, np.ndarray]] = iter(())

    def ask(self) -> Proposal:
        n = len(self._observations)
        if n < self.n_startup or self._observations.n_finite == 0:
            row = self._features.sample_prior(self._rng, 1)[0]
        else:
            row = self._suggest(n)
        if n == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[n] = row
        return self._observations.propose(Proposal(self._decode(self._features.to_unit(row))))

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._observations.tell(proposal, loss)

    def _suggest(self, n: int) -> np.ndarray:
        good = self._observations.best(min(max(math.ceil(self.gamma * n), 1), MOST_GOOD))
        if good != self._good:
            self._good, self._drawn = good, self._draw(_density(self._features, self._rows[good]))
        bad = np.ones(n, dtype=bool)
        bad[good] = False
        candidates, log_l = next(self._drawn)
        log_g = _density(self._features, self._rows[:n][bad]).log_density(candidates)
        return candidates[np.argmax(log_l - log_g)]

    def _draw(self, l: ProductKde) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Sets of candidates and their log densities, made `BLOCK` at a time: l often serves several proposals."""
        while True:
            candidates = l.sample(self._rng, BLOCK * self.n_candidates)
            yield from zip(np.split(candidates, BLOCK), np.split(l.log_density(candidates), BLOCK), strict=True)


def _density(features: Features, rows: np.ndarray) -> ProductKde:
    n = len(rows)
    rate = max(n, 1) ** -0.2
    centred = rows[:, : features.n_numeric] - 0.5
    mean = centred.sum(axis=0) / (n + 1)  # the prior, of mean 1/2 and variance 1/12, is one row more
    variance = (np.einsum("nj,nj->j", centred, centred) + 1.0 / 12.0) / (n + 1) - mean**2
    sds = np.maximum(1.06 * rate * np.sqrt(variance), np.maximum(features.cells, NARROWEST))
    leaving = np.full(len(features.sizes), 0.5 * rate)
    return ProductKde(features, rows, np.concatenate([sds, leaving]), prior_weight=1.0)
