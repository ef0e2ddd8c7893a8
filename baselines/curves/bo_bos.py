"""BO-BOS: Bayesian optimization meets Bayesian optimal stopping (Dai et al., 2019) [bo-bos].

    [x, n]      configuration and epoch, inputs of one Gaussian process over losses      N     epochs of a full training
    t           number of the training, 1, 2...                                          N0    initial epochs

Algorithm 1. A training t begins at the x that minimises the lower confidence bound at [x, N], and is trained for N0
epochs (8 of 50, appendix B). Then its curve is continued by simulation and the optimal decision in each later epoch
found (`hpo_models.curves.optimal_stopping`, K1 growing with t). It goes on one epoch at a time until

    C1    the rule says: stop, it will not beat the incumbent          and
    C2    std of the process at [x, N] <= kappa std at [x, n], before this training

Epochs are the steps of the ladder of budgets. The first trainings are random and run to the end. A stopped one goes on,
with a rule of its own, if its configuration has the lowest bound again; K1 has grown by then.

Departures from the paper: the process has another kernel and sees other epochs
(`baselines.curves.parts.epoch_process`); curves come from `fitted_model`, which has an asymptote, unless
`asymptote=False` asks for the paper's; 5,000 curves are simulated, not 100,000; the incumbent is the lowest loss,
without xi_t, as in the paper's experiments; beta_t and the transformation of losses are those of `gp-ucb`;
hyperparameters are fitted again for every training up to the 40th and for every tenth one after it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baselines.curves.parts.epoch_process import EpochProcess
from baselines.curves.parts.stepwise import Stepwise, StepwiseTraining, ladder
from baselines.parts.requirements import count, number
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_models.curves.decay_gp import conjugate_model, fitted_model
from hpo_models.curves.optimal_stopping import K1_RATE, STOP_WORSE, DecisionRule, is_certain, k1_schedule, solve

INITIAL_SHARE = 0.16  # N0 / N, 8 of 50
N_PATHS = 5_000
LARGEST = 1e30  # a loss above it has diverged


class StoppingPlan(NamedTuple):
    """What was decided about a training after N0 epochs: the rule, and standard deviations (N,) at [x, 1..N]."""

    rule: DecisionRule
    stds: np.ndarray


class BOBOS:
    """GP-UCB with optimal stopping.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    n_initial
        Number of random configurations before the process is used, all trained to the end.
    step
        Every `step`-th available budget is an epoch, after which a training is evaluated.
    initial_epochs
        N0, 16 % of the epochs unless given.
    kappa
        Factor of C2.
    rate
        K1 is divided by it from one training to the next.
    asymptote
        Whether curves may level off above 0.
    """

    name = "bo-bos"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        n_initial: int = 5,
        step: int = 1,
        initial_epochs: int | None = None,
        kappa: float = 2.0,
        rate: float = K1_RATE,
        asymptote: bool = True,
    ):
        steps = ladder(budgets, step)
        self._n = len(steps)
        self._process = EpochProcess(space, seed=seed, n_initial=n_initial, n_full=self._n)
        least = max(round(INITIAL_SHARE * self._n), 2)
        self._n0 = least if initial_epochs is None else count("initial_epochs", initial_epochs)
        self._kappa, self._rate = number("kappa", kappa, 1.0, math.inf), number("rate", rate, 1e-3, 1.0)
        self._model = fitted_model if asymptote else conjugate_model
        self._rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
        self._plans: dict[int, StoppingPlan] = {}
        self._trainings = Stepwise(steps, self._process.begin, self._verdict, self._end)

    @property
    def n_trainings(self) -> int:
        """Number of trainings so far."""
        return self._trainings.n_begun

    def ask(self) -> Proposal | None:
        return self._trainings.ask()

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._trainings.tell(proposal, loss, cost)

    def _verdict(self, training: StepwiseTraining) -> float | None:
        """The last loss of a training that is stopped."""
        n, loss = len(training.losses), training.losses[-1]
        if loss > LARGEST:
            return math.inf
        plan = self._plans.get(training.number)
        if plan is None:
            if n >= self._n0:
                self._plan(training)
            return None
        c1 = plan.rule.decide(np.array(training.losses)) == STOP_WORSE
        c2 = is_certain(plan.stds[-1], plan.stds[n - 1], self._kappa)
        return loss if c1 and c2 else None

    def _plan(self, training: StepwiseTraining) -> None:
        stds = self._process.stds(training)
        if stds is None:  # proposed at random
            return
        errors = np.array(training.losses)
        observed, free = self._model(errors).simulate(errors, self._n, N_PATHS, self._rng)
        rule = solve(errors, observed, free[-1], self._process.lowest, k1=k1_schedule(training.number, rate=self._rate))
        self._plans[training.number] = StoppingPlan(rule, stds)

    def _end(self, training: StepwiseTraining, loss: float) -> None:
        self._plans.pop(training.number, None)
        self._process.learn(training, loss)
