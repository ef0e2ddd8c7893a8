"""`run`: the one loop, an optimizer against a benchmark on a simulated clock.

With k workers it simulates k machines that work asynchronously. A worker that is free asks for a proposal and is busy
for as many seconds as the trial costs; results reach the optimizer in their order of completion. Trials that
end at the same moment are told in the order in which they were started, all of them before the next one is asked for.
The optimizer's own thinking takes no time on this clock.
"""

from __future__ import annotations

import heapq
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from numbers import Integral, Real
from typing import Any, Literal

from hpo_core.benchmark import Benchmark, check_seed
from hpo_core.errors import HpoError, InvalidOption, InvalidProblem
from hpo_core.names import make_criterion, make_optimizer
from hpo_core.problems.problem import Problem, Result
from hpo_core.running.continuation import PaidTraining, Trainings
from hpo_core.running.optimizer import Optimizer, StoppingCriterion
from hpo_core.running.record import Run
from hpo_core.running.trial import Proposal, Trial
from hpo_core.running.trial_seeds import trial_seeds
from hpo_core.single_thread import single_threaded

STALLED = 1000  # trials in a row without any cost after which a run that only a cost can end is given up
MOST_WORKERS = 1_000_000
LARGEST = sys.float_info.max
EXHAUSTED = "exhausted: the optimizer has nothing left to propose"


@single_threaded
def run(
    benchmark: str | Problem | Benchmark,
    optimizer: str | Callable[..., Optimizer] | Optimizer,
    n_trials: int | None = 100,
    max_cost: float | None = None,
    stop: str | StoppingCriterion | None = None,
    seed: int = 0,
    workers: int = 1,
    *,
    resume: bool | None = None,
    on_failure: Literal["continue", "stop"] = "continue",
    options: Mapping[str, Any] | None = None,
) -> Run:
    """Record of running an optimizer on a benchmark: a function of the arguments, the seed among them.

    Parameters
    ----------
    benchmark
        A benchmark, a problem, a name that `benchmarks()` lists, or `module:attribute` of a function that makes one.
    optimizer
        A name that `optimizers()` lists, `module:Class`, or a class, and then it is built on the benchmark's space and
        budgets with the run's seed; or an object with `ask` and `tell` as it is, fresh or not.
    n_trials
        How many trials are started, None for no limit.
    max_cost
        Seconds on the clock from which on no trial is started, None for no limit. Trials that are running then are
        finished and recorded with an end after `max_cost`; the incumbent at that time does not count them.
    stop
        A function of the completed trials, called after each; what it returns ends the run and is its reason. Trials
        that are running then are given up and not recorded. A text such as `"conv:20 | limit:200"` is read as
        `hpo_core.running.criterion_text` says.
    seed
        Fixes the trials' seeds, see `hpo_core.running.trial_seeds`.
    workers
        How many trials run at the same time.
    resume
        Whether a configuration that is asked for again at a larger budget continues its training, with the seed of its
        first trial and at the difference of the costs, or is trained from scratch. None does what the problem says
        (`Benchmark.resumable`); False is how most papers count.
    on_failure
        What a failed trial does to the run. A trial fails if the objective raises an exception or returns a loss or
        cost that is not a finite number. It is recorded with its reason and an infinite loss, which the optimizer is
        told, and takes the cost that the result or the exception (as an attribute `cost`) states, else 0. An
        `HpoError` is no failure but a mistake, such as a configuration outside the space, and is raised.
    options
        Keyword arguments of an optimizer that is given by name or class: `run("protein", "re", options={"population":
        20})`.

    Examples
    --------
    >>> from hpo_core import run
    >>> r = run("branin", "rs", n_trials=20, seed=1)
    >>> len(r.trials), r.reason
    (20, 'n_trials: 20 were started')
    """
    target = benchmark if isinstance(benchmark, Benchmark) else Benchmark(benchmark)
    _check_limits(n_trials, max_cost, stop, workers, on_failure)
    if options is not None and not isinstance(options, Mapping):
        raise InvalidOption(f"options must be None or a mapping of names to values, got {options!r:.60}")
    seed = check_seed(seed)
    made = make_optimizer(optimizer, target.space, target.budgets, seed, **(options or {}))
    name = optimizer if isinstance(optimizer, str) else getattr(made, "name", type(made).__name__)
    rule = None if stop is None else make_criterion(stop, target.space)
    resumes = target.resumable if resume is None else resume
    loop = _Loop(target, made, trial_seeds(seed), workers, resumes and len(target.budgets) > 1)
    reason = None
    while reason is None:
        idle = loop.start_trials(n_trials, max_cost)
        reason = loop.finish_trials(rule, on_failure) if loop.running else idle
    return Run(target.name, name, seed, workers, reason, tuple(loop.completed))


def _check_limits(n_trials: Any, max_cost: Any, stop: Any, workers: Any, on_failure: Any) -> None:
    for option, value in (("n_trials", n_trials), ("workers", workers)):
        if option == "n_trials" and value is None:
            continue
        if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
            raise InvalidOption(f"{option} must be an integer >= 1, got {value!r}")
    if workers > MOST_WORKERS:
        raise InvalidOption(f"workers must be at most {MOST_WORKERS:,}, got {workers!r:.60}")
    if max_cost is not None and not (isinstance(max_cost, Real) and 0.0 < float(max_cost) < math.inf):
        raise InvalidOption(f"max_cost must be None or a finite number of seconds above 0, got {max_cost!r}")
    if n_trials is None and max_cost is None and stop is None:
        raise InvalidOption("a run needs an end: give n_trials, max_cost or stop")
    if on_failure not in ("continue", "stop"):
        raise InvalidOption(f"on_failure must be 'continue' or 'stop', got {on_failure!r}")


class _Loop:
    """State of a run: the clock, the workers, the trials that are running and those that are completed."""

    def __init__(self, benchmark: Benchmark, optimizer: Optimizer, seeds: Iterator[int], workers: int, continues: bool):
        self.running: list[tuple[float, int, Trial]] = []  # heap by end, then step
        self.completed: list[Trial] = []
        self._objective = benchmark.objective
        self._check_budget = benchmark.check_budget
        self._full = benchmark.budgets[-1]
        self._optimizer = optimizer
        self._seeds = seeds
        self._free = list(range(workers))  # heap
        self._clock = 0.0
        self._started = 0
        self._costless = 0
        self._trainings = Trainings() if continues else None

    def start_trials(self, n_trials: int | None, max_cost: float | None) -> str | None:
        """Give every free worker a trial; returns why one got none, or None."""
        while self._free:
            if n_trials is not None and self._started >= n_trials:
                return f"n_trials: {n_trials} were started"
            if max_cost is not None and self._clock >= max_cost:
                return f"max_cost: {max_cost:g} s have passed"
            if n_trials is None and max_cost is not None and self._costless >= STALLED:
                return f"stalled: {STALLED} trials in a row took no time, so max_cost will not be reached"
            proposal = self._optimizer.ask()
            if proposal is None:
                return EXHAUSTED
            if not isinstance(proposal, Proposal):
                raise InvalidOption(f"ask of an optimizer must return a Proposal or None, got {proposal!r:.60}")
            self._start(proposal)
        return None

    def _start(self, proposal: Proposal) -> None:
        seed, paid = next(self._seeds), 0.0
        if self._trainings is not None:
            training = self._trainings.claim(proposal.config, self._budget(proposal))
            if training is not None:
                seed, paid = training.seed, training.cost
        result, failure = self._evaluate(proposal, seed)
        worker = heapq.heappop(self._free)
        trial = Trial(proposal, result, self._started, seed, worker, self._clock, paid, failure)
        heapq.heappush(self.running, (trial.end, self._started, trial))
        self._started += 1

    def _budget(self, proposal: Proposal) -> float:
        return self._full if proposal.budget is None else self._check_budget(proposal.budget)

    def _evaluate(self, proposal: Proposal, seed: int) -> tuple[Result, str | None]:
        """Result, and why the trial failed or None."""
        try:
            result = self._objective(proposal.config, proposal.budget, seed=seed)
        except HpoError:
            raise
        except Exception as error:
            cost = _valid_cost(getattr(error, "cost", 0.0))
            return Result(math.inf, cost, self._budget(proposal), {}), f"{type(error).__name__}: {error}"
        if not isinstance(result, Result):
            raise InvalidProblem(f"an objective must return Result(loss, cost, budget, info), got {result!r:.60}")
        loss, cost = result.loss, result.cost
        if _is_finite(loss) and _is_finite(cost) and cost >= 0.0:
            return result, None
        failure = f"cost was {cost!r:.60}" if _is_finite(loss) else f"loss was {loss!r:.60}"
        return result._replace(loss=math.inf, cost=_valid_cost(cost)), failure

    def finish_trials(self, stop: StoppingCriterion | None, on_failure: str) -> str | None:
        """Move the clock to the next end, and tell what ends then; returns a reason to end the run, or None."""
        before, self._clock = self._clock, self.running[0][0]
        self._costless = 0 if self._clock > before else self._costless + 1
        while self.running and self.running[0][0] == self._clock:
            trial = heapq.heappop(self.running)[2]
            heapq.heappush(self._free, trial.worker)
            self.completed.append(trial)
            if self._trainings is not None and trial.failure is None:
                self._trainings.keep(trial.config, PaidTraining(trial.budget, trial.result.cost, trial.seed or 0))
            self._optimizer.tell(trial.proposal, trial.result.loss, trial.cost)
            if trial.failure is not None and on_failure == "stop":
                return f"failure: {trial.failure}"
            if stop is not None and (reason := stop(self.completed)) is not None:
                return reason
        return None


def _is_finite(number: Any) -> bool:
    """Whether it is a real number that is neither NaN nor infinite, and that a float can hold."""
    is_real = number.__class__ is float or isinstance(number, Real)
    return is_real and -LARGEST <= number <= LARGEST


def _valid_cost(cost: Any) -> float:
    """`cost` if it is a number of seconds, else 0."""
    return float(cost) if _is_finite(cost) and cost >= 0.0 else 0.0
