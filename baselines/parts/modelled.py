"""`Modelled`: what the optimizers with a model of the objective share: initial design, rows, pending and failed trials.

A subclass implements `_suggest`. It finds the observations in `_observed()`: rows of features and losses, in which a
pending proposal stands with the median of the known losses (a constant liar, Ginsbourger et al., 2010) and a failed one
with the worst. A configuration that was proposed before is not proposed again as long as there are others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from baselines.parts.acquisition_search import Score, local_search, refine
from baselines.parts.history import row_key
from baselines.parts.requirements import count, without_conditions
from baselines.parts.sampling import unit_decoder
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_models.features import Features

TRIES = 100  # random configurations looked at for one that is new


class Modelled:
    """An optimizer that asks its model after `n_initial` random configurations."""

    name = "modelled"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, n_initial: int = 10):
        without_conditions(space, self.name)
        self.n_initial = count("n_initial", n_initial)
        self._rng = np.random.default_rng(seed)
        self._features = Features(space)
        self._decode = unit_decoder(space)
        self._pending: Pending[int] = Pending()
        self._rows = np.empty((64, self._features.width))
        self._losses = np.full(64, np.nan)  # NaN while pending, inf for a failed trial
        self._n = 0
        self._known: set[bytes] = set()

    def ask(self) -> Proposal:
        n_finite = int(np.isfinite(self._losses[: self._n]).sum())
        row = self._suggest() if self._n >= self.n_initial and n_finite > 0 else self._random_row()
        if self._n == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
            self._losses = np.concatenate([self._losses, np.full(len(self._losses), np.nan)])
        self._rows[self._n] = row
        self._known.add(row_key(row))
        proposal = Proposal(self._decode(self._features.to_unit(row)))
        self._pending.add(proposal, self._n)
        self._n += 1
        return proposal

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._losses[self._pending.take(proposal, loss)] = loss if loss < math.inf else math.inf

    def _suggest(self) -> np.ndarray:
        """Row (width,) to propose next."""
        raise NotImplementedError

    def _observed(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows (n, width) and losses (n,), all finite."""
        losses = self._losses[: self._n]
        finite = losses[np.isfinite(losses)]
        stand_in = np.where(np.isnan(losses), np.median(finite), np.max(finite))
        return self._rows[: self._n], np.where(np.isfinite(losses), losses, stand_in)

    def _best_row(self) -> np.ndarray:
        losses = self._losses[: self._n]
        return self._rows[int(np.nanargmin(np.where(np.isfinite(losses), losses, np.nan)))]

    def _random_row(self) -> np.ndarray:
        for row in self._features.sample_prior(self._rng, TRIES):
            if row_key(row) not in self._known:
                return row
        return row

    def _maximise(self, score: Score, points: np.ndarray, known: np.ndarray, n_starts: int = 10) -> np.ndarray:
        """The best new row (width,) of points, and of what local search finds from the best of them and `known`."""
        scores = score(points)
        starts = np.concatenate([known, points[np.argsort(-scores, kind="stable")[:n_starts]]])
        found, heights = local_search(self._features, starts, score, self._rng)
        close, peaks = refine(self._features, found[int(np.argmax(heights))], score, self._rng)
        return self._first_new(np.concatenate([close, found, points]), np.concatenate([peaks, heights, scores]))

    def _first_new(self, rows: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """The row (width,) of highest score that was not proposed before; a random one if all were."""
        for place in np.argsort(-scores, kind="stable"):
            if row_key(rows[place]) not in self._known:
                return rows[place]
        return self._random_row()
