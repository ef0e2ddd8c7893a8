"""GP-UCB that stops hopeless trainings by predicting their learning curves (Domhan et al., 2015) [lc-gp].

Configurations come from `gp-ucb`. A training goes on one budget at a time; at every tenth of the ladder its curve is
extrapolated by the parametric ensemble (`hpo_models.curves.ensemble`), and it is stopped if

    P(final loss < best) < 5 %,         best: the lowest loss of a completed training

The Gaussian process gets the predicted final loss as if it had been observed, which Dai et al. (2019, section 5.2)
blame for slow convergence.

Domhan et al. run the method inside SMAC and TPE; with GP-UCB it is the competitor "LC Prediction" of Dai et al., who
predict after every second epoch. Curves of fewer than four losses are not predicted, nor those whose last loss is
already below the best: by the prior they do not end worse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from baselines.bayesian.gp_ucb import gp_ucb
from baselines.curves.parts.stepwise import Stepwise, StepwiseTraining, ladder
from baselines.parts.requirements import count, number
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_models.curves.ensemble import LEAST_OBSERVATIONS, Steps, extrapolate

CHECKS = 10  # predictions of a whole training, unless `every` says otherwise
STEPS = Steps(n_steps=250, burn_in=100)
LARGEST = 1e30  # a loss above it has diverged


class LCGP:
    """GP-UCB with predictive termination.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    n_initial
        Number of random configurations before the process is used.
    step
        A training is evaluated at every `step`-th available budget.
    every
        Its curve is predicted after every `every` evaluations; a tenth of a training unless given.
    threshold
        Probability of beating the best below which a training is stopped.
    """

    name = "lc-gp"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        n_initial: int = 5,
        step: int = 1,
        every: int | None = None,
        threshold: float = 0.05,
    ):
        self._steps = ladder(budgets, step)
        self._every = max(len(self._steps) // CHECKS, 1) if every is None else count("every", every)
        self._threshold = number("threshold", threshold, 0.0, 1.0)
        self._rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
        self._best = math.inf
        self._process = gp_ucb(space, seed=seed, n_initial=n_initial)
        self._trainings = Stepwise(self._steps, lambda: (self._process.ask(), []), self._verdict, self._end)

    @property
    def n_trainings(self) -> int:
        """Number of trainings so far."""
        return self._trainings.n_begun

    def ask(self) -> Proposal | None:
        return self._trainings.ask()

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._trainings.tell(proposal, loss, cost)

    def _verdict(self, training: StepwiseTraining) -> float | None:
        """The predicted final loss of a training that is stopped."""
        losses = np.array(training.losses)
        if losses[-1] > LARGEST:
            return math.inf
        due = len(losses) % self._every == 0 and len(losses) >= LEAST_OBSERVATIONS
        if not due or self._best == math.inf or losses[-1] < self._best:
            return None
        end = float(self._steps[-1])
        epochs = np.asarray(self._steps[: len(losses)], dtype=float)
        curve = extrapolate(epochs, losses, end, self._rng, steps=STEPS)
        hopeless = curve.probability_below(self._best, end) < self._threshold
        return curve.moments(end)[0] if hopeless else None

    def _end(self, training: StepwiseTraining, loss: float) -> None:
        if len(training.losses) == len(self._steps):
            self._best = min(self._best, loss)
        self._process.tell(training.proposal, loss, 0.0)
