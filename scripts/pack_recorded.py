"""Pack recorded evaluations of other people into the files of `tabular/data/recorded`.

    python scripts/pack_recorded.py SOURCE_DIR

SOURCE_DIR holds the files as they were published:

    taskset/taskset_text_rnn.npz               github releaunifreiburg/DyHPO, cfba15a (Apache-2.0)
    transfer/XGBoost.csv.zip, DeepAR.csv.zip   github geoalgo/A-Quantile-based-Approach-..., 31cdb2f (Apache-2.0, MIT)
    openml_kdd2018/random_forest.arff.gz, adaboost.arff.gz     github janvanrijn/openml-pimp, 349043f (BSD-3)

Numbers are parsed by `float` and kept as they are. Losses: a diverged training, NaN in TaskSet, is infinite; an
accuracy becomes the error that adds up to 1 with it in decimals. DeepAR's integers, which the source gives as natural
logarithms, are integers again. A configuration that is listed twice would be refused: no source has one.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import math
import zipfile
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import recorded_sources as sources

from hpo_core import Float, Int, Space
from hpo_core.space.plain_data import space_to_json
from tabular.recorded import catalogue
from tabular.recorded.catalogue import Family
from tabular.recorded.family_file import CODES, write_family
from tabular.recorded.opening import shipped_family

Rows = list[dict[str, str]]
ONE_SECOND = "no time is recorded: an evaluation counts as 1 second"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, metavar="SOURCE_DIR")
    source = parser.parse_args().source
    pack_taskset(source / "taskset" / "taskset_text_rnn.npz")
    pack_xgboost(csv_rows(source / "transfer" / "XGBoost.csv.zip"))
    pack_deepar(csv_rows(source / "transfer" / "DeepAR.csv.zip"))
    pack_forest(arff_rows(source / "openml_kdd2018" / "random_forest.arff.gz"))
    pack_boosting(arff_rows(source / "openml_kdd2018" / "adaboost.arff.gz"))
    for family in catalogue.FAMILIES:
        path = shipped_family(family)
        if path.is_file():
            print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")


def csv_rows(path: Path) -> Rows:
    """Rows of a zipped CSV file, as text."""
    with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as file:
        return list(csv.DictReader(io.TextIOWrapper(file, "utf-8")))


def arff_rows(path: Path) -> Rows:
    """Rows of a gzipped ARFF file without quotes or missing values, as text; names without what precedes "__"."""
    with gzip.open(path, "rt") as file:
        lines = file.read().splitlines()
    start = lines.index("@DATA")
    names = [line.split()[1].rpartition("__")[2] for line in lines[:start] if line.startswith("@ATTRIBUTE")]
    return [dict(zip(names, line.split(","), strict=True)) for line in lines[start + 1 :] if line]


def by_instance(family: Family, rows: Rows, column: str) -> dict[str, Rows]:
    """Rows of each instance, in the order of the catalogue."""
    groups: dict[str, Rows] = {instance: [] for instance in family.instances}
    for row in rows:
        groups[row[column]].append(row)
    return groups


def pack(
    family: Family,
    space: Space,
    groups: dict[str, dict[str, np.ndarray]],
    about: dict[str, Any],
    *,
    instances: dict[str, dict[str, Any]] | None = None,
    common: dict[str, np.ndarray] | None = None,
) -> None:
    """Write the file of a family from the arrays of each instance and what is said about all of them."""
    starts = np.cumsum([0, *(len(arrays["loss"]) for arrays in groups.values())]).tolist()
    described = {
        name: {"rows": [first, end], **(instances or {}).get(name, {})}
        for name, (first, end) in zip(groups, pairwise(starts), strict=True)
    }
    stacked = {key: np.concatenate([arrays[key] for arrays in groups.values()]) for key in next(iter(groups.values()))}
    header = {
        "family": family.name,
        "space": space_to_json(space, listed=False),
        "instances": described,
        "common": sorted(common or {}),
        **about,
    }
    largest = max(end - first for first, end in pairwise(starts))
    write_family(shipped_family(family.name), header, {**stacked, **(common or {})}, largest)


def columns(losses: np.ndarray, **more: np.ndarray) -> dict[str, np.ndarray]:
    """(config, 1) columns: the loss, a cost of one second unless another is given, and more."""
    arrays = {"loss": losses, "cost": np.ones(len(losses), dtype=np.float32), **more}
    return {name: array[:, None] for name, array in arrays.items()}


def codes(space: Space, configs: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """(config,) codes of each hyperparameter, in small integers where they are discrete."""
    checked = Space(space.hyperparameters, listed=configs).listed
    arrays = {}
    for h, column in zip(space, checked.T, strict=True):
        arrays[f"{CODES}{h.name}"] = column if isinstance(h, Float) else column.astype(np.min_scalar_type(h.size - 1))
    return arrays


def floats(rows: Rows, column: str) -> np.ndarray:
    return np.array([float(row[column]) for row in rows])


def errors(accuracies: list[str]) -> np.ndarray:
    """1 - accuracy, the difference in decimals: of 0.996558 it is 0.003442, not 0.0034420000000000117."""
    return np.array([float(1 - Decimal(text)) for text in accuracies])


# --- TaskSet ---------------------------------------------------------------------------------------------------------


def pack_taskset(path: Path) -> None:
    """Losses (config, 1, evaluation) of each task, in float32 as published, over one list of configurations."""
    data = np.load(path, allow_pickle=False)
    recorded = [name.replace("beta", "one_minus_beta") for name in data["hyperparameters"]]
    if recorded != list(sources.ADAM.names):
        raise SystemExit(f"hyperparameters of TaskSet are {recorded}")
    values = data["configs"].copy()
    for name in ("one_minus_beta1", "one_minus_beta2"):
        column = sources.ADAM.names.index(name)
        values[:, column] = 1.0 - values[:, column]
    configs = [dict(zip(sources.ADAM.names, row, strict=True)) for row in values.tolist()]
    splits = {"loss": "valid", "test_loss": "test", "train_loss": "train"}
    groups = {}
    for i, task in enumerate(data["tasks"].tolist()):
        curves = {column: data[split][i][:, None, :] for column, split in splits.items()}
        groups[str(i)] = {name: np.where(np.isnan(c), np.float32(np.inf), c) for name, c in curves.items()}
        if not task.endswith(catalogue.TASKSET.instances[str(i)]):
            raise SystemExit(f"task {i} of TaskSet is {task}")
    n = data["valid"].shape[2]
    seconds = np.broadcast_to(np.arange(1, n + 1, dtype=np.float32), (len(configs), 1, n))
    about = {
        "budgets": list(range(1, n + 1)),
        "budget_unit": "evaluations",
        "units": {
            "loss": "validation loss, cross-entropy; inf: the training has diverged",
            "test_loss": "test loss, cross-entropy; inf: diverged",
            "train_loss": "training loss, cross-entropy; inf: diverged",
            "cost": "seconds, 1 for each evaluation",
        },
        "provenance": sources.TASKSET,
    }
    tasks = {str(i): {"provenance": {"task": task}} for i, task in enumerate(data["tasks"].tolist())}
    common = {**codes(sources.ADAM, configs), "cost": seconds}
    pack(catalogue.TASKSET, sources.ADAM, groups, about, instances=tasks, common=common)


# --- Salinas et al. (2020) -------------------------------------------------------------------------------------------


def pack_xgboost(rows: Rows) -> None:
    """Errors of 5,000 configurations of each dataset."""
    groups = {}
    for dataset, part in by_instance(catalogue.XGBOOST, rows, "task").items():
        configs = [
            {h.name: (int if isinstance(h, Int) else float)(row[f"hp_{h.name}"]) for h in sources.BOOSTED_TREES}
            for row in part
        ]
        groups[dataset] = {**columns(floats(part, "metric_error")), **codes(sources.BOOSTED_TREES, configs)}
    pack(
        catalogue.XGBOOST,
        sources.BOOSTED_TREES,
        groups,
        single_budget(sources.XGBOOST, "error, a fraction", ONE_SECOND),
    )


def single_budget(provenance: dict[str, Any], loss: str, cost: str, **units: str) -> dict[str, Any]:
    """Header of tables of final values."""
    return {
        "budgets": [1],
        "budget_unit": "training",
        "units": {"loss": loss, "cost": "seconds", **units},
        "provenance": {**provenance, "cost": cost},
    }


def pack_deepar(rows: Rows) -> None:
    """CRPS and what else was measured; integers are given back from their logarithms."""
    groups, instances = {}, {}
    for dataset, part in by_instance(catalogue.DEEPAR, rows, "task").items():
        length = int(part[0]["dataset_prediction_length"])
        space = sources.deepar_space(length)
        configs = [deepar_config(row, length) for row in part]
        measured = {
            "cost": floats(part, "metric_time").astype(np.uint16),
            "rmse": floats(part, "metric_RMSE").astype(np.float32),
            "train_loss": floats(part, "metric_train_loss").astype(np.float32),
            "throughput": floats(part, "metric_throughput").astype(np.float32),
        }
        groups[dataset] = {
            **columns(floats(part, "metric_CRPS").astype(np.float32), **measured),
            **codes(space, configs),
        }
        about = {"frequency": part[0]["dataset_time_freq"], "prediction_length": length}
        instances[dataset] = {"space": space_to_json(space), "provenance": about}
        check_deepar(part, groups[dataset])
    units = {
        "rmse": "root mean squared error",
        "train_loss": "negative log-likelihood",
        "throughput": "samples per second",
    }
    about = single_budget(sources.DEEPAR, "CRPS, mean weighted quantile loss", "recorded seconds of training", **units)
    pack(catalogue.DEEPAR, sources.deepar_space(30), groups, about, instances=instances)


def deepar_config(row: dict[str, str], prediction_length: int) -> dict[str, float]:
    """Configuration of a row of DeepAR."""
    return {
        "num_layers": integer(float(row["hp_num_layers"])),
        "num_cells": integer(float(row["hp_num_cells"])),
        "dropout_rate_log": float(row["hp_dropout_rate_log"]),
        "learning_rate_log": float(row["hp_learning_rate_log"]),
        "num_batches_per_epoch": integer(float(row["hp_num_batches_per_epoch_log"])),
        "context_length": integer(float(row["hp_context_length_ratio_log"]) + math.log(prediction_length)),
    }


def integer(logarithm: float) -> int:
    """Integer of a natural logarithm."""
    number = round(math.exp(logarithm))
    if abs(math.log(number) - logarithm) > 1e-12:
        raise SystemExit(f"{logarithm} is not the logarithm of an integer")
    return number


def check_deepar(rows: Rows, arrays: dict[str, np.ndarray]) -> None:
    """Stop if a number is not what the source says; float32 and small integers hold these exactly."""
    names = {"loss": "CRPS", "rmse": "RMSE", "train_loss": "train_loss", "throughput": "throughput", "cost": "time"}
    for column, metric in names.items():
        if arrays[column][:, 0].astype(float).tolist() != [float(row[f"metric_{metric}"]) for row in rows]:
            raise SystemExit(f"{metric} of DeepAR does not fit into {arrays[column].dtype}")


# --- van Rijn and Hutter (2018) --------------------------------------------------------------------------------------


def pack_forest(rows: Rows) -> None:
    """Errors of 500 random forests on each task."""
    if any(row[name] != value for row in rows for name, value in sources.FIXED.items()):
        raise SystemExit("what is fixed in the source varies")
    pack_openml(catalogue.FOREST, sources.TREES, rows, sources.FOREST)


def pack_boosting(rows: Rows) -> None:
    """Errors of 400 AdaBoost classifiers on each task."""
    pack_openml(catalogue.BOOSTING, sources.ADABOOST, rows, sources.BOOSTING)


def pack_openml(family: Family, space: Space, rows: Rows, provenance: dict[str, Any]) -> None:
    parsers = {"bootstrap": "True".__eq__, "strategy": str, "criterion": str, "algorithm": str}
    parsers |= {"max_features": float, "learning_rate": float}
    groups, instances = {}, {}
    for task, part in by_instance(family, rows, "task_id").items():
        keys = {h.name: "strategy" if h is sources.IMPUTATION else h.name for h in space}
        configs = [{name: parsers.get(key, int)(row[key]) for name, key in keys.items()} for row in part]
        accuracies = [row["predictive_accuracy"] for row in part]
        measured = columns(errors(accuracies), accuracy=np.array([float(text) for text in accuracies]))
        groups[task] = {**measured, **codes(space, configs)}
        instances[task] = {"provenance": {"task": f"OpenML task {task}"}}
    about = single_budget(provenance, "error, a fraction", ONE_SECOND, accuracy="predictive accuracy, a fraction")
    pack(family, space, groups, about, instances=instances)


if __name__ == "__main__":
    main()
