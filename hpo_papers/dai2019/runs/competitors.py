"""All methods that the paper compares, with its settings, and their runs on one benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hpo_papers.dai2019.runs.best_found import Runs
from hpo_papers.dai2019.runs.followed import follow, without_trainings
from hpo_papers.frame.item import Verdict
from hpo_papers.frame.work import Work

CODE, OURS, GP_UCB, HYPERBAND, BOHB, BOCA, LC = (
    "BO-BOS, as the code", "BO-BOS, ours", "GP-UCB", "Hyperband", "BOHB", "BOCA", "LC prediction",
)  # fmt: skip
LEARNING_CURVES_SHARE = 0.5  # of the runs: a prediction takes hundreds of milliseconds
RESOLVED = (
    *("baselines.curves.bo_bos", "baselines.bayesian.gp_ucb", "baselines.halving.hyperband", "baselines.halving.bohb"),
    *("baselines.budgets.boca", "baselines.curves.lc_gp"),
)


def methods(rate: float, n_paths: int = 100_000) -> dict[str, tuple[str, dict[str, Any]]]:
    """Name and options of the optimizer behind each label; all but Hyperband and BOHB begin with six random points.

    Parameters
    ----------
    rate
        By which K1 is divided in each iteration.
    n_paths
        Simulated curves of a rule of the code's variant.
    """
    return {
        CODE: ("bo-bos", {"variant": "reference-code", "rate": rate, "n_paths": n_paths}),
        OURS: ("bo-bos", {"rate": rate, "n_initial": 6}),
        GP_UCB: ("gp-ucb", {"n_initial": 6}),
        HYPERBAND: ("hyperband", {}),
        BOHB: ("bohb", {}),
        BOCA: ("boca", {"n_initial": 6}),
        LC: ("lc-gp", {"n_initial": 6, "every": 10}),
    }


def competition(
    work: Work, benchmark: str, chosen: Mapping[str, tuple[str, dict[str, Any]]], epochs: float, seconds: float
) -> Runs:
    """Followed runs of some methods, without their trainings; of `LC` half as many as of the others.

    Parameters
    ----------
    work
        Number of runs, and where they are computed.
    benchmark
        Its name.
    chosen
        Of `methods`.
    epochs, seconds
        As for `follow`.
    """
    runs = {}
    for label, method in chosen.items():
        n = max(1, round(work.runs * LEARNING_CURVES_SHARE)) if label == LC else work.runs
        found = work.parts(follow, [(benchmark, *method, seed, epochs, seconds) for seed in range(n)])
        runs[label] = [without_trainings(run) for run in found]
    return runs


def on_substitute(claims: Mapping[str, bool]) -> Verdict:
    """The verdict `substitute`, with the claims that hold on the substitute and those that do not."""
    holds = [claim for claim, true in claims.items() if true]
    broken = [claim for claim, true in claims.items() if not true]
    words = [f"holds: {'; '.join(holds)}"] if holds else []
    words += [f"not so: {'; '.join(broken)}"] if broken else []
    return Verdict("substitute", ". ".join(words))
