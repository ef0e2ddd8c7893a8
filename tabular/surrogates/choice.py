"""Choice of the model by cross-validated rank correlation.

Configurations are dealt into five folds, so that budgets and repetitions of one are never on both sides. For each fold
k of them

    fold k          is held out of everything, and tests what was chosen without it
    fold k + 1      chooses: scale of the loss first, then kind and size of the trees
    other folds     train the candidates

What was chosen for fold k is fitted again to all rows outside of it, and predicts fold k. The final model is the
candidate that did best on average over the five choosing folds, fitted to all rows. Candidates are trained on at most
15,000 cells, which bounds the time that a choice takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from tabular.surrogates.quality import score
from tabular.surrogates.rows.records import Records
from tabular.surrogates.scales import LossScale, fitted_scale, fitting_scales
from tabular.surrogates.trees.fitting import Boosting, RandomForest, Setting, fit

N_FOLDS = 5
FOREST_CELLS = 10_000  # from which on no forest is tried: its trees of 64 leaves are too coarse for so many
FEW_CELLS = 1000  # below which fewer trees do: more of them gained nothing on the data of `scripts/check_surrogates.py`
CHOICE_CELLS = 15_000  # that train a candidate, at most
STAGES = (40, 80, 120, 200, 300, 400)  # numbers of boosted trees among which to choose
LEAVES = 32  # of the boosted trees that choose the scale


class Candidate(NamedTuple):
    """Scale of the loss, and trees that predict it on that scale."""

    scale: str
    setting: Setting


@dataclass(eq=False)
class ModelChoice:
    """Scores of candidates on the choosing folds, computed when asked for.

    Parameters
    ----------
    records
        The recorded evaluations.
    inputs
        (n_cells, n_columns) what the trees see.
    seed
        Of the folds and of the fits.
    step
        Called after each fit, for a progress bar.

    Attributes
    ----------
    folds
        (n_cells,) fold of each cell.
    scores
        What was computed so far: by fold and candidate, the score for each number of trees.
    """

    records: Records
    inputs: np.ndarray
    seed: int
    step: Callable[[], Any] = lambda: None
    folds: np.ndarray = field(init=False)
    scores: dict[tuple[int, Candidate], dict[int, float]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.folds = _folds(self.records, self.seed)

    def best(self, folds: Sequence[int] = range(N_FOLDS)) -> Candidate:
        """The candidate that is best on average over the choosing folds of the given folds."""
        scales = fitting_scales(self.records.losses)
        settings = settings_for(self.records)
        scale = max(scales, key=lambda name: self._best_stage(folds, Candidate(name, settings[0]))[1])
        return max((self._best_stage(folds, Candidate(scale, s)) for s in settings), key=lambda found: found[1])[0]

    def _best_stage(self, folds: Sequence[int], candidate: Candidate) -> tuple[Candidate, float]:
        """The candidate with the number of trees that is best, and its score."""
        scores = [self._stages(k, candidate) for k in folds]
        means = {stage: float(np.mean([by_stage[stage] for by_stage in scores])) for stage in scores[0]}
        stage = max(means, key=means.__getitem__)
        return Candidate(candidate.scale, replace(candidate.setting, n_trees=stage)), means[stage]

    def _stages(self, k: int, candidate: Candidate) -> dict[int, float]:
        """Score of the candidate on the choosing fold of fold k, for each number of trees."""
        if (k, candidate) not in self.scores:
            chooser = (k + 1) % N_FOLDS
            train = thinned((self.folds != k) & (self.folds != chooser), self.seed)
            asked = (self.folds == chooser) & self.records.full
            model, scale = fit_candidate(candidate, self.records, self.inputs, train, self.seed)
            losses = self.records.losses[asked]
            self.scores[k, candidate] = {
                stage: score(scale.back(predicted), losses)
                for stage, predicted in _staged(model, candidate.setting, self.inputs[asked])
            }
            self.step()
        return self.scores[k, candidate]


def settings_for(records: Records) -> list[Setting]:
    """Kinds and sizes of trees to choose from; the first one chooses the scale.

    A leaf holds several configurations also where each has a cell at every budget.
    """
    n_cells = len(records.losses)
    n_boosted, n_forest = (120, 100) if n_cells < FEW_CELLS else (400, 300)
    per_config = n_cells / records.n_configs
    least = max(5, round(3 * per_config))
    boosted = [Boosting(leaves=leaves, min_rows=least, n_trees=n_boosted) for leaves in (LEAVES, 8, 64)]
    if n_cells > FOREST_CELLS:
        return [*boosted]
    return [*boosted, RandomForest(min_rows=max(2, round(2 * per_config)), n_trees=n_forest)]


def thinned(chosen: np.ndarray, seed: int) -> np.ndarray:
    """(n_cells,) the chosen cells, or a random part of them if they are too many."""
    indices = np.flatnonzero(chosen)
    if len(indices) <= CHOICE_CELLS:
        return chosen
    kept = np.zeros_like(chosen)
    kept[np.random.default_rng(seed).choice(indices, CHOICE_CELLS, replace=False)] = True
    return kept


def n_fits(records: Records) -> int:
    """Number of fits that `ModelChoice` is expected to make."""
    n_settings = len(settings_for(records))
    return N_FOLDS * (len(fitting_scales(records.losses)) + n_settings - 1)


def fit_candidate(
    candidate: Candidate, records: Records, inputs: np.ndarray, train: np.ndarray, seed: int
) -> tuple[Any, LossScale]:
    """Model fitted to the chosen cells, and the scale that it predicts on."""
    scale = fitted_scale(candidate.scale, records.row_losses[train[records.cell_of_row]])
    return fit(candidate.setting, inputs[train], scale.forward(records.losses[train]), seed), scale


def _staged(model: Any, setting: Setting, inputs: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Predictions with each number of trees that is among the choices."""
    if isinstance(setting, RandomForest):
        return [(setting.n_trees, model.predict(inputs))]
    return [(i, predicted) for i, predicted in enumerate(model.staged_predict(inputs), 1) if i in STAGES]


def _folds(records: Records, seed: int) -> np.ndarray:
    """(n_cells,) fold of each cell; configurations with a result at the full budget are dealt out evenly."""
    rng = np.random.default_rng(seed)
    whole = np.unique(records.configs[records.full])
    others = np.setdiff1d(np.arange(records.n_configs), whole)
    dealt = np.concatenate([rng.permutation(whole), rng.permutation(others)])
    fold_of_config = np.empty(records.n_configs, dtype=int)
    fold_of_config[dealt] = np.arange(len(dealt)) % N_FOLDS
    return fold_of_config[records.configs]
