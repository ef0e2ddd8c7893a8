"""Error of a surrogate on held-out configurations, and the fits that it shares with the final one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tabular.surrogates.choice import N_FOLDS, ModelChoice, fit_candidate
from tabular.surrogates.quality import (
    Quality,
    relative_rmse,
    spearman,
    spearman_among_best,
    spearman_over_budgets,
    typical_factor,
)
from tabular.surrogates.rows.records import Records
from tabular.surrogates.trees.bins import Bins, bins_of
from tabular.surrogates.trees.fitting import Boosting, fit

COST = Boosting(leaves=32, n_trees=200, rate=0.1)
LOG_RATIO = 100.0  # of the highest to the lowest budget, from which on they are on a log scale


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Records with what the trees see of them, and the seed of every fit."""

    records: Records
    seed: int

    @cached_property
    def bins(self) -> Bins:
        """Bins of the codes, and of the budget as one more code if there are several."""
        budgets = self.records.budgets
        log = budgets is not None and bool(budgets.max() >= LOG_RATIO * budgets.min())
        return bins_of(self.records.space, self.records.codes, budgets, log)

    @cached_property
    def inputs(self) -> np.ndarray:
        """(n_cells, n_columns) what the trees see; the budget is the last column."""
        codes, budgets = self.records.codes, self.records.budgets
        return self.bins.inputs(codes if budgets is None else np.column_stack([codes, budgets]))

    def cost_model(self, train: np.ndarray) -> Any:
        """Model of the logarithm of the cost, which does not fall with the budget; None without costs."""
        costs = self.records.costs
        if costs is None:
            return None
        rising = None if self.records.budgets is None else self.inputs.shape[1] - 1
        return fit(COST, self.inputs[train], np.log(costs[train]), self.seed, rising=rising)


def held_out_quality(data: TrainingRows, choice: ModelChoice, step: Callable[[], Any] = lambda: None) -> Quality:
    """Error on configurations that took no part in the choice of the model that predicts them.

    Parameters
    ----------
    data
        Records and inputs.
    choice
        Of the model, for each fold without that fold.
    step
        Called after each of the five folds.
    """
    records, folds = data.records, choice.folds
    losses, costs = np.empty(len(records.losses)), np.empty(len(records.losses))
    by_fold = []
    for k in range(N_FOLDS):
        test, train = folds == k, folds != k
        model, scale = fit_candidate(choice.best([k]), records, data.inputs, train, data.seed)
        losses[test] = scale.back(model.predict(data.inputs[test]))
        full = test & records.full
        by_fold.append(spearman(losses[full], records.losses[full]))
        cost_model = data.cost_model(train)
        if cost_model is not None:
            costs[test] = np.exp(cost_model.predict(data.inputs[test]))
        step()
    return _quality(records, losses, costs, by_fold)


def _quality(records: Records, losses: np.ndarray, costs: np.ndarray, by_fold: Sequence[float]) -> Quality:
    """Figures of held-out predictions of all cells."""
    full = records.full
    found = Quality(
        n_rows=len(records.row_losses),
        n_configs=records.n_configs,
        n_full=int(full.sum()),
        spearman=float(np.mean(by_fold)),
        spearman_folds=tuple(by_fold),
        spearman_top=spearman_among_best(losses[full], records.losses[full]),
        rmse=relative_rmse(losses[full], records.losses[full]),
    )
    if records.budgets is not None:
        over = spearman_over_budgets(losses, records.losses, records.budgets)
        found = replace(found, spearman_budgets=over)
    if records.costs is not None:
        rank, factor = spearman(costs, records.costs), typical_factor(costs, records.costs)
        found = replace(found, spearman_cost=rank, cost_factor=factor)
    return found
