"""`Budgeted`: what the optimizers share that choose a budget by information per cost, `fabolas` and `mtbo`.

Models of the losses and of the costs over configurations and budgets are fitted before each proposal. It maximises the
information gained about where the minimum at the full budget is (`hpo_models.gp.entropy`), per second that it is
predicted to cost and an overhead (thesis, eqs. 4.4 and 4.6). In the thesis the overhead is the time that the optimizer
itself takes, minutes, beside which seconds more or less do not matter. On the clock of `hpo_core.running.loop` thinking
takes no time; but without an overhead the cheapest evaluations are preferred however little they say, and what they say
is as wrong as the model of how losses change with the budget. So it is a share of the predicted cost of a full
evaluation. The default was chosen on `svm-subsets`, from 0, 0.02, 0.06, 0.1, 0.2 and 0.5.

The incumbent. The thesis reports the configuration with the lowest predicted loss at the full budget, the attribute
`incumbent`, and evaluates it there outside of the run. A run here counts what was evaluated: the lowest loss at the
largest budget so far. So proposals are not by information alone: whenever the evaluations at smaller budgets since the
last one at the full budget took as long as it would, the predicted incumbent is evaluated at the full budget, or if it
was already, the configuration of highest expected improvement per second there. This at most doubles the time, and the
model learns from it. Where the information of every candidate is too small to be told from 0, the configuration of
highest improvement is evaluated at the budget that says most about it per second.

Losses are transformed, so that a loss of 1e7 among losses of 1e-5 does not decide everything. With several budgets
the transform is linear up to the median loss and logarithmic beyond; that of `gp`, logarithmic near the lowest loss,
would make curves over the budget steepest at the full one, where the model of `fabolas` has them flat.

The initial design is random, and goes on while all losses are equal, up to four times its length: on `svm-subsets` more
than half of the configurations are as bad as guessing.

A pending proposal counts with the model's own prediction, a failed one with the worst value. A configuration is not
proposed twice at the same budget as long as there are others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from baselines.parts.acquisition_search import Score, local_search, random_points, refine
from baselines.parts.history import row_key
from baselines.parts.information import Information, improvement
from baselines.parts.loss_transforms import log_distances, tempered
from baselines.parts.modelled import Modelled
from baselines.parts.requirements import number
from hpo_core.running.trial import Proposal
from hpo_core.space import Config, Space
from hpo_models.gp.fabolas import CostModel, fit_costs
from hpo_models.gp.product import Points, ProductGP

N_SHARED = 24  # representers, and half as many random points, that are candidates at every budget
N_STEPS, N_CLOSE = 2, 10  # of the local search, and points of each of the ever smaller steps around what it finds
PATIENCE = 4  # times the initial design, that random configurations go on for while all losses are equal
N_STARTS = 3  # local searches for expected improvement


class Told(NamedTuple):
    """What is known: rows (n, width), places (n,) of their budgets, transformed losses (n,), costs (n,) in seconds."""

    rows: np.ndarray
    places: np.ndarray
    values: np.ndarray
    costs: np.ndarray


class Budgeted(Modelled):
    """An optimizer that evaluates at some budgets, `sizes`, ascending; the last is the full one."""

    def __init__(self, space: Space, sizes: Sequence[float], seed: int, n_initial: int, overhead: float):
        super().__init__(space, seed=seed, n_initial=n_initial)
        self.sizes = list(sizes)
        self.overhead = number("overhead", overhead, 0.0, 1e9)
        self._full = len(self.sizes) - 1
        self._places: list[int] = []
        self._costs: list[float] = []
        self._tried: set[tuple[bytes, int]] = set()
        self._spent = 0.0  # seconds at smaller budgets since the last proposal at the full one
        self._cost_model: CostModel | None = None
        self.incumbent: Config | None = None  # of the lowest predicted loss at the full budget, by the last fit

    def ask(self) -> Proposal:
        row, place = self._choose() if self._features.width and self._ready() else self._initial()
        if self._n == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
            self._losses = np.concatenate([self._losses, np.full(len(self._losses), np.nan)])
        self._rows[self._n] = row
        self._places.append(place)
        self._costs.append(np.nan)
        self._tried.add((row_key(row), place))
        if place == self._full:
            self._known.add(row_key(row))
            self._spent = 0.0
        budget = self.sizes[place] if self._full > 0 else None
        proposal = Proposal(self._decode(self._features.to_unit(row)), budget)
        self._pending.add(proposal, self._n)
        self._n += 1
        return proposal

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        at = self._pending.take(proposal, loss)
        self._losses[at], self._costs[at] = loss, max(cost, 0.0)
        if self._places[at] < self._full and at >= self.n_initial:
            self._spent += max(cost, 0.0)

    def _ready(self) -> bool:
        """Whether the model can be asked; from losses that are all equal it would learn that budgets are unrelated."""
        losses = self._losses[: self._n]
        finite = losses[np.isfinite(losses)]
        if not len(finite):
            return False
        return self._n >= self.n_initial * (1 if finite.min() < finite.max() else PATIENCE)

    def _initial(self) -> tuple[np.ndarray, int]:
        """Row (width,) and place of its budget, before the model is asked."""
        raise NotImplementedError

    def _processes(self, told: Told) -> list[ProductGP]:
        """Processes of the transformed losses: the most probable one, or samples to average over."""
        raise NotImplementedError

    def _loss_points(self, rows: np.ndarray, places: np.ndarray) -> Points:
        """Where the processes of the losses stand for rows at budgets."""
        raise NotImplementedError

    def _cost_points(self, rows: np.ndarray, places: np.ndarray) -> Points:
        """Where the model of the costs stands for rows at budgets."""
        raise NotImplementedError

    def _told(self) -> Told:
        losses = self._losses[: self._n]
        told, finite = ~np.isnan(losses), np.isfinite(losses)
        values = np.zeros(self._n)
        if finite.any():
            values[finite] = (tempered if self._full > 0 else log_distances)(losses[finite])
            values[told & ~finite] = values[finite].max()
        places = np.array(self._places, dtype=int)
        return Told(self._rows[: self._n][told], places[told], values[told], np.array(self._costs)[told])

    def _believed(self, processes: list[ProductGP]) -> list[ProductGP]:
        """Processes with their predictions as observations where trials are pending."""
        waiting = np.isnan(self._losses[: self._n])
        if not waiting.any():
            return processes
        places = np.array(self._places, dtype=int)[waiting]
        points = self._loss_points(self._rows[: self._n][waiting], places)
        return [process.believe(points) for process in processes]

    def _target(self, rows: np.ndarray) -> Points:
        """Where the processes of the losses stand for rows at the full budget."""
        return self._loss_points(rows, np.full(len(rows), self._full))

    def _choose(self) -> tuple[np.ndarray, int]:
        told = self._told()
        processes = self._believed(self._processes(told))
        places = self._cost_points(told.rows, told.places)
        self._cost_model = costs = fit_costs(places, told.costs, self._features.groups, self._cost_model)
        means = np.mean([process.predict(self._target(told.rows))[0] for process in processes], axis=0)
        best = told.rows[int(np.argmin(means))]
        self.incumbent = self._decode(self._features.to_unit(best))
        seconds = costs.predict(self._cost_points(best[None], np.array([self._full])))[0]
        if self._spent < seconds:
            overhead = self.overhead * float(seconds)
            found = self._most_informative(processes, costs, best, float(means.min()), overhead)
            if found is not None:
                return found
            row = self._most_improving(processes, best, float(means.min()), costs)
            return row, self._most_telling(processes, costs, row, overhead)
        if row_key(best) not in self._known:
            return best, self._full
        return self._most_improving(processes, best, float(means.min()), costs), self._full

    def _most_telling(self, processes: list[ProductGP], costs: CostModel, row: np.ndarray, overhead: float) -> int:
        """Place of the new budget that says most about the loss of a row (width,) at the full one, per second.

        That is by how much observing there lowers the variance at the full budget.
        """
        new = [place for place in range(len(self.sizes)) if (row_key(row), place) not in self._tried]
        places, rows = np.array(new or [self._full]), np.repeat(row[None], max(1, len(new)), axis=0)
        points, full = self._loss_points(rows, places), self._target(row[None])
        told = [
            process.covariance(points, full)[:, 0] ** 2
            / (process.predict(points)[1] ** 2 + process.hyperparameters.noise)
            for process in processes
        ]
        seconds = costs.predict(self._cost_points(rows, places)) + overhead
        return int(places[np.argmax(np.mean(told, axis=0) / seconds)])

    def _most_improving(
        self, processes: list[ProductGP], best: np.ndarray, lowest: float, costs: CostModel | None = None
    ) -> np.ndarray:
        """Row (width,) of highest expected improvement at the full budget, per second, that was not evaluated there."""
        scores = [improvement(process, self._target, lowest) for process in processes]

        def score(rows: np.ndarray) -> np.ndarray:
            together = np.logaddexp.reduce([score(rows) for score in scores], axis=0)
            if costs is None:
                return together
            return together - np.log(costs.predict(self._cost_points(rows, np.full(len(rows), self._full))))

        return self._maximise(score, random_points(self._features, self._rng, best), best[None], N_STARTS)

    def _most_informative(
        self, processes: list[ProductGP], costs: CostModel, best: np.ndarray, lowest: float, overhead: float
    ) -> tuple[np.ndarray, int] | None:
        """New row and place with the highest gain per second of cost and overhead, None where nothing is gained."""
        sources = [Information(self._features, p, self._target, best, lowest, self._rng) for p in processes]

        def score(place: int, rows: np.ndarray) -> np.ndarray:
            places = np.full(len(rows), place)
            points = self._loss_points(rows, places)
            gains = np.mean([source.gains(points) for source in sources], axis=0)
            return gains / (costs.predict(self._cost_points(rows, places)) + overhead)

        random = random_points(self._features, self._rng, best, N_SHARED // 2)
        share = max(1, N_SHARED // len(sources))
        rows = np.concatenate([*(source.rows[:share] for source in sources), random])
        heights = [score(place, rows) for place in range(len(self.sizes))]
        place = int(np.argmax([height.max() for height in heights]))
        close, near = self._search(rows[int(np.argmax(heights[place]))], partial(score, place))
        places = np.repeat([place, *range(len(self.sizes))], [len(close), *map(len, heights)])
        everything = np.concatenate([close, np.tile(rows, (len(self.sizes), 1))])
        return self._best_new(everything, places, np.concatenate([near, *heights]))

    def _search(self, start: np.ndarray, score: Score) -> tuple[np.ndarray, np.ndarray]:
        """Rows around a start (width,), ever closer where there are floats, and their scores."""
        found, heights = local_search(self._features, start[None], score, self._rng, N_STEPS)
        close, peaks = refine(self._features, found[int(np.argmax(heights))], score, self._rng, N_CLOSE)
        return np.concatenate([close, found]), np.concatenate([peaks, heights])

    def _best_new(self, rows: np.ndarray, places: np.ndarray, gains: np.ndarray) -> tuple[np.ndarray, int] | None:
        for at in np.argsort(-gains, kind="stable"):
            if gains[at] <= 0.0:
                return None
            if (row_key(rows[at]), int(places[at])) not in self._tried:
                return rows[at], int(places[at])
        return None
