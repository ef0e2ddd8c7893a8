"""Bayesian optimization with a Gaussian process and a confidence bound (Srinivas et al., 2010) [gp-ucb].

The process is that of `gp`. The next row minimises the lower confidence bound mean - sqrt(beta_t) std, averaged over
the processes if there are several. Of beta_t, and where it departs from the paper, see
`hpo_models.acquisition.confidence_factor`; all else departs as in `gp`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.bayesian.parts.process_proposal import ProcessProposal
from baselines.parts.bayesian_optimizer import BayesianOptimizer
from baselines.parts.requirements import count
from baselines.parts.search.maximum import Score
from hpo_core.space import Space
from hpo_models.acquisition import confidence_bounds, confidence_factor
from hpo_models.gp.regression import GP


def gp_ucb(
    space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, n_initial: int = 5, n_samples: int = 0
) -> BayesianOptimizer:
    """Optimizer by the lower confidence bound under a Gaussian process.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    n_initial
        Number of random configurations before the process is used.
    n_samples
        Number of samples of the process' hyperparameters to average over; 0 takes the most probable ones.

    Returns
    -------
    BayesianOptimizer
        With `ask` and `tell`.
    """
    proposal = ProcessProposal(confidence_score, count("n_samples", n_samples, 0))
    return BayesianOptimizer(space, proposal.propose, n_initial, seed, name="gp-ucb")


def confidence_score(processes: list[GP], values: np.ndarray) -> Score:
    """Score of rows: minus the lower confidence bound, averaged over the processes."""
    beta = confidence_factor(processes[0].groups[-1] + 1, len(values))

    def score(rows: np.ndarray) -> np.ndarray:
        found = [-confidence_bounds(*process.predict(rows), beta)[0] for process in processes]
        return found[0] if len(found) == 1 else np.mean(found, axis=0)

    return score
