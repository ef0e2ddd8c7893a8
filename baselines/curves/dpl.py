"""DPL: deep power laws, one step of one training at a time (Kadra et al., 2023) [dpl].

    x       configuration                          N   steps of a full training, the ladder of budgets
    f       an ensemble of networks that predict a power law of the budget from x, `hpo_models.curves.power_laws`

Algorithm 1. After each loss the ensemble is refined, and the training that goes on for a step, or begins, is the one of
the highest expected improvement of the loss predicted at the full budget over the lowest loss observed at any budget.
Trainings are frozen in between and go on whenever they are promising again. Whenever the lowest loss has not fallen for
1.2 N steps the ensemble is trained from scratch, as in the authors' code.

Why this one and not DyHPO (Wistuba et al., 2022), the other method of this kind: a step is an observation, so that
there are soon a thousand of them. A refinement of these networks takes the same time for any number of observations;
the Gaussian process of DyHPO takes a time that grows with their cube for each of its 50 steps of gradient descent.

Departures from the paper, beside those of `hpo_models.curves.power_laws`: the first 10 configurations are random, not
the first one. The ensemble is trained from scratch whenever there are a tenth more losses as well, not only after the
first 10: refined alone, it went on for too long with what its first losses had taught it. Losses become shares of their
range, from the lowest to the median loss after the first step, at which they are cut off. A failed training is not
continued, and its last loss counts as the worst. Where the paper scores every configuration of a table the candidates
are 300 random ones, a part of them near the configuration of the lowest loss, and all of a short list. With several
workers a training that is running is no candidate.

Examples
--------
>>> from hpo_core import run
>>> r = run("mini-wine", "dpl", n_trials=60, seed=0)
>>> r.trials[0].budget, max(trial.budget for trial in r.trials) > 1
(1, True)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from baselines.curves.parts.stepwise import StepwiseTraining, ladder
from baselines.parts.history import row_key
from baselines.parts.requirements import count
from baselines.parts.sampling import unit_decoder
from baselines.parts.search.maximum import random_points
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Space
from hpo_models.acquisition import log_expected_improvement
from hpo_models.curves.power_laws import Curves, PowerLaws, trained
from hpo_models.features import Features

N_CANDIDATES = 300
GROWTH = 1.1  # of the number of losses, after which the ensemble is trained from scratch
PATIENCE = 1.2  # full trainings without a lower loss, until it is again


class DPL:
    """Power laws of learning curves, any space.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    step
        A training is evaluated at every `step`-th available budget.
    n_initial
        Number of random configurations, trained for one step each, before the ensemble is used.
    """

    name = "dpl"

    def __init__(
        self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, step: int = 1, n_initial: int = 10
    ):
        self._steps = ladder(budgets, step)
        self._n_initial = count("n_initial", n_initial)
        self._shares = np.asarray(self._steps, dtype=float) / float(self._steps[-1])
        self._features = Features(space)
        self._decode = unit_decoder(space)
        self._rng = np.random.default_rng(seed)
        self._trainings: list[StepwiseTraining] = []
        self._rows = np.empty((0, self._features.width))  # of the trainings
        self._known: set[bytes] = set()
        self._open: dict[int, StepwiseTraining] = {}  # trainings that can go on, by index
        self._observed: list[tuple[int, int, float]] = []  # index of the training, its step, loss
        self._ensemble: PowerLaws | None = None
        self._n_seen = self._n_scratch = self._n_since_best = (
            0  # losses that it was refined, trained with; since the best
        )
        self._best = math.inf
        self._pending: Pending[int] = Pending()
        self.n_random = 0

    @property
    def n_trainings(self) -> int:
        """Number of trainings so far."""
        return len(self._trainings)

    @single_threaded
    def ask(self) -> Proposal | None:
        index = self._choose()
        if index is None:
            return None
        training = self._open.pop(index)
        budget = self._steps[len(training.losses)]
        return self._pending.add(Proposal(dict(training.proposal.config), budget), index)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        index = self._pending.take(proposal, loss)
        training = self._trainings[index]
        self._observed.append((index, len(training.losses), float(loss)))
        training.losses.append(float(loss))
        if loss < math.inf and len(training.losses) < len(self._steps):
            self._open[index] = training
        self._n_since_best = 0 if loss < self._best else self._n_since_best + 1
        self._best = min(self._best, float(loss))

    def _choose(self) -> int | None:
        """Index of the training that goes on, or begins; None if there is nothing to train."""
        going, fresh = list(self._open), self._new_rows()
        if self.n_trainings < self._n_initial or self._best == math.inf or not self._features.width:
            self.n_random += bool(len(fresh))
            return self._begin(fresh[0]) if len(fresh) else going[0] if going else None
        rows = np.concatenate([self._rows[going], fresh])
        if not len(rows):
            return None
        ensemble, lowest = self._refined()
        means, stds = ensemble.predict(rows, np.ones(len(rows)))
        chosen = int(np.argmax(log_expected_improvement(means, stds, lowest)))
        return going[chosen] if chosen < len(going) else self._begin(rows[chosen])

    def _new_rows(self) -> np.ndarray:
        """(m, width) rows of configurations whose training has not begun; none if no new one was found."""
        best = None
        if self._best < math.inf:
            best = self._rows[min(self._observed, key=lambda observed: observed[2])[0]]
        rows = random_points(self._features, self._rng, best, N_CANDIDATES)
        return rows[[row_key(row) not in self._known for row in rows]]

    def _begin(self, row: np.ndarray) -> int:
        """Index of a new training."""
        index = len(self._trainings)
        training = StepwiseTraining(Proposal(self._decode(self._features.to_unit(row))), index + 1)
        self._trainings.append(training)
        self._rows = np.concatenate([self._rows, row[None]])
        self._known.add(row_key(row))
        self._open[index] = training
        return index

    def _refined(self) -> tuple[PowerLaws, float]:
        """The ensemble after all losses, and the lowest of them as it sees them."""
        indices, steps, losses = (np.array(column) for column in zip(*self._observed, strict=True))
        values = shares_of_range(losses, float(np.median(losses[steps == 0])))
        if self._ensemble is None or self._n_seen < len(values):
            curves = Curves(self._rows[indices], self._shares[steps], values)
            stale = self._n_since_best >= PATIENCE * len(self._steps)
            scratch = self._ensemble is None or stale or len(values) >= GROWTH * self._n_scratch
            self._n_scratch = len(values) if scratch else self._n_scratch
            self._ensemble = trained(curves, self._rng, None if scratch else self._ensemble)
            self._n_seen, self._n_since_best = len(values), 0 if stale else self._n_since_best
        return self._ensemble, float(values.min())


def shares_of_range(losses: np.ndarray, first: float) -> np.ndarray:
    """(n,) values in [0, 1]: 0 for the lowest loss, 1 for all from a loss `first` of an untrained model on.

    Zeros if no loss is below it; `first` may be infinite, then the highest finite loss takes its place.
    """
    finite = losses[np.isfinite(losses)]
    lowest, cap = float(finite.min()), min(first, float(finite.max()))
    if not lowest < cap:
        return np.zeros_like(losses)
    return (np.clip(losses, lowest, cap) - lowest) / (cap - lowest)
