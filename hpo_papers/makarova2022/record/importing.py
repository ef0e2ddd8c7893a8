"""The record made of tables with one row per evaluation, and of the authors' tables of stops.

A directory holds

    cv.csv.gz, hpobench.csv.gz, nb201.csv.gz     runs: dataset, algo or optimizer, seed, iteration, config (JSON) or
                                                 hp_* columns, loss, and what `contents` names
    result_identity_cv_top0.5.csv.gz             stops, under the names that they have in the authors' repository, with
    bore_results_..., rs_results_..., tpe_...    or without .gz; in that directory, or in one given beside it

What the rules compare is kept exactly as far as any stop depends on it: losses, bounds and configurations of cv in
full, the numbers of the FC-Net tables, EI, PI, costs, and fold losses that are no error rates in single precision.
A test compares the stops.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.storage.sealed_hdf5 import write_sealed
from hpo_papers.makarova2022.record.contents import ALGORITHMS, KIND, NAS, OPTIMIZERS, TABLES

if TYPE_CHECKING:
    import pandas

FEW = 65_536  # different values that 16 bits can number
SINGLE = ("ei", "pi", "cost", "folds")  # columns of cv that single precision suffices for
PROVENANCE = {
    "paper": "Makarova et al. (2022), Automatic Termination for Hyperparameter Optimization",
    "source": "GitHub repository amazon-research/bo-early-stopping, commit cffd7d3",
    "licence": "Apache License 2.0",
    "changes": "packed into arrays; tables, EI, PI, costs and fold losses of regressions in single precision",
}
WORDS = ("activation_fn_1", "activation_fn_2", "lr_schedule")  # recorded by value, the others by its index
STOPS = {
    ("cv", "RF"): ("result_identity_cv_top0.5", "result_identity_cv_top0.5_rebuttal"),
    ("cv", "XGB"): ("result_identity_cv_top0.5", "result_identity_cv_top0.5_rebuttal"),
    ("fcnet", "rs"): ("rs_results_identity_top0.5_hpobench",),
    ("fcnet", "tpe"): ("tpe_results_identity_top0.5_hpobench",),
    ("fcnet", "bore"): ("bore_results_xgboost_identity_top0.5_hpobench",),
    ("nas", "bore"): ("bore_results_xgboost_identity_top0.5_nasbench201",),
}
NAS_NAMES = {"ImageNet16-120": "imagenet", "cifar10-valid": "cifar10", "cifar100": "cifar100"}


def write_record(path: Path, runs: Path, stops: Path) -> None:
    """Write the record of a directory of runs and one of stops."""
    import pandas as pd

    cv = pd.read_csv(_file(runs, "cv"))
    tables = {study: pd.read_csv(_file(runs, name)) for study, name in (("fcnet", "hpobench"), ("nas", "nb201"))}
    datasets = {"cv": sorted(cv["dataset"].unique()), "fcnet": list(TABLES), "nas": list(NAS)}
    columns: dict[str, np.ndarray] = {}
    for algorithm in ALGORITHMS:
        found = _cv_arrays(cv[cv["algo"] == algorithm], datasets["cv"])
        columns |= _prefixed("cv", algorithm, found | _stops(("cv", algorithm), stops, datasets["cv"], 10))
    for study, table in tables.items():
        for optimizer in OPTIMIZERS:
            found = _table_arrays(table[table["optimizer"] == optimizer], study, datasets[study])
            columns |= _prefixed(study, optimizer, found | _stops((study, optimizer), stops, datasets[study], 50))
    names = sorted({tuple(column.split(":")[:2]) for column in columns})
    header = {"provenance": PROVENANCE, "datasets": datasets, "runs": names}
    write_sealed(path, KIND, header, columns, compress=True)


def _file(folder: Path, stem: str) -> Path:
    for suffix in (".csv.gz", ".csv"):
        if (folder / f"{stem}{suffix}").is_file():
            return folder / f"{stem}{suffix}"
    raise InvalidOption(f"the record is made of a directory with {stem}.csv.gz, and {folder} has none")


def _prefixed(study: str, name: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Columns of the file, those with few different values as codes and values."""
    columns: dict[str, np.ndarray] = {}
    for key, array in arrays.items():
        column = f"{study}:{name}:{key}"
        values, codes = np.unique(array, return_inverse=True)
        if array.dtype.itemsize > 2 and len(values) < FEW // 4:
            columns[f"{column}#values"] = values
            array = codes.reshape(array.shape).astype(np.uint16 if len(values) > 256 else np.uint8)
        columns[column] = array
    return columns


def _gridded(rows: pandas.DataFrame, values: np.ndarray, datasets: Sequence[str], shape: tuple[int, int]) -> np.ndarray:
    """(dataset, run, evaluation, ...) values of rows that have a dataset, a seed and an iteration."""
    missing = np.nan if values.dtype.kind == "f" else 0
    grid = np.full((len(datasets), *shape, *values.shape[1:]), missing, dtype=values.dtype)
    at = [datasets.index(name) for name in rows["dataset"]]
    grid[at, rows["seed"].to_numpy(), rows["iteration"].to_numpy()] = values
    return grid


def _cv_arrays(rows: pandas.DataFrame, datasets: Sequence[str]) -> dict[str, np.ndarray]:
    configs = [json.loads(text) for text in rows["config"]]
    named: dict[str, np.ndarray] = {
        name: rows[column].to_numpy(dtype=float)
        for name, column in (("loss", "loss"), ("test", "test"), ("cost", "cost"), ("ei", "ei"), ("pi", "pi"))
    }
    named["bound"] = rows["reference_bound"].to_numpy(dtype=float)
    named |= {f"hp.{key}": np.array([config[key] for config in configs], dtype=float) for key in configs[0]}
    named["folds"] = rows[[f"fold_{i}" for i in range(10)]].to_numpy(dtype=float)
    arrays = {}
    for name, values in named.items():
        arrays[name] = _gridded(rows, values, datasets, (10, 200))
        if name in SINGLE:
            arrays[name] = arrays[name].astype(np.float32)
    return arrays


def _table_arrays(rows: pandas.DataFrame, study: str, datasets: Sequence[str]) -> dict[str, np.ndarray]:
    shape = (50, 500) if study == "fcnet" else (50, 200)
    named: dict[str, Any] = {"loss": rows["loss"], "bound": rows["reference_bound"]}
    named |= {name: rows[name] for name in ("test", "cost") if name in rows}
    precision = np.float32 if study == "fcnet" else np.float64  # of cells with equal accuracies digits decide
    arrays = {
        name: _gridded(rows, values.to_numpy(dtype=precision), datasets, shape)
        for name, values in named.items()
        if values.notna().any()
    }
    arrays["config"] = _gridded(rows, _codes(rows), datasets, shape)
    return arrays


def _codes(rows: pandas.DataFrame) -> np.ndarray:
    """(n, hyperparameters) codes: of an FC-Net's ordinals the index of the value, else the rank of the word."""
    columns = []
    for column in [name for name in rows if str(name).startswith("hp_")]:
        values = rows[column]
        words = sorted(values.unique()) if values.dtype.kind not in "iu" else None
        columns.append(values.map(words.index) if words else values)
    return np.column_stack(columns).astype(np.uint8)


def _stops(key: tuple[str, str], folder: Path, datasets: Sequence[str], n_runs: int) -> dict[str, np.ndarray]:
    """(dataset, run) recorded stops by method, 0 where there is none."""
    import pandas as pd

    found: dict[str, np.ndarray] = {}
    for stem in STOPS.get(key, ()):
        rows = pd.read_csv(_file(folder, stem)).dropna(subset=["stop_iter"])
        if "algo" in rows:
            rows = rows[rows["algo"] == key[1]]
        rows = rows.assign(dataset=rows["dataset"].replace(NAS_NAMES))
        for method, group in rows.groupby("method"):
            grid = np.zeros((len(datasets), n_runs), dtype=np.int16)
            at = [list(datasets).index(name) for name in group["dataset"]]
            grid[at, group["seed"].to_numpy()] = group["stop_iter"].to_numpy(dtype=int)
            found[f"stop.{method}"] = grid
    return found
