"""Multivariate TPE: the two densities of Bergstra et al. (2011), each one kernel density over all hyperparameters.

    n      rows asked for so far        l, g   densities of the good and of the bad rows

The best ceil(gamma n) rows, at most 25, are good; of 24 draws from l the one with the highest l/g is proposed.
The first 10 configurations are random.

Where this leaves the paper: the paper multiplies one-dimensional densities, here the kernels are multiplied, so that
l and g see which values go together (thesis section 6.3 does so too). A bandwidth is 1.06 sd n^(-1/5), where sd is that
of the good rows, the prior being one row more, in l, and that of the prior in g; but it is never smaller than the cell
of a value of an int or ordinal: with less, the draws repeat what is known. A categorical keeps its value but for a
probability of n^(-1/5) / 2. Bandwidths are set when the good rows change. All rows weigh the same, however old, and a
pending one counts as bad.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from baselines.parts.observations import Observations
from baselines.parts.requirements import count, number, without_conditions
from baselines.parts.sampling import unit_decoder
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_models.densities.kde import ProductKde
from hpo_models.features import Features

MOST_GOOD = 25
BLOCK = 4
PRIOR_SD = 12**-0.5  # of a uniform number in [0, 1]
NARROWEST = 1e-3  # standard deviation of a float's kernel


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
    _g: ProductKde
    _drawn: Iterator[tuple[np.ndarray, np.ndarray]]  # sets of candidates from l, with their log densities

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
        self._narrowest = np.maximum(self._features.cells, NARROWEST)
        self._decode = unit_decoder(space)
        self._observations = Observations()
        self._rows = np.empty((64, self._features.width))
        self._good: list[int] = []
        self._n_fitted = 0  # rows that l and g know

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
            self._fit(n, good)
        for row in self._rows[self._n_fitted : n]:  # new since then, and bad
            self._g.add(row)
        self._n_fitted = n
        candidates, log_l = next(self._drawn)
        return candidates[np.argmax(log_l - self._g.log_density(candidates))]

    def _fit(self, n: int, good: list[int]) -> None:
        self._good, self._n_fitted = good, n
        rows = self._rows[good]
        centred = rows[:, : self._features.n_numeric] - 0.5
        mean = centred.sum(axis=0) / (len(rows) + 1)  # the prior, of mean 1/2 and variance 1/12, is one row more
        variance = ((centred**2).sum(axis=0) + PRIOR_SD**2) / (len(rows) + 1) - mean**2
        self._drawn = self._draw(self._density(rows, np.sqrt(variance)))
        bad = np.ones(n, dtype=bool)
        bad[good] = False
        self._g = self._density(self._rows[:n][bad], PRIOR_SD)

    def _density(self, rows: np.ndarray, spreads: np.ndarray | float) -> ProductKde:
        rate = (len(rows) + 1) ** -0.2
        sds = np.maximum(1.06 * spreads * rate, self._narrowest)
        return ProductKde(self._features, rows, sds, 0.5 * rate, prior_weight=1.0)

    def _draw(self, l: ProductKde) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Sets of candidates, made several at a time, since l often serves several proposals."""
        while True:
            candidates = l.sample(self._rng, BLOCK * self.n_candidates)
            yield from zip(np.split(candidates, BLOCK), np.split(l.log_density(candidates), BLOCK), strict=True)
