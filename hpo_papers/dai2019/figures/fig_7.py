"""Fig. 7: learning curves during a run of BO-BOS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core import Benchmark
from hpo_leaderboard.stopping.pictures import panels_of, tidy
from hpo_papers.dai2019.runs.logistic import (
    BENCHMARK,
    N0,
    RESOLVED,
    SMALL,
    N,
    seconds,
    stopped_and_complete,
    stopping_runs,
)
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from tabular.statistics import spearman

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def compute(work: Work) -> Numbers:
    """Curves of the trainings of each run, as far as they were trained, the stopped ones first."""
    b = Benchmark(BENCHMARK)

    def curve(each: dict[str, Any]) -> list[float]:
        return b.curve(each["config"], seed=each["seed"])[: int(each["n"])].tolist()

    runs = [stopped_and_complete(run) for run in stopping_runs(work)]
    return {"runs": [{"stopped": [*map(curve, one)], "complete": [*map(curve, other)]} for one, other in runs]}


def _after_initial(numbers: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Errors after N0 epochs and epochs trained, of all trainings after the initial ones."""
    curves = [curve for run in numbers["runs"] for kind in ("stopped", "complete") for curve in run[kind]]
    return np.array([curve[N0 - 1] for curve in curves]), np.array([len(curve) for curve in curves], dtype=float)


def _medians(numbers: Numbers) -> tuple[float, float, float]:
    """Median error after N0 epochs of stopped and of complete trainings, and median epochs of the stopped."""
    errors, epochs = _after_initial(numbers)
    stopped = epochs < N
    return (
        float(np.median(errors[stopped])) if stopped.any() else float("nan"),
        float(np.median(errors[~stopped])) if (~stopped).any() else float("nan"),
        float(np.median(epochs[stopped])) if stopped.any() else float("nan"),
    )


def compare(numbers: Numbers) -> Sequence[Comparison]:
    errors, epochs = _after_initial(numbers)
    stopped, complete, when = _medians(numbers)
    return [
        Comparison("trainings after the initial ones, of all runs", None, len(epochs), digits=0),
        Comparison("share of them that was stopped", None, float(np.mean(epochs < N)), digits=3),
        Comparison("median epoch of a stop", None, when, digits=1),
        Comparison("median error after 8 epochs, stopped", None, stopped, digits=4),
        Comparison("median error after 8 epochs, complete", None, complete, digits=4),
        Comparison("rank correlation of that error and the epochs", None, _correlation(errors, epochs), digits=2),
    ]


def _correlation(errors: np.ndarray, epochs: np.ndarray) -> float:
    return float(spearman(errors[None], epochs)[0])


def verdict(numbers: Numbers) -> Verdict:
    errors, epochs = _after_initial(numbers)
    stopped, complete, _ = _medians(numbers)
    correlation = _correlation(errors, epochs)
    return claims_hold(
        {
            f"stopped trainings have higher errors after 8 epochs ({stopped:.4f}, {complete:.4f})": stopped > complete,
            f"the higher that error, the fewer epochs (rank correlation {correlation:.2f})": correlation < 0,
        }
    )


def draw(numbers: Numbers) -> Figure:
    figure, (axes,) = panels_of(1, 7.0, 4.4)
    for kind, colour in (("stopped", "#d55e00"), ("complete", "#009e73")):
        for k, curve in enumerate(numbers["runs"][0][kind]):
            label = f"{kind} ({len(numbers['runs'][0][kind])})" if k == 0 else None
            axes.plot(np.arange(1, len(curve) + 1), curve, color=colour, linewidth=1.0, alpha=0.75, label=label)
    tidy(axes, "trainings of the first run, without the initial ones", "epoch", "validation error")
    axes.set_yscale("log")
    axes.legend(frameon=False)
    return figure


ITEM = Item(
    title="Fig. 7: learning curves during BO-BOS",
    printed="Some curves of one run: those that show little potential are stopped early, promising ones run longer.",
    protocol="Logistic regression on MNIST, as in fig. 1, K1 growing by 1/0.95.",
    departures="optdigits in place of MNIST, as in fig. 1, with the same runs; the figure shows the first run, the "
    "numbers are of all. " + SMALL,
    rule="reproduced if stopped trainings have a higher median error after 8 epochs than complete ones, and that error "
    "and the number of epochs have a negative rank correlation, over all trainings after the initial ones",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=seconds,
    runs=10,
    resolved=RESOLVED,
)
