"""What is known of a surrogate's error: figures on configurations that its model did not see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hpo_core.storage.plain_fields import items, number

OPTIONAL = ("spearman_budgets", "spearman_cost", "cost_factor")  # figures that a surrogate may lack
TOP = 0.2  # share of the configurations that counts as the best
LEAST = 5  # configurations among which a rank correlation is worth computing


@dataclass(frozen=True)
class Quality:
    """Figures of a surrogate, each on held-out configurations that took no part in any choice.

    n_rows, n_configs   recorded
    n_full              configurations at the full budget; the figures of the loss are about these
    spearman            rank correlation of predicted and recorded losses, mean over the folds
    spearman_folds      that of each fold
    spearman_top        that among the best fifth of the recorded ones, over all folds
    rmse                root mean squared error of the loss, divided by the standard deviation of the recorded losses
    spearman_budgets    mean over the budgets of the rank correlation at each, None if there is one budget
    spearman_cost       rank correlation of predicted and recorded costs, None without costs
    cost_factor         the median prediction of a cost is wrong by this factor, None without costs
    """

    n_rows: int
    n_configs: int
    n_full: int
    spearman: float
    spearman_folds: tuple[float, ...]
    spearman_top: float
    rmse: float
    spearman_budgets: float | None = None
    spearman_cost: float | None = None
    cost_factor: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The figures as plain data."""
        return {**asdict(self), "spearman_folds": list(self.spearman_folds)}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Quality:
        """The figures that `to_json` wrote; raises `ValueError` for any that are no numbers."""
        figures = {name: figure for name, figure in data.items() if name != "spearman_folds"}
        for name, figure in figures.items():
            if figure is not None or name not in OPTIONAL:
                number(figure, name)
        folds = tuple(number(figure, "spearman_folds") for figure in items(data.get("spearman_folds"), "the folds"))
        return Quality(**figures, spearman_folds=folds)


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    """Rank correlation, 0 where one of the two is constant or there are fewer than two numbers."""
    from scipy.stats import rankdata

    if len(a) < 2:
        return 0.0
    ranks = rankdata(a) - (len(a) + 1) / 2, rankdata(b) - (len(b) + 1) / 2
    spread = float(np.sqrt((ranks[0] ** 2).sum() * (ranks[1] ** 2).sum()))
    return float((ranks[0] * ranks[1]).sum()) / spread if spread > 0 else 0.0


def spearman_among_best(predicted: np.ndarray, losses: np.ndarray) -> float:
    """Rank correlation among the best fifth of the recorded losses."""
    best = losses <= np.quantile(losses, TOP)
    return spearman(predicted[best], losses[best])


def score(predicted: np.ndarray, losses: np.ndarray) -> float:
    """What a model is chosen by: three parts the rank correlation of all configurations, one that of the best fifth.

    The best fifth counts in particular, since that is where an optimizer spends its time; it counts less than all,
    since its correlation is known less exactly. It is left out where it holds fewer than five configurations.
    """
    overall = spearman(predicted, losses)
    if len(losses) * TOP < LEAST:
        return overall
    return (3 * overall + spearman_among_best(predicted, losses)) / 4


def spearman_over_budgets(predicted: np.ndarray, losses: np.ndarray, budgets: np.ndarray) -> float:
    """Mean over budgets of the rank correlation at each; budgets with fewer than five configurations are left out."""
    found = [spearman(predicted[budgets == b], losses[budgets == b]) for b in _common(budgets)]
    return float(np.mean(found)) if found else 0.0


def _common(budgets: np.ndarray) -> Sequence[float]:
    different, counts = np.unique(budgets, return_counts=True)
    return different[counts >= LEAST].tolist()


def relative_rmse(predicted: np.ndarray, losses: np.ndarray) -> float:
    """Root mean squared error in units of the standard deviation of the losses."""
    return float(np.sqrt(np.mean((predicted - losses) ** 2)) / losses.std())


def typical_factor(predicted: np.ndarray, costs: np.ndarray) -> float:
    """Factor by which the median prediction of a cost is too high or too low."""
    return float(np.exp(np.median(np.abs(np.log(predicted) - np.log(costs)))))
