"""Tables of the package `nas-bench-graph`: graph neural networks (Qin et al., 2022).

The package holds one pickle per dataset: {key: {"valid_perf", "perf", "latency", "para"}}, means over three trainings.
A key has five decimal digits: the first is the number of the links among `LINKS`, the others are the numbers of the
four operations among `OPERATIONS`. Of architectures that are the same graph, one is recorded. The numbers are read
without the package's code.
"""

from __future__ import annotations

import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.errors import DamagedFile, MissingExtra
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Categorical
from tabular.packages.built import open_built
from tabular.packages.package_checksums import is_published, released
from tabular.packages.plain_pickles import UNREADABLE, load_plain
from tabular.recorded.catalogue import GRAPH
from tabular.table import Table

PACKAGE = "nas-bench-graph"
# the input of each of the four nodes: 0 is the graph's, k that of node k
LINKS = ["0000", "0001", "0011", "0012", "0013", "0111", "0112", "0122", "0123"]
METRICS = ("valid_perf", "perf", "latency", "para")
OPERATIONS = ["gat", "gcn", "gin", "cheb", "sage", "arma", "graph", "fc", "skip"]
N_ARCHITECTURES = {"proteins": 2021}  # 26,206 elsewhere
PAPER = "Qin et al. (2022), NAS-Bench-Graph: Benchmarking Graph Neural Architecture Search"


def open_graph(dataset: str) -> Table:
    """Table of a dataset, built into the cache on first use."""

    def build() -> Table:
        path = package_file(dataset)
        return read_graph(path, dataset, published=is_published(path, PACKAGE))

    return open_built(f"{GRAPH.name}/{dataset}", build)


def package_file(dataset: str) -> Path:
    """The pickle in the installed package."""
    spec = find_spec("nas_bench_graph")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra(PACKAGE, GRAPH.extra)
    return Path(next(iter(spec.submodule_search_locations))) / "light" / f"{dataset}.bench"


class _Float64:
    """Stands in for the type of numpy's floats in a pickle."""

    def __init__(self, kind: str, *_: Any):
        if kind != "f8":
            raise ValueError(f"numbers of type {kind!r}")

    def __setstate__(self, state: tuple) -> None:
        if state[1] != "<":
            raise ValueError(f"byte order {state[1]!r}")


def _number(kind: _Float64, data: bytes) -> float:
    """Stands in for the function that makes numpy's floats."""
    return struct.unpack("<d", data)[0]


STAND_INS: dict[tuple[str, str], Any] = {
    ("numpy", "dtype"): _Float64,
    ("numpy.core.multiarray", "scalar"): _number,
    ("numpy._core.multiarray", "scalar"): _number,
}


def read_graph(path: Path, dataset: str, *, published: bool = False) -> Table:
    """Table of a file of the package, architectures in the order of their keys; see `load_plain` for `published`."""
    rows = load_plain(path, PACKAGE, published=published, stand_ins=STAND_INS)
    expected = N_ARCHITECTURES.get(dataset, 26_206)
    if not isinstance(rows, dict) or len(rows) != expected:
        n = len(rows) if isinstance(rows, dict) else "no"
        raise DamagedFile(f"{path}: {n} architectures instead of {expected}; reinstall {PACKAGE}")
    try:
        keys = sorted(rows)
        metric = {name: np.array([rows[key][name] for key in keys], dtype=float) for name in METRICS}
        space = _space(np.array(keys, dtype=np.int64))
    except UNREADABLE as error:
        raise DamagedFile(f"{path}: not a table of {PACKAGE} ({error!r:.200}); reinstall {PACKAGE}") from None
    score = "ROC AUC" if dataset == "proteins" else "accuracy"
    return Table(
        name=f"{GRAPH.name}/{dataset}",
        space=space,
        columns={
            "loss": 1.0 - metric["valid_perf"][:, None],
            "test_loss": 1.0 - metric["perf"][:, None],
            "cost": np.ones((len(keys), 1)),
            "val_score": metric["valid_perf"],
            "latency": metric["latency"],
            "n_params_millions": metric["para"],
        },
        units=_units(score),
        budgets=(1,),
        budget_unit="training",
        provenance={
            "paper": PAPER,
            "source": f"{PACKAGE} {released(PACKAGE)}, light/{dataset}.bench",
            "licence": "Apache License 2.0",
            "loss": f"1 - valid_perf: the {score}, which is maximised, became an error",
            "cost": "no time is recorded: an evaluation counts as 1 second",
            "repetitions": "means over three trainings; single ones are not in the package",
        },
    )


def _units(score: str) -> dict[str, str]:
    return {
        "loss": f"1 - validation {score}",
        "test_loss": f"1 - test {score}",
        "cost": "seconds",
        "val_score": f"validation {score}, a fraction",
        "latency": "seconds",
        "n_params_millions": "million trainable parameters",
    }


def _space(keys: np.ndarray) -> Space:
    """Links and operations of the recorded architectures; on proteins five operations were used."""
    codes = keys[:, None] // 10 ** np.arange(4, -1, -1) % 10
    used = np.unique(codes[:, 1:])
    operations = [OPERATIONS[code] for code in used]
    codes[:, 1:] = np.searchsorted(used, codes[:, 1:])
    hyperparameters = [Categorical("links", LINKS), *(Categorical(f"op{i}", operations) for i in range(1, 5))]
    return Space(hyperparameters, name=GRAPH.name, listed=codes)
