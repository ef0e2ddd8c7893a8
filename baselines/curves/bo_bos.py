"""BO-BOS: Bayesian optimization meets Bayesian optimal stopping (Dai et al., 2019) [bo-bos].

    [x, n]      configuration and epoch, inputs of one Gaussian process over losses      N     epochs of a full training
    t           number of the training, 1, 2...                                          N0    initial epochs

Algorithm 1. A training t begins at the x that minimises the lower confidence bound at [x, N], and is trained for N0
epochs (8 of 50, appendix B). Then its curve is continued by simulation and the optimal decision in each later epoch
found (`hpo_models.curves.optimal_stopping`). K1 grows with t, counted from the first proposal of the process. Training
goes on one epoch at a time until

    C1    the rule says: stop, it will not beat the incumbent          and
    C2    std of the process at [x, N] <= kappa std at [x, n], before this training

Epochs are the steps of the ladder of budgets. The first trainings are random and run to the end. A stopped one goes on,
with a rule of its own, if its configuration has the lowest bound again; K1 has grown by then.

`variant="reference-code"` stops as the authors' code does, which is not as the paper's text says; how the two differ is
in `hpo_models.curves.stopping_variants`.

Departures from the paper in both: the process has another kernel and sees other epochs
(`baselines.curves.parts.epoch_process`); the incumbent is the lowest loss, without xi_t, as in the paper's experiments;
beta_t and the transformation of losses are those of `gp-ucb`; hyperparameters are fitted again for every training up to
the 40th and for every tenth one after it; a configuration that was stopped may be proposed again. In "ours", besides,
curves have an asymptote and 5,000 of them are simulated, not 100,000.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baselines.curves.parts.epoch_process import EpochProcess
from baselines.curves.parts.stepwise import Stepwise, StepwiseTraining, ladder
from baselines.parts.requirements import count, number
from hpo_core.errors import InvalidOption, nearest
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_models.curves.optimal_stopping import K1_RATE, STOP_WORSE, DecisionRule, is_certain, k1_schedule
from hpo_models.curves.stopping_variants import LEAST_PATHS, VARIANTS

INITIAL_SHARE = 0.16  # N0 / N, 8 of 50
LARGEST = 1e30  # a loss above it has diverged


class StoppingPlan(NamedTuple):
    """What was decided about a training after N0 epochs: the rule, and standard deviations (N,) at [x, 1..N].

    Without a rule the training runs to the end.
    """

    rule: DecisionRule | None
    stds: np.ndarray


class BOBOS:
    """GP-UCB with optimal stopping.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    n_initial
        Number of random configurations before the process is used, all trained to the end; 5 unless given, and 6 for
        "reference-code".
    step
        Every `step`-th available budget is an epoch, after which a training is evaluated.
    initial_epochs
        N0, 16 % of the epochs unless given.
    kappa
        Factor of C2.
    rate
        K1 is divided by it from one training to the next.
    variant
        "ours" or "reference-code".
    n_paths
        Number of simulated curves for each rule; 5,000 unless given, and 100,000 for "reference-code".
    """

    name = "bo-bos"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        n_initial: int | None = None,
        step: int = 1,
        initial_epochs: int | None = None,
        kappa: float = 2.0,
        rate: float = K1_RATE,
        variant: str = "ours",
        n_paths: int | None = None,
    ):
        if variant not in VARIANTS:
            raise InvalidOption(
                f"variant must be one of {', '.join(VARIANTS)}, got {variant!r}{nearest(variant, VARIANTS)}"
            )
        self._rule, paths, initial = VARIANTS[variant]
        self._n_paths = paths if n_paths is None else count("n_paths", n_paths, LEAST_PATHS)
        n_initial = initial if n_initial is None else n_initial
        steps = ladder(budgets, step)
        self._n = len(steps)
        self._process = EpochProcess(space, seed=seed, n_initial=n_initial, n_full=self._n)
        least = max(round(INITIAL_SHARE * self._n), 2)
        self._n0 = least if initial_epochs is None else count("initial_epochs", initial_epochs)
        self._kappa, self._rate = number("kappa", kappa, 1.0, math.inf), number("rate", rate, 1e-3, 1.0)
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
        if plan.rule is None:
            return None
        c1 = plan.rule.decide(np.array(training.losses)) == STOP_WORSE
        c2 = is_certain(plan.stds[-1], plan.stds[n - 1], self._kappa)
        return loss if c1 and c2 else None

    def _plan(self, training: StepwiseTraining) -> None:
        stds = self._process.stds(training)
        if stds is None:  # proposed at random
            return
        k1 = k1_schedule(self._process.iteration(training), rate=self._rate)
        errors, incumbent = np.array(training.losses), self._process.lowest
        rule = self._rule(errors, self._n, incumbent, k1, self._n_paths, self._rng)
        self._plans[training.number] = StoppingPlan(rule, stds)

    def _end(self, training: StepwiseTraining, loss: float) -> None:
        self._plans.pop(training.number, None)
        self._process.learn(training, loss)
