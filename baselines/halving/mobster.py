"""MOBSTER: ASHA whose configurations come from a Gaussian process across budgets (Klein et al., 2020) [mobster].

    x       configuration
    r       logarithm of the budget, 0 at the lowest rung and 1 at the full budget
    r_acq   the highest rung with at least 3 results, the lowest one before

Promotions are those of ASHA. A new configuration has the highest expected improvement at [x, r_acq] over the lowest
mean that the process predicts there for the configurations evaluated so far (section 3.2), under one process of the
losses at all rungs. Its kernel is the paper's joint one: Matern-5/2 over [x, r] with a lengthscale for each
hyperparameter and for the budget. The other kernel of the paper, which decays along the budget as that of freeze-thaw,
and the independent processes of Syne Tune are not here. The threshold of 3 results, and 6 random configurations first,
are the defaults of Syne Tune, the authors' code.

Departures from the paper: hyperparameters are the most probable ones, searched for again when there are a twentieth
more results, not after each; a pending evaluation counts with the mean that the process predicts for it, not with
sampled losses; losses are transformed, linear up to the median and logarithmic beyond (`baselines.parts.beliefs`); of
more than 200 results the process has those of the highest budgets, and of the lowest of these the newest.

Examples
--------
>>> from hpo_core import run
>>> r = run("mini-wine", "mobster", n_trials=30, seed=0)
>>> sorted({trial.budget for trial in r.trials})[:3]
[1, 4, 11]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from baselines.halving.parts.promotions import Promotions
from baselines.parts.beliefs import Observations, observations
from baselines.parts.history import History, Snapshot
from baselines.parts.requirements import count
from baselines.parts.rungs import rungs
from baselines.parts.sampling import unit_decoder
from baselines.parts.search.maximum import maximise, random_new_row, random_points
from baselines.parts.search_schedule import next_search
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Space
from hpo_models.acquisition import log_expected_improvement
from hpo_models.features import Features
from hpo_models.gp.priors import MAP, LogNormal
from hpo_models.gp.regression import GP, condition, extended, fit

LEAST = 3  # results at the rung of r_acq
MOST = 200  # results that the process has
N_STARTS = 5  # local searches
PRIORS = MAP._replace(lengthscale=LogNormal(0.0, 1.0))


class MOBSTER:
    """Asynchronous successive halving with configurations from a Gaussian process; any space.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    eta
        The best 1 / eta of a rung go on to the next one, whose budget is eta times as large.
    min_budget
        The lowest budget, the smallest available one unless given.
    n_initial
        Number of random configurations before the process is used.
    """

    name = "mobster"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        eta: float = 3,
        min_budget: float | None = None,
        n_initial: int = 6,
    ):
        self._promotions = Promotions(rungs(budgets, eta, min_budget), eta)
        logs = np.log(np.asarray(self._promotions.budgets, dtype=float))
        self._coordinates = (logs - logs[0]) / (logs[-1] - logs[0])  # r of each rung
        self._n_initial = count("n_initial", n_initial)
        self._space, self._features = space, Features(space)
        self._decode = unit_decoder(space)
        self._rng = np.random.default_rng(seed)
        self._history = History(self._features.width)
        self._levels: list[int] = []  # of all proposals
        self._n_new = self._n_fitted = 0  # configurations begun; results that hyperparameters were searched for with
        self._process: GP | None = None
        self.n_random = 0

    @single_threaded
    def ask(self) -> Proposal:
        promoted = self._promotions.promoted(len(self._coordinates) - 1)
        if promoted is not None:
            config, level = promoted
            row = self._features.from_unit(self._space.to_unit(self._space.encode(config)))[0]
        else:
            row, level = self._new_row(), 0
            config = self._decode(self._features.to_unit(row))
            self._n_new += 1
        self._levels.append(level)
        return self._history.propose(Proposal(dict(config), self._promotions.budgets[level]), row, level)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        level = self._levels[self._history.tell(proposal, loss, cost)]
        self._promotions.add(level, proposal.config, loss)

    def _new_row(self) -> np.ndarray:
        """Row (width,) of a configuration that begins; new, as long as the search finds one that is."""
        snapshot = self._history.snapshot(self._features)
        if self._n_new < self._n_initial or not self._history.n_finite or not self._features.width:
            self.n_random += 1
            return random_new_row(snapshot, self._rng)
        observed = observations(replace(snapshot, full=len(self._coordinates) - 1))
        process = self._believing(self._fitted(observed), snapshot)
        level = acquisition_level(observed.levels)
        means = process.predict(self._inputs(observed.rows, level))[0]
        lowest, best = float(means.min()), observed.rows[int(np.argmin(means))]

        def score(rows: np.ndarray) -> np.ndarray:
            return log_expected_improvement(*process.predict(self._inputs(rows, level)), lowest)

        points = random_points(self._features, self._rng, best)
        return maximise(snapshot, score, points, best[None], self._rng, N_STARTS)

    def _fitted(self, observed: Observations) -> GP:
        """The process of all results, or of the most telling ones."""
        kept = np.sort(np.lexsort((np.arange(len(observed.levels)), observed.levels))[-MOST:])
        x, values = self._inputs(observed.rows[kept], observed.levels[kept]), observed.values[kept]
        groups = np.append(self._features.groups, self._features.groups[-1] + 1)
        if self._process is None or len(observed.values) >= next_search(self._n_fitted):
            self._process, self._n_fitted = fit(x, values, groups=groups, priors=PRIORS), len(observed.values)
        else:
            known = self._process.hyperparameters
            self._process = condition(x, values, known, groups=groups, mean_variance=PRIORS.mean_variance)
        return self._process

    def _believing(self, process: GP, snapshot: Snapshot) -> GP:
        """The process as if its means had been observed at what is pending."""
        pending = np.isnan(snapshot.told)
        if not pending.any():
            return process
        more = self._inputs(snapshot.rows[pending], snapshot.levels[pending])
        means = process.predict(more)[0]
        return extended(process, np.concatenate([process.x, more]), np.concatenate([process.y, means]))

    def _inputs(self, rows: np.ndarray, levels: np.ndarray | int) -> np.ndarray:
        """(n, width + 1) inputs of the process: rows (n, width) of features, and r of levels (n,) or of one."""
        return np.column_stack([rows, np.broadcast_to(self._coordinates[levels], len(rows))])


def acquisition_level(levels: np.ndarray) -> int:
    """r_acq as a level: the highest of those (n,) of the results that has at least three of them, else 0."""
    enough = np.flatnonzero(np.bincount(levels) >= LEAST)
    return int(enough[-1]) if len(enough) else 0
