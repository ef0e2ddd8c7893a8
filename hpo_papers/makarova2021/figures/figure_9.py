"""Figure 9: early stopping of XGBoost with nine and with three hyperparameters."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict
from hpo_papers.frame.work import Work
from hpo_papers.makarova2021.runs.curves import too_short
from hpo_papers.makarova2021.stops.studies import OURS, Checks, live_study, scores
from hpo_papers.makarova2021.stops.violins import beside_printed, draw_violins, found, score_row

GROUP = "XGBoost"
LABELS = {"xgb": "9 hyperparameters", "xgb3": "3 hyperparameters"}
DATASETS = ("german", "qsar-fish", "yacht")
LENGTH = 100
GAIN = 1.5
SECONDS = 600.0  # CPU time of one run on each dataset with each space


def compute(work: Work) -> Numbers:
    """Scores by space."""
    size = Checks(LENGTH, list(range(20, LENGTH, 10)), 0, DATASETS, work.runs)
    n_folds, n_rows = 10, 0
    if not work.runs:
        size, n_folds, n_rows = Checks(6, [4], 0, ("yacht",), 1), 2, 60
    rows = []
    for algorithm, label in LABELS.items():
        calls = [
            (algorithm, dataset, size.n_evaluations, run, run, run, n_folds, n_rows)
            for dataset in size.lm_datasets
            for run in range(size.n_runs)
        ]
        rows.append(score_row(GROUP, label, *scores(live_study(work, algorithm, size, calls), OURS)))
    return {"runs": work.runs, "rows": rows}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    few, many = (found(numbers["rows"], GROUP, LABELS[key], "rtc") for key in ("xgb3", "xgb"))
    ratio = few / many if many else float("nan")
    return [*beside_printed(numbers["rows"], {}), Comparison("RTC with 3 / RTC with 9", GAIN, ratio, digits=1)]


def verdict(numbers: Numbers) -> Verdict:
    if not numbers["runs"]:
        return too_short(SECONDS / 60)
    few, many = (found(numbers["rows"], GROUP, LABELS[key], "rtc") for key in ("xgb3", "xgb"))
    words = f"RTC {few:.3f} with three hyperparameters, {many:.3f} with nine; printed: half as much again"
    return Verdict("substitute" if few >= 1.25 * many and few > 0 else "differs", words)


ITEM = Item(
    title="Figure 9: XGBoost with nine and with three hyperparameters",
    printed="Violins of RTC and RYC: with three hyperparameters (n_estimators, max_depth, learning_rate) the mean RTC "
    "is higher by 50 %.",
    protocol="As figure 5, with XGBoost alone.",
    departures="The runs with three hyperparameters are in no record, so both are made here, on substitutes "
    f"({', '.join(DATASETS)}), one seed, {LENGTH} evaluations in place of 200. The bound is computed every tenth "
    "evaluation.",
    rule="substitute (the data are not the paper's) if the mean RTC with three hyperparameters is at least 1.25 times "
    "that with nine and not 0, else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_violins(numbers["rows"]),
    cost=lambda runs: runs * SECONDS + 8.0,
    runs=1,
    least=0,
)
