"""`Record`: the runs that the authors published, as arrays; the file `data/record.h5` is the package's own.

    cv        random forest and XGBoost on 19 datasets, 10 runs each, 200 evaluations with 10 folds
    fcnet     random search, TPE and BORE on four FC-Net tables, 50 runs each, 500 evaluations
    nas       the same on three datasets of NAS-Bench-201, 50 runs each (49 of BORE on cifar100), 200 evaluations
    stops     the evaluation at which the authors' rules stopped these runs, by method

Arrays have the shape (dataset, run, evaluation), and those of fold losses one axis more; a run that is missing is NaN.
`bound[..., t]` is the authors' bound on the regret of the incumbent of the first t evaluations, NaN where it has none.
Logarithms of hyperparameters are natural ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from hpo_core.storage.sealed_hdf5 import Kind, read_sealed

PATH = Path(__file__).parent.parent / "data" / "record.h5"
KIND = Kind("hpo-termination-record", 1, "record of Makarova et al. (2022)", "make it with scripts/pack_termination.py")
ALGORITHMS = ("RF", "XGB")
OPTIMIZERS = ("rs", "tpe", "bore")
TABLES = ("naval", "parkinsons", "protein", "slice")
NAS = ("imagenet", "cifar10", "cifar100")
WARM_UP = {"cv": 20, "fcnet": 5, "nas": 5}  # evaluations before the first check


@dataclass(frozen=True)
class Runs:
    """Runs of one algorithm or optimizer.

    study      "cv", "fcnet" or "nas"
    name       of the algorithm or optimizer
    datasets   names, the first axis of the arrays
    arrays     by name: loss, test, cost (seconds), bound, config (codes of the table); of cv also folds (dataset, run,
               evaluation, fold), ei, pi, and one array for each hyperparameter, "hp.NAME"
    """

    study: str
    name: str
    datasets: tuple[str, ...]
    arrays: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]

    def subset(self, n_runs: int) -> Runs:
        """The first runs on each dataset."""
        return Runs(self.study, self.name, self.datasets, {k: array[:, :n_runs] for k, array in self.arrays.items()})


@dataclass(frozen=True)
class Record:
    """All runs by study and name, and recorded stops (method, dataset, run) by study and name, 0 where missing."""

    runs: dict[tuple[str, str], Runs]
    stops: dict[tuple[str, str], dict[str, np.ndarray]]
    provenance: dict[str, str]


@cache
def record() -> Record:
    """The record that the package carries."""
    return read_record(PATH)


def read_record(path: Path) -> Record:
    """Record in a file that `importing.write_record` wrote."""
    header, columns = read_sealed(path, KIND)
    values = {name: _decoded(name, columns) for name in columns if not name.endswith("#values")}
    datasets: dict[str, list[str]] = header["datasets"]
    runs, stops = {}, {}
    for study, name in header["runs"]:
        prefix = f"{study}:{name}:"
        arrays = {key.removeprefix(prefix): array for key, array in values.items() if key.startswith(prefix)}
        recorded = {key.removeprefix("stop."): arrays.pop(key) for key in list(arrays) if key.startswith("stop.")}
        if recorded:
            stops[study, name] = recorded
        runs[study, name] = Runs(study, name, tuple(datasets[study]), arrays)
    return Record(runs, stops, header["provenance"])


def _decoded(name: str, columns: dict[str, np.ndarray]) -> np.ndarray:
    """A column as it was: those with few different values are stored as codes and values."""
    array, values = columns[name], columns.get(f"{name}#values")
    array = array if values is None else values[array]
    return array.astype(np.float64) if array.dtype == np.float32 else array
