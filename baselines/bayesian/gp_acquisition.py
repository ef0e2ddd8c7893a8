"""Bayesian optimization with the Gaussian process of `gp` and another acquisition function [gp-acquisition].

    ts    Thompson sampling (Thompson, 1933): the minimum of one function drawn from the process
    pi    probability of improvement (Kushner, 1964) by at least 0.3 standard deviations of the transformed losses; with
          a small margin it stays where it is (Jones, 2001): median regret after 30 evaluations of branin 4.5 with a
          margin of 0.01, 0.10 with this one
    ei    expected improvement: the proposals of `gp`, for comparisons

A draw is a function with random Fourier features (Wilson et al., 2020; `hpo_models.gp.pathwise`), so the search that
`gp` has for its acquisition function finds the draw's minimum, not that of some points. With several samples of the
process' hyperparameters the draw is of the newest one, and probabilities are averaged. All else departs from the
papers as `gp` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import logsumexp

from baselines.bayesian.gp import log_improvement_score
from baselines.bayesian.parts.process_proposal import Acquisition, ProcessProposal
from baselines.parts.bayesian_optimizer import BayesianOptimizer
from baselines.parts.requirements import count
from baselines.parts.search.maximum import Score
from hpo_core.errors import InvalidOption
from hpo_core.space import Space
from hpo_models.acquisition import log_probability_of_improvement
from hpo_models.gp.pathwise import drawn_function
from hpo_models.gp.regression import GP

MARGIN = 0.3  # of the values' standard deviation, for the probability of improvement


def gp_acquisition(
    space: Space,
    *,
    budgets: Sequence[float] = (1,),
    seed: int = 0,
    acquisition: str = "ts",
    n_initial: int = 5,
    n_samples: int = 0,
) -> BayesianOptimizer:
    """Optimizer by one of three acquisition functions under a Gaussian process.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    acquisition
        `ts`, `pi` or `ei`, see above.
    n_initial
        Number of random configurations before the process is used.
    n_samples
        Number of samples of the process' hyperparameters to average over; 0 takes the most probable ones.

    Returns
    -------
    BayesianOptimizer
        With `ask` and `tell`.

    Examples
    --------
    >>> from baselines import optimizer
    >>> from hpo_core import Benchmark, run
    >>> b = Benchmark("branin")
    >>> bool(run(b, optimizer("gp-acquisition", b.space, seed=0, acquisition="pi"), n_trials=30).best.loss < 1.0)
    True
    """
    if acquisition not in ACQUISITIONS:
        raise InvalidOption(f"acquisition must be one of {', '.join(ACQUISITIONS)}, got {acquisition!r}")
    make, n = ACQUISITIONS[acquisition], count("n_samples", n_samples, 0)
    draws = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])  # apart from what `gp` does by chance
    proposal = ProcessProposal(make(draws), n)
    return BayesianOptimizer(space, proposal.propose, n_initial, seed, name="gp-acquisition")


def thompson(rng: np.random.Generator) -> Acquisition:
    """Acquisition function: minus one draw of the newest process."""

    def acquisition(processes: list[GP], values: np.ndarray) -> Score:
        draw = drawn_function(processes[-1], rng)
        return lambda rows: -draw(rows)

    return acquisition


def log_probability_score(processes: list[GP], values: np.ndarray) -> Score:
    """Score of rows: logarithm of the probability of improvement by the margin, summed over the processes."""
    best = float(values.min()) - MARGIN

    def score(rows: np.ndarray) -> np.ndarray:
        found = [log_probability_of_improvement(*process.predict(rows), best) for process in processes]
        return found[0] if len(found) == 1 else logsumexp(found, axis=0)

    return score


ACQUISITIONS: dict[str, Callable[[np.random.Generator], Acquisition]] = {
    "ts": thompson,
    "pi": lambda rng: log_probability_score,
    "ei": lambda rng: log_improvement_score,
}
