"""Fig. 8: where stopped trainings would have ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.stopping.pictures import panels_of, tidy
from hpo_papers.dai2019.runs.logistic import INITIAL, RESOLVED, SMALL, N, seconds, stopped_and_complete, stopping_runs
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIGHT = 0.95  # share of right stops that the verdict asks for


def compute(work: Work) -> Numbers:
    """Final errors of all trainings, those of stopped ones with the best error before them."""
    runs = []
    for run in stopping_runs(work):
        stopped, complete = stopped_and_complete(run)
        order = [(each["n"] < N, each["final"]) for each in run["trainings"][INITIAL // N :]]
        runs.append(
            {
                "stopped": [[each["final"], each["best"], each["n"]] for each in stopped],
                "complete": [each["final"] for each in complete],
                "order": order,
            }
        )
    return {"runs": runs}


def _pooled(numbers: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """(stops, 3) final error, best before and epochs of stopped trainings; (m,) final errors of complete ones."""
    stopped = [row for run in numbers["runs"] for row in run["stopped"]]
    complete = [value for run in numbers["runs"] for value in run["complete"]]
    return np.array(stopped).reshape(-1, 3), np.array(complete)


def _right(numbers: Numbers) -> float:
    """Share of the stopped trainings that would not have ended below the best before."""
    stopped, _ = _pooled(numbers)
    return float(np.mean(stopped[:, 0] >= stopped[:, 1])) if len(stopped) else float("nan")


def _median(values: np.ndarray) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def compare(numbers: Numbers) -> Sequence[Comparison]:
    stopped, complete = _pooled(numbers)
    return [
        Comparison("stopped trainings, of all runs", None, len(stopped), digits=0),
        Comparison("share that would not have beaten the best (the figure: all)", 1.0, _right(numbers), digits=3),
        Comparison("median final error, stopped", None, _median(stopped[:, 0]), digits=4),
        Comparison("median final error, complete", None, _median(complete), digits=4),
        Comparison("median epoch of a stop", None, _median(stopped[:, 2]), digits=1),
    ]


def verdict(numbers: Numbers) -> Verdict:
    stopped, complete = _pooled(numbers)
    right, medians = _right(numbers), (_median(stopped[:, 0]), _median(complete))
    return claims_hold(
        {
            f"{right:.1%} of {len(stopped)} stops were right (at least {RIGHT:.0%})": right >= RIGHT,
            f"stopped trainings would have ended higher ({medians[0]:.4f}, {medians[1]:.4f})": medians[0] > medians[1],
        }
    )


def draw(numbers: Numbers) -> Figure:
    figure, (axes,) = panels_of(1, 7.0, 4.4)
    order = numbers["runs"][0]["order"]
    for kind, colour, marker, word in ((True, "#d1495b", "o", "stopped"), (False, "#009e73", "^", "complete")):
        at = [k for k, (was_stopped, _) in enumerate(order, 1) if was_stopped == kind]
        label = f"{word} ({len(at)})"
        axes.plot(at, [order[k - 1][1] for k in at], marker, color=colour, markersize=6, linestyle="none", label=label)
    tidy(axes, "first run, without the initial trainings", "training", f"validation error after {N} epochs")
    axes.legend(frameon=False)
    return figure


ITEM = Item(
    title="Fig. 8: reliability of early stopping",
    printed="Final errors of one run: the trainings that were stopped would all have ended with large errors.",
    protocol="Logistic regression on MNIST, as in fig. 1, K1 growing by 1/0.95.",
    departures="optdigits in place of MNIST, as in fig. 1, with the same runs. A stop is right if the training, with "
    "the same order of batches, would not have ended below the best error found before. " + SMALL,
    rule="reproduced if at least 95 % of all stops of all runs were right, and the median final error of stopped "
    "trainings is above that of complete ones",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=seconds,
    runs=10,
    resolved=RESOLVED,
)
