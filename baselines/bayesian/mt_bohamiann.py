"""BOHAMIANN with earlier runs on related tasks (Springenberg et al., 2016; Klein, 2020) [mt-bohamiann].

One network models this task and the earlier ones; each has five learned numbers as further inputs
(Klein, 2020, section 3.1; `hpo_models.networks.multi_task_bnn`). Losses are transformed as for `gp`, task by task:
in section 3.6.2 of Klein (2020) one task (Wine) did not profit, since its losses were on another scale.

The first proposal is the configuration that was best on an earlier task, relative to the others there; neither paper
says anything about it. All others come from the model. Without earlier runs this is `bohamiann`, with the same
departures.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.bayesian.parts.network_inputs import network_inputs
from baselines.bayesian.parts.network_proposal import (
    BATCH_SIZE,
    PRIOR,
    NetworkProposal,
    TaskWeights,
    chain_lengths,
    network_of,
)
from baselines.parts.bayesian_optimizer import BayesianOptimizer, Propose
from baselines.parts.history import Snapshot
from baselines.parts.loss_transforms import log_distances
from baselines.parts.requirements import count
from baselines.parts.search.maximum import random_new_row
from baselines.parts.warm_start import EarlierTask, earlier_tasks
from hpo_core.running.record import Run
from hpo_core.running.trial import Trial
from hpo_core.space import Space
from hpo_models.features import Features
from hpo_models.networks.continued_chain import ContinuedChains, Lengths
from hpo_models.networks.multi_task_bnn import N_EMBEDDED, TaskNetwork, TaskRegression

N_INITIAL, N_INITIAL_ALONE = 1, 5


def mt_bohamiann(
    space: Space,
    *,
    budgets: Sequence[float] = (1,),
    seed: int = 0,
    warm_start: Sequence[Run | Sequence[Trial]] | None = None,
    n_initial: int | None = None,
    n_embedded: int = N_EMBEDDED,
    units: int = 50,
    n_chains: int = 4,
    n_adapt: int = 60,
    n_draws: int = 10,
    n_between: int = 18,
    step: float = 1.5e-2,
) -> BayesianOptimizer:
    """Optimizer by expected improvement under a Bayesian neural network of several tasks.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    warm_start
        Runs on related problems with the same space: `Run` objects or lists of trials.
    n_initial
        Number of configurations before the network is used: by default 1 if there are earlier runs, else 5.
    n_embedded
        Number of learned inputs that describe a task.
    units, n_chains, n_adapt, n_draws, n_between, step
        As in `bohamiann`.

    Returns
    -------
    BayesianOptimizer
        With `ask` and `tell`.
    """
    if n_initial is None:
        n_initial = N_INITIAL if warm_start else N_INITIAL_ALONE
    features = Features(space)
    network, lengths = network_of(features.width, units), chain_lengths(n_chains, n_adapt, n_draws, n_between, step)
    tasks = [(rows, log_distances(losses)) for rows, losses in earlier_tasks(warm_start, space, features)]
    n_embedded = count("n_embedded", n_embedded)
    if not tasks:
        proposal = NetworkProposal(network, TaskWeights(network, lengths).sample)
        return BayesianOptimizer(space, proposal.propose, n_initial, seed, name="mt-bohamiann")
    n_inputs, *hidden, _ = network.sizes
    task_network = TaskNetwork(n_inputs, tuple(hidden), len(tasks) + 1, n_embedded)
    proposal = NetworkProposal(network, SharedWeights(task_network, lengths, tasks).sample)
    initial = first_then_random(best_row(tasks))
    return BayesianOptimizer(space, proposal.propose, n_initial, seed, name="mt-bohamiann", initial=initial)


class SharedWeights:
    """Draws of the weights of one network of this task, number 0, and of earlier ones (rows, transformed losses)."""

    def __init__(self, network: TaskNetwork, lengths: Lengths, earlier: list[EarlierTask]):
        self._network, self._chains = network, ContinuedChains(lengths)
        self._earlier = [(network_inputs(rows), values.astype(np.float32)) for rows, values in earlier]

    def sample(self, x: np.ndarray, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(draws, P) parameters of the network of this task alone, given values (n,) at inputs (n, D)."""
        parts = [(x, values), *self._earlier]
        inputs, targets = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        tasks = np.repeat(np.arange(len(parts)), [len(values) for _, values in parts])
        n_chains = self._chains.lengths.n_chains
        model = TaskRegression(self._network, n_chains, inputs, tasks, targets, PRIOR, BATCH_SIZE)
        return self._network.to_one_task(self._chains.draws(model, rng), 0)


def first_then_random(row: np.ndarray) -> Propose:
    """Function that proposes a given row (width,) first, then random ones."""

    def propose(snapshot: Snapshot, rng: np.random.Generator) -> np.ndarray:
        return random_new_row(snapshot, rng) if len(snapshot) else row

    return propose


def best_row(tasks: list[EarlierTask]) -> np.ndarray:
    """Row (width,) with the lowest transformed loss of all tasks."""
    rows, values = min(tasks, key=lambda task: task[1].min())
    return rows[int(np.argmin(values))]
