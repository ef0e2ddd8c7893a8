"""The true regret as the authors count it: the incumbent's test error less the lowest one of the table.

The lowest test errors are those that their recorded regrets imply; Klein (2020), table 7.4, prints the same.
"""

from __future__ import annotations

import numpy as np

from hpo_papers.makarova2022.record import rules
from hpo_papers.makarova2022.record.contents import Runs

LOWEST_TEST = {"naval": 2.9110292e-05, "parkinsons": 0.004239297, "protein": 0.21536806, "slice": 0.00014428208}


def regrets_by_test(runs: Runs) -> np.ndarray:
    """(dataset, run, evaluation) regret of the incumbent of the first t evaluations, NaN at t = 0."""
    tests = np.take_along_axis(runs["test"], rules.incumbents(runs["loss"]), axis=-1)
    return _after(tests - np.array([LOWEST_TEST[name] for name in runs.datasets])[:, None, None])


def regrets_by_loss(runs: Runs, lowest: np.ndarray) -> np.ndarray:
    """The same by the observed loss, less the lowest one of each dataset."""
    return _after(np.minimum.accumulate(runs["loss"], axis=-1) - lowest[:, None, None])


def _after(values: np.ndarray) -> np.ndarray:
    """Values of the first t evaluations at t, from those at their last."""
    return np.concatenate([np.full((*values.shape[:-1], 1), np.nan), values[..., :-1]], axis=-1)
