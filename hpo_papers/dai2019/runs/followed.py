"""`follow`: one run of an optimizer on a table with learning curves, with what it spent and what it stopped.

Spent are epochs of training, and seconds: those of the training by the table, and the optimizer's own, measured as
processor time of its `ask` and `tell`. A training ends with a loss where it is not continued by the next trial; the
best-found error is the lowest of these, as in the paper, where y_t is the error after the last epoch of training t. A
problem whose evaluations have a `minus_return` in their `info` is judged by that in place of the loss.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from baselines import optimizer as made_optimizer
from hpo_core import Benchmark, run
from hpo_core.running.optimizer import Optimizer
from hpo_core.running.trial import Proposal, Trial


class Clocked:
    """An optimizer whose `ask` and `tell` are measured; `seconds` has the processor time until each proposal."""

    def __init__(self, optimizer: Optimizer):
        self.seconds: list[float] = []
        self._optimizer, self._spent = optimizer, 0.0

    def ask(self) -> Proposal | None:
        start = time.process_time()
        proposal = self._optimizer.ask()
        self._spent += time.process_time() - start
        self.seconds.append(self._spent)
        return proposal

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        start = time.process_time()
        self._optimizer.tell(proposal, loss, cost)
        self._spent += time.process_time() - start


class SpentLimit:
    """A stopping criterion: epochs of all trainings together, and seconds of training; both must be reached."""

    def __init__(self, epochs: float, seconds: float):
        self._epochs, self._seconds = epochs, seconds
        self._counted, self._spent = 0, SpentEpochs()

    def __call__(self, trials: Sequence[Trial]) -> str | None:
        for trial in trials[self._counted :]:
            self._spent.add(trial)
        self._counted = len(trials)
        enough = self._spent.total >= self._epochs and trials[-1].end >= self._seconds
        return f"{self._epochs:g} epochs and {self._seconds:g} seconds" if enough else None


class SpentEpochs:
    """Epochs of trials one after another; `total` of them all."""

    def __init__(self) -> None:
        self.total = 0.0
        self._reached: dict[str, float] = {}

    def add(self, trial: Trial) -> float:
        """Epochs so far, those of one more trial included; it costs the difference if it continues a training."""
        key = str(sorted(trial.config.items()))
        before = self._reached.get(key, 0.0) if trial.paid > 0 else 0.0
        self._reached[key] = trial.budget
        self.total += trial.budget - before
        return self.total


class EndedTraining(NamedTuple):
    """A training that is not continued by the next trial, with all spent until then, judged by `found`."""

    config: Mapping[str, Any]
    seed: int | None
    n: float
    loss: float
    found: float
    epochs: float
    train_seconds: float
    decide_seconds: float


def ended_trainings(trials: Sequence[Trial], decided: Sequence[float]) -> list[EndedTraining]:
    """Trainings of a run in the order of their ends.

    Parameters
    ----------
    trials
        Of a run with one worker.
    decided
        Seconds of the optimizer until each of them was proposed.
    """
    spent, found = SpentEpochs(), []
    for k, trial in enumerate(trials):
        epochs = spent.add(trial)
        following = trials[k + 1] if k + 1 < len(trials) else None
        if following is not None and following.config == trial.config and following.paid > 0:
            continue
        value = trial.result.info.get("minus_return", trial.loss)
        spending = epochs, trial.end, decided[trial.step]
        found.append(EndedTraining(trial.config, trial.seed, trial.budget, trial.loss, value, *spending))
    return found


def follow(
    benchmark: str, optimizer: str, options: Mapping[str, Any], seed: int, epochs: float, seconds: float = 0.0
) -> dict[str, Any]:
    """What a run on a benchmark by name spent and found, as plain numbers; arguments as for `follow_on`."""
    return follow_on(Benchmark(benchmark), optimizer, options, seed, epochs, seconds)


def follow_on(
    b: Benchmark, optimizer: str, options: Mapping[str, Any], seed: int, epochs: float, seconds: float = 0.0
) -> dict[str, Any]:
    """What a run spent and found, as plain numbers.

    Parameters
    ----------
    b
        A benchmark with learning curves.
    optimizer, options
        Its name and options.
    seed
        Of the run and of the optimizer.
    epochs, seconds
        Of all trainings together; the run ends when both are reached.

    Returns
    -------
    dict
        `epochs`, `train`, `decide` (seconds) and `loss` at each improvement of the best-found error; `spent`, their
        totals; `trainings`, one for each in turn: `n` epochs, last `loss`, loss `final` of the full training with the
        same seed, the `best` before, None for the first, and `config` and `seed`. One that the end of the run cut off
        is left out.
    """
    clocked = Clocked(made_optimizer(optimizer, b.space, b.budgets, seed, **options))
    trials = run(b, clocked, n_trials=None, stop=SpentLimit(epochs, seconds), seed=seed).trials
    ended = ended_trainings(trials, clocked.seconds)
    best, improvements, trainings = float("inf"), [], []
    for each in ended:
        trainings.append(
            {
                "n": each.n,
                "loss": each.loss,
                "final": b.objective(each.config, seed=each.seed).loss,
                "best": best if best < float("inf") else None,
                "config": dict(each.config),
                "seed": each.seed,
            }
        )
        if each.found < best:
            best = each.found
            improvements.append((each.epochs, each.train_seconds, each.decide_seconds, each.found))
    columns = ("epochs", "train", "decide", "loss")
    last = ended[-1]
    return {
        **{name: [row[k] for row in improvements] for k, name in enumerate(columns)},
        "spent": [last.epochs, last.train_seconds, clocked.seconds[-1]],
        "trainings": trainings if last.n == b.budgets[-1] else trainings[:-1],
    }


def without_trainings(run: Mapping[str, Any]) -> dict[str, Any]:
    """What `follow` returns, without its trainings."""
    return {name: value for name, value in run.items() if name != "trainings"}
