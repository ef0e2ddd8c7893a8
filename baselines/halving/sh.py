"""Successive halving (Jamieson and Talwalkar, 2016), and the schedule that Hyperband shares [sh].

A run of successive halving (Klein, 2020, algorithm 8) evaluates n configurations at a small budget, continues the best
floor(n / eta) of them at the next rung, and so on up to the full budget. A rung is complete when every one of its
results has been told.

The schedule is that of Klein (2020, section 6.3.2): all workers form one pool, and a free one takes a waiting
evaluation with the smallest budget, of the oldest run among several; only when every run waits for results, the next
one begins. With one worker this is one run after another. Configurations are drawn when their evaluation starts.

Departures from the papers: a configuration that failed is never continued, and a run in which all fail ends there.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat

import numpy as np

from baselines.parts.rungs import rungs
from baselines.parts.sampling import random_configs
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Config, Space

Stages = list[tuple[int, float]]  # number of configurations and budget, rung by rung


class SuccessiveHalving:
    """Runs of eta^s_max configurations, from the lowest rung on, without end; any space.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    eta
        The best 1 / eta of a rung go on to the next one, whose budget is eta times as large.
    min_budget
        The lowest budget, the smallest available one unless given.
    """

    name = "sh"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        eta: float = 3,
        min_budget: float | None = None,
    ):
        steps = rungs(budgets, eta, min_budget)
        configs = random_configs(space, np.random.default_rng(seed))
        n = round(eta ** (len(steps) - 1))
        self._schedule = HalvingSchedule(repeat(stages(n, steps, eta)), configs.__next__)

    def ask(self) -> Proposal:
        return self._schedule.ask()

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._schedule.tell(proposal, loss, cost)


def stages(n: int, steps: Sequence[float], eta: float) -> Stages:
    """Number of configurations at each of the rungs: n, floor(n / eta), floor(n / eta^2)..., at least one."""
    return [(max(int(n * float(eta) ** -k + 1e-9), 1), budget) for k, budget in enumerate(steps)]


class HalvingSchedule:
    """Successive-halving runs on one pool of workers, with `ask` and `tell`; its length is the number of open runs.

    Parameters
    ----------
    plans
        The stages of each run, one after another.
    sample
        Called for each new configuration.
    prepare
        Called with the stages of each run before its first configuration.
    """

    def __init__(
        self, plans: Iterator[Stages], sample: Callable[[], Config], prepare: Callable[[Stages], None] | None = None
    ):
        self._plans, self._sample, self._prepare = plans, sample, prepare
        self._ready: list[tuple[float, int, HalvingRun]] = []  # heap of waiting runs, by budget, then the oldest first
        self._n_begun = self._n_open = 0
        self._pending: Pending[tuple[HalvingRun, int]] = Pending()

    def __len__(self) -> int:
        return self._n_open

    def ask(self) -> Proposal:
        if not self._ready:
            self._begin()
        run = self._ready[0][2]
        index, config = run.start(self._sample)
        if not run.waiting:
            heapq.heappop(self._ready)
        return self._pending.add(Proposal(dict(config), run.budget), (run, index))

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        run, index = self._pending.take(proposal, loss)
        run.report(index, loss)
        if run.finished:
            self._n_open -= 1
        elif run.at_start:
            heapq.heappush(self._ready, (run.budget, run.number, run))

    def _begin(self) -> None:
        plan = next(self._plans)
        if self._prepare is not None:
            self._prepare(plan)
        run = HalvingRun(plan, self._n_begun)
        heapq.heappush(self._ready, (run.budget, run.number, run))
        self._n_begun += 1
        self._n_open += 1


class HalvingRun:
    """One run of successive halving; `number` counts the runs."""

    def __init__(self, plan: Stages, number: int):
        self.number = number
        self._plan = plan
        self._stage = 0
        self._survivors: deque[Config] = deque()  # to be started at the current rung, best first
        self._started: list[Config] = []
        self._losses: dict[int, float] = {}

    @property
    def _size(self) -> int:
        return self._plan[0][0] if self._stage == 0 else len(self._survivors) + len(self._started)

    @property
    def budget(self) -> float:
        """Budget of the current rung."""
        return self._plan[self._stage][1]

    @property
    def waiting(self) -> bool:
        """Whether an evaluation of the current rung can be started."""
        return not self.finished and len(self._started) < self._size

    @property
    def at_start(self) -> bool:
        """Whether no evaluation of the current rung was started."""
        return not self._started

    @property
    def finished(self) -> bool:
        return self._stage == len(self._plan)

    def start(self, sample: Callable[[], Config]) -> tuple[int, Config]:
        """Index in the rung and configuration of the next evaluation."""
        config = sample() if self._stage == 0 else self._survivors.popleft()
        self._started.append(config)
        return len(self._started) - 1, config

    def report(self, index: int, loss: float) -> None:
        """Note a loss; the last one of a rung begins the next rung."""
        self._losses[index] = loss
        if len(self._losses) < self._size:
            return
        order = sorted((loss, index) for index, loss in self._losses.items() if loss < np.inf)
        self._stage += 1
        n_promoted = 0 if self.finished else self._plan[self._stage][0]
        self._survivors = deque(self._started[index] for _, index in order[:n_promoted])
        self._started, self._losses = [], {}
        if not self._survivors:
            self._stage = len(self._plan)
