"""Bayesian optimization with a Gaussian process and expected improvement (Snoek et al., 2012; Klein, 2020) [gp].

A Matern-5/2 process with a lengthscale per hyperparameter models the losses (Klein, 2020, section 2.3 and app. E.5);
the next row maximises expected improvement.

With `n_samples` the hyperparameters of the process are samples of their posterior, as in both papers, and expected
improvement is averaged over them. The samples come from one chain of slice sampling that goes on from proposal to
proposal: after a burn-in at the first one, five steps per sample.

Departures from the papers: the hyperparameters are the most probable ones unless samples are asked for, and are
searched for when the number of observations has grown by a twentieth, not for each proposal; the chain of samples does
not start again for each proposal, and half of its samples stay from one to the next; the maximum of the acquisition
function is sought by the adapted random search of 500 points, then by local search from the best of them and
refinement; losses are replaced by the logarithm of their distance to a value below the lowest, without which one
diverged training (1e7 among 1e-5) hides every other difference.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

from baselines.bayesian.parts.process_proposal import ProcessProposal
from baselines.parts.bayesian_optimizer import BayesianOptimizer
from baselines.parts.requirements import count
from baselines.parts.search.maximum import Score
from hpo_core.space import Space
from hpo_models.acquisition import log_expected_improvement
from hpo_models.gp.regression import GP


def gp(
    space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, n_initial: int = 5, n_samples: int = 0
) -> BayesianOptimizer:
    """Optimizer by expected improvement under a Gaussian process.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    n_initial
        Number of random configurations before the process is used.
    n_samples
        Number of samples of the process' hyperparameters to average over, 10 in Klein (2020); 0 takes the most
        probable ones.

    Returns
    -------
    BayesianOptimizer
        With `ask` and `tell`.
    """
    proposal = ProcessProposal(log_improvement_score, count("n_samples", n_samples, 0))
    return BayesianOptimizer(space, proposal.propose, n_initial, seed, name="gp")


def log_improvement_score(processes: list[GP], values: np.ndarray) -> Score:
    """Score of rows: logarithm of the expected improvement over the lowest value, summed over the processes."""
    best = float(values.min())

    def score(rows: np.ndarray) -> np.ndarray:
        predicted = np.array([process.predict(rows) for process in processes])  # means and stds, (processes, 2, n)
        found = log_expected_improvement(predicted[:, 0], predicted[:, 1], best)
        return found[0] if len(found) == 1 else logsumexp(found, axis=0)

    return score
