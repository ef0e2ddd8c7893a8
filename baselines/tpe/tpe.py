"""Multivariate TPE: the two densities of Bergstra et al. (2011), each a kernel density over all hyperparameters [tpe].

    n      rows asked for so far        l, g   densities of the good and of the bad rows

The best ceil(gamma n) rows, at most 25, are good; of 24 draws from l the one with the highest l/g is proposed.
The first 10 configurations are random.

Departures from the paper: it multiplies one-dimensional densities; here the kernels are multiplied, so that l and g see
which values go together, as in Klein (2020, section 6.3). A bandwidth is 1.06 sd n^(-1/5), where sd is that of the good
rows, the prior being one row more, in l, and that of the prior in g; but it is never smaller than the cell of a value
of an int or ordinal: with less, the draws repeat known rows. A categorical keeps its value except with a probability of
n^(-1/5) / 2. Bandwidths are set when the good rows change. All rows of g weigh the same, and a pending one
counts as bad. Bad rows before the newest 1,000 are forgotten, so that a proposal does not take longer and longer.

Conditions. A row where a hyperparameter is switched off counts for it as a draw from the prior, n and sd are those of
the rows that have it, and a candidate that does not have it has no factor for it in l or g: the tree of Bergstra et al.
(2011) with joint kernels, see `hpo_models.densities.kde`. Of the draws those that are forbidden are left out, and
should all be, a random configuration is proposed. In a space with a list the draws are rows of it that are new.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from baselines.parts.history import WINDOW, History
from baselines.parts.requirements import count, number
from baselines.parts.sampling import unit_decoder
from baselines.parts.search.maximum import random_new_row
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Space
from hpo_models.densities.kde import ProductKde
from hpo_models.densities.listed_draws import ListedDraws
from hpo_models.densities.masked import column_counts
from hpo_models.features import Features

MOST_GOOD = 25
SLACK = 250  # rows that g has more than the window before it forgets the oldest
BLOCK = 4  # sets of candidates that are drawn at once
PRIOR_SD = 12**-0.5  # of a uniform number in [0, 1]
NARROWEST = 1e-3  # standard deviation of a float's kernel


class TPE:
    """TPE with multivariate densities.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    n_initial
        Number of random configurations before the densities are used.
    n_candidates
        Number of draws from l that are compared.
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
        n_initial: int = 10,
        n_candidates: int = 24,
        gamma: float = 0.1,
    ):
        self._n_initial = count("n_initial", n_initial)
        self._rng = np.random.default_rng(seed)
        self._features = Features(space)
        self._decode = unit_decoder(space)
        self._history = History(self._features.width)
        self.n_random = 0
        self._ratio = DensityRatio(
            self._features, count("n_candidates", n_candidates), number("gamma", gamma, 0.0, 1.0)
        )

    @single_threaded
    def ask(self) -> Proposal:
        history = self._history
        if len(history) < self._n_initial or history.n_finite == 0:
            self.n_random += 1
            row = self._random_row()
        else:
            row = self._ratio.propose(history, self._rng)
        return history.propose(Proposal(self._decode(self._features.to_unit(row))), row)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._history.tell(proposal, loss, cost)

    def _random_row(self) -> np.ndarray:
        if self._features.listed is not None or self._features.first is not None:
            return random_new_row(self._history.snapshot(self._features), self._rng)
        return self._features.sample_start(self._rng, 1)[0]


class DensityRatio:
    """Densities l and g of a history that only grows, and the row that is best by their ratio.

    They are kept from proposal to proposal: while the good rows, whose indices are `good`, stay the same, l stays the
    same and new rows are added to g.
    """

    l: ProductKde
    g: ProductKde

    def __init__(self, features: Features, n_candidates: int, gamma: float):
        self.good: list[int] = []
        self._features, self._n_candidates, self._gamma = features, n_candidates, gamma
        self._narrowest = np.maximum(features.cells, NARROWEST)
        self._n_fitted = 0  # rows that l and g know
        self._first = 0  # the oldest row of g
        self._drawn: list[tuple[np.ndarray, np.ndarray]] = []  # sets of candidates from l, with their log densities
        self._listed = None if features.listed is None else ListedDraws(features.listed)
        self._n_noted = 0  # rows that are not drawn from the list any more

    def propose(self, history: History, rng: np.random.Generator) -> np.ndarray:
        """Row (width,) to evaluate next; needs one finite loss."""
        rows, n = history.rows, len(history)
        good = history.best(min(max(math.ceil(self._gamma * n), 1), MOST_GOOD))
        if good != self.good or n - self._first > WINDOW + SLACK:
            self._fit(rows, good)
        for row in rows[self._n_fitted :]:  # new since then, and bad
            self.g.add(row)
        self._n_fitted = n
        candidates, log_l = self._candidates(rng) if self._listed is None else self._new(self._listed, rows, rng)
        best = np.argmax(log_l - self.g.log_density(candidates))
        return candidates[best] if log_l[best] > -math.inf else self._features.sample_prior(rng, 1)[0]

    def _candidates(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draws from l, with their log densities, -inf for what is forbidden."""
        if not self._drawn:  # several sets at a time, since l often serves several proposals
            candidates = self.l.sample(rng, BLOCK * self._n_candidates)
            log_l = self.l.log_density(candidates)
            if self._features.constrained:
                log_l = np.where(self._features.allowed(candidates), log_l, -math.inf)
            self._drawn = list(zip(np.split(candidates, BLOCK), np.split(log_l, BLOCK), strict=True))[::-1]
        return self._drawn.pop()

    def _new(self, listed: ListedDraws, rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draws from l among what is listed and not in the history, with their log densities."""
        for row in rows[self._n_noted :]:
            listed.note(row)
        self._n_noted = len(rows)
        candidates = listed.draw(rng, self._n_candidates)
        return candidates, self.l.log_density(candidates)

    def _fit(self, rows: np.ndarray, good: list[int]) -> None:
        self.good, self._n_fitted, self._drawn = good, len(rows), []
        best, k = rows[good], self._features.n_numeric
        centred = best[:, :k] - 0.5
        n: np.ndarray | int = len(good)
        if self._features.conditional:
            present = self._features.present(best)[:, :k]
            centred, n = centred * present, present.sum(axis=0)
        mean = centred.sum(axis=0) / (n + 1)  # the prior, of mean 1/2 and variance 1/12, is one row more
        variance = ((centred**2).sum(axis=0) + PRIOR_SD**2) / (n + 1) - mean**2
        self.l = self._density(best, np.sqrt(variance))
        self._first = max(len(rows) - WINDOW, 0)
        bad = np.ones(len(rows) - self._first, dtype=bool)
        bad[[row - self._first for row in good if row >= self._first]] = False
        self.g = self._density(rows[self._first :][bad], PRIOR_SD)
        if self._listed is not None:
            self._listed.weigh(self.l)

    def _density(self, rows: np.ndarray, stds: np.ndarray | float) -> ProductKde:
        if self._features.conditional:
            rates = (column_counts(self._features, rows) + 1.0) ** -0.2
            rate, switching = np.split(rates, [self._features.n_numeric])
        else:
            rate = switching = (len(rows) + 1) ** -0.2
        bandwidths = np.maximum(1.06 * stds * rate, self._narrowest)
        return ProductKde(self._features, rows, bandwidths, 0.5 * switching, prior_weight=1.0)
