"""Search spaces and features of the recorded runs.

The ranges of cross-validation are those that the recorded values span, which is Table 1 but for the number of trees of
a random forest: up to 64 were recorded, 2^8 are printed. All but two are natural logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from baselines.stopping.parts.usable_trials import UsableTrialsReader
from hpo_core import Benchmark, Float, Int, Space
from hpo_core.space.hyperparameters import Hyperparameter
from hpo_papers.makarova2022.record.contents import record

TABLE_OF = {"fcnet": "protein", "nas": "nb201-cifar10"}  # one of those that share the space
WORDS = ("activation_fn_1", "activation_fn_2", "lr_schedule")  # recorded as ranks of words, the others as indices


@cache
def reader_of(study: str, name: str) -> UsableTrialsReader:
    """What turns configurations of recorded runs into features: of an algorithm, or of the tables."""
    return UsableTrialsReader(_spanned(name) if study == "cv" else Benchmark(TABLE_OF[study]).space)


def _spanned(algorithm: str) -> Space:
    runs = record().runs["cv", algorithm]
    made: list[Hyperparameter] = []
    for key, values in sorted(runs.arrays.items()):
        if key.startswith("hp."):
            low, high = float(values.min()), float(values.max())
            whole = bool((values == np.round(values)).all())
            made.append(Int(key[3:], int(low), int(high)) if whole else Float(key[3:], low, high))
    return Space(made, name=algorithm)


def features_of(study: str, name: str, dataset: int, run: int) -> np.ndarray:
    """(evaluation, width) features of a recorded run's configurations."""
    reader = reader_of(study, name)
    values = list((_cv_values if study == "cv" else _table_values)(reader.space, study, name, dataset, run))
    names = [h.name for h in reader.space]
    return reader.encode([dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)])


def _cv_values(space: Space, study: str, name: str, dataset: int, run: int) -> Iterator[list[Any]]:
    runs = record().runs[study, name]
    for h in space:
        column = runs[f"hp.{h.name}"][dataset, run]
        yield [int(v) if isinstance(h, Int) else float(v) for v in column]


def _table_values(space: Space, study: str, name: str, dataset: int, run: int) -> Iterator[list[Any]]:
    codes = record().runs[study, name]["config"][dataset, run]
    columns = sorted(h.name for h in space)
    for h in space:
        order = sorted(h.values) if h.name in WORDS else list(h.values)  # type: ignore[union-attr]
        yield [order[code] for code in codes[:, columns.index(h.name)]]
