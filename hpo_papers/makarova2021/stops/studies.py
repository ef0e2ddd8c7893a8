"""The experiments of section 5: runs of each algorithm, where our criterion of 2021 stops them, and the scores of that.

    RF, XGB   the authors' record: 19 datasets x `runs` of 10 seeds x 200 evaluations
    LM        made here, on phoneme, which is one of the paper's datasets, and on six substitutes

The bound is computed after every tenth evaluation from the 20th on, where the paper computes it after each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hpo_papers.frame.work import Work
from hpo_papers.makarova2021.runs.curves import READING
from hpo_papers.makarova2021.runs.live import EVALUATIONS, PHONEME, live_run
from hpo_papers.makarova2021.stops.bounds import live_bounds, log_thresholds, recorded_bounds
from hpo_papers.makarova2022.record import rules
from hpo_papers.makarova2022.record.contents import WARM_UP, Runs, record
from hpo_papers.makarova2022.record.methods import run_scores, stops_of

ALGORITHMS = ("LM", "XGB", "RF")
RECORDED = ("XGB", "RF")
LM_DATASETS = (PHONEME, "contraceptive", "german", "airfoil", "qsar-fish", "diabetes", "yacht")
N_DATASETS = 19
RUNS = 2
SECONDS = 460.0  # CPU time of one run on each dataset, with its bounds
SHARED = 5.0  # of the figures 6 to 8 after figure 5, whose parts they share
OURS = "Ours"
DEPARTURES = (
    "RF and XGB are the authors' record of 2022, two of its ten runs on each of the 19 datasets, not the runs behind "
    "the printed figure. LM is not in it: it was run here, two seeds on `phoneme` (the paper's op100-9952) and on "
    "six substitutes (contraceptive, german, airfoil, qsar-fish, diabetes, yacht); it is shown and does not decide. "
    "The bound is computed every tenth evaluation from the 20th on, not at each; its lengthscales have a log-normal "
    "prior (the paper does not print its own) and inputs are not warped. RTC counts "
    f"evaluations, as in the tables of 2022. {READING}"
)

NEVER = (
    "With this bound no run of XGB is stopped (one run on each of the 19 datasets). On six of them, after 100 and 190 "
    "evaluations, the bound is 4 to 90 times the threshold. That is due neither to the samples (maximum likelihood: 4 "
    "to 87 times) nor to the search for the lowest point (2,000 random configurations: 3 to 63 times); a fit to the "
    "better half of the evaluations, which the authors introduced in 2022, brings it down to 1.3 to 121 times, and "
    "with the most probable hyperparameters and random configurations to .8 to 94 times. Warped inputs, which the "
    "paper's process has and this one has not, do not bring it down either: with the most probable parameters of "
    "Kumaraswamy's distribution for each input it is 2.1 to 37 times on eight datasets after 190 evaluations, without "
    "them 3.5 to 13 times. The runs behind the printed figure are not published, so it stays open what stopped theirs."
)


class Checks(NamedTuple):
    """How much is computed: evaluations of a run, numbers of evaluations at which the bound is, datasets, seeds."""

    n_evaluations: int
    checks: list[int]
    n_datasets: int
    lm_datasets: tuple[str, ...]
    n_runs: int


def checks_for(runs: int) -> Checks:
    """Sizes for a number of runs; 0 is the smallest, which makes no whole run."""
    if not runs:
        return Checks(22, [20], 1, ("yacht",), 1)
    return Checks(EVALUATIONS, list(range(WARM_UP["cv"], EVALUATIONS, 10)), N_DATASETS, LM_DATASETS, runs)


def studies(work: Work) -> dict[str, Runs]:
    """Runs by algorithm, with the arrays loss, test, folds and `log_bound` (dataset, run, evaluation)."""
    size = checks_for(work.runs)
    return {"LM": lm_study(work, size)} | {name: recorded_study(work, size, name) for name in RECORDED}


def recorded_study(work: Work, size: Checks, name: str) -> Runs:
    """Recorded runs of an algorithm with bounds that are computed here."""
    calls = [
        (name, dataset, run, size.checks)
        for run in range(size.n_runs)  # one run on every dataset first
        for dataset in range(size.n_datasets)
    ]
    found = np.array(work.parts(recorded_bounds, calls), dtype=float).reshape(size.n_runs, size.n_datasets, -1)
    runs = record().runs["cv", name]
    arrays = {
        key: runs[key][: size.n_datasets, : size.n_runs, : size.n_evaluations]
        for key in ("loss", "test", "folds", "ei", "pi")
    }
    arrays["log_bound"] = at_checks(found.transpose(1, 0, 2), size)
    return Runs("cv", name, runs.datasets[: size.n_datasets], arrays)


def lm_study(work: Work, size: Checks) -> Runs:
    """Runs of the linear model that are made here."""
    calls = [
        ("lm", dataset, size.n_evaluations, run, run, run, 10, 0)
        for dataset in size.lm_datasets
        for run in range(size.n_runs)
    ]
    return live_study(work, "LM", size, calls)


def live_study(work: Work, name: str, size: Checks, calls: list[tuple[Any, ...]]) -> Runs:
    """Runs that `live_run` makes of some arguments, in the order of datasets and runs, with their bounds.

    Parameters
    ----------
    work
        Of the item.
    name
        The study's.
    size
        Sizes; its datasets and runs give the shape of the arrays.
    calls
        Arguments of `live_run`.
    """
    made = work.parts(live_run, calls)
    bounds = work.parts(
        live_bounds, [(call[0], run["config"], run["loss"], size.checks) for call, run in zip(calls, made, strict=True)]
    )
    shape = (len(size.lm_datasets), size.n_runs)
    arrays = {key: np.array([run[key] for run in made]) for key in ("loss", "test", "folds")}
    arrays = {key: array.reshape(*shape, *array.shape[1:]) for key, array in arrays.items()}
    arrays["log_bound"] = at_checks(np.array(bounds, dtype=float).reshape(*shape, -1), size)
    return Runs("cv", name, size.lm_datasets, arrays)


def at_checks(values: np.ndarray, size: Checks) -> np.ndarray:
    """(dataset, run, evaluation) bounds from those at the checks, inf elsewhere."""
    grid = np.full((*values.shape[:2], size.n_evaluations), np.inf)
    grid[..., size.checks] = values
    return grid


def stops(runs: Runs, method: str) -> np.ndarray:
    """(dataset, run) evaluations at which a method stops: `Ours` by the bound of 2021, others as in 2022."""
    if method != OURS:
        return stops_of(runs, method)
    return rules.bound_stops(runs["log_bound"], log_thresholds(runs["loss"], runs["folds"]), WARM_UP["cv"])


def scores(runs: Runs, method: str, budget: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(dataset, run) RTC and RYC of a method, of runs that end after a number of evaluations, None for all."""
    cut = Runs(runs.study, runs.name, runs.datasets, {key: array[:, :, :budget] for key, array in runs.arrays.items()})
    return run_scores(cut, stops(cut, method))
