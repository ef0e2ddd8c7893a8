"""Pack recorded test losses of the real tables into `tabular/data/recorded/test_losses.h5`, which the package carries.

    python scripts/pack_test_losses.py RECORDED_TEST_ERRORS.csv.gz RECORDED_RUNS.csv.gz NAS_BENCH102.csv.zip

The first two come from the recorded runs of Makarova et al. (2022), the third from Salinas et al. (2020). A row of the
first has a configuration, the validation loss of one repetition and a test error. The repetition is the one whose loss
in the table is equal (to 1e-6; the table has four for each configuration, and rows that fit two are left out).

The runs of BORE among them recorded another number: the test error's mean over the four repetitions, whatever the
repetition of the loss. Where all four are known otherwise, it is equal to their mean (4,286 configurations, to 1.2e-7).
So the rows that BORE's runs hold become means, all others become single test losses.
"""

from __future__ import annotations

import argparse
import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from hpo_core.space import Space
from hpo_core.storage.sealed_hdf5 import write_sealed
from tabular import open_table
from tabular.recorded_test_losses import KIND, SHIPPED

SAME = 1e-6  # relative difference between a loss that was written in decimal and the table's
FCNET = ("protein", "slice", "naval", "parkinsons")
NB201 = {"nb201-cifar10": "cifar10", "nb201-cifar100": "cifar100", "nb201-imagenet": "ImageNet16-120"}
HEADER = {
    "fcnet": {
        "what": "test mean squared error of single repetitions, and its mean over the four repetitions",
        "source": "recorded runs of github amazon-research/bo-early-stopping, commit cffd7d3 (Makarova et al., 2022)",
        "licence": "Apache-2.0",
    },
    "nb201": {
        "what": "test accuracy in percent of one training of each cell",
        "source": "github geoalgo/A-Quantile-based-Approach-for-Hyperparameter-Transfer-Learning, commit 31cdb2f "
        "(Salinas et al., 2020), nas_bench102",
        "licence": "Apache-2.0",
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("test_errors", type=Path)
    parser.add_argument("recorded_runs", type=Path)
    parser.add_argument("nas_bench102", type=Path)
    options = parser.parse_args()
    errors, runs = pd.read_csv(options.test_errors), pd.read_csv(options.recorded_runs)
    arrays: dict[str, np.ndarray] = {}
    for name in FCNET:
        bore = runs[(runs.dataset == name) & (runs.optimizer == "bore")]
        arrays |= {f"{name}.{part}": array for part, array in fcnet(name, errors[errors.table == name], bore).items()}
    arrays |= {f"{name}.test_acc": array for name, array in nb201(options.nas_bench102).items()}
    write_sealed(SHIPPED, KIND, HEADER, arrays, compress=True)
    print(f"{SHIPPED}: {SHIPPED.stat().st_size / 1e6:.2f} MB")


def fcnet(name: str, rows: pd.DataFrame, bore: pd.DataFrame) -> dict[str, np.ndarray]:
    """Cells (config * 4 + repetition) with their test losses, and configurations with the mean of four."""
    table = open_table(name)
    losses = table.values("loss")
    means = pd.Series(bore.test.to_numpy(), index=indices(table.space, bore)).groupby(level=0).first()
    config = indices(table.space, rows)
    test = rows.test.to_numpy()
    of_bore = np.abs(test / means.reindex(config).to_numpy() - 1.0) < SAME
    distance = np.abs(losses[config] / rows.loss.to_numpy()[:, None] - 1.0)
    ordered = np.sort(distance, axis=1)
    single = ~of_bore & (ordered[:, 0] < SAME) & ~(ordered[:, 1] < SAME)
    cells = pd.Series(test[single], index=4 * config[single] + np.nanargmin(distance[single], axis=1))
    conflicts = cells.groupby(level=0).agg(lambda values: values.max() / values.min() - 1.0) > SAME
    cells = cells[~cells.index.isin(conflicts.index[conflicts])].groupby(level=0).first().sort_index()
    known = np.zeros(losses.shape, dtype=bool)
    known.ravel()[cells.index] = True
    print(
        f"{name}: {len(rows)} rows, {int(of_bore.sum())} of BORE's means, {int(conflicts.sum())} cells in conflict "
        f"left out, {len(cells)} cells and {len(means)} means kept; {known.any(axis=1).mean():.3f} of the "
        "configurations have any"
    )
    check_means(losses.shape, cells, means)
    return {
        "cells": cells.index.to_numpy().astype(np.int32),
        "test_loss": cells.to_numpy().astype(np.float32),
        "mean_configs": means.index.to_numpy().astype(np.int32),
        "mean_test_loss": means.to_numpy().astype(np.float32),
    }


def check_means(shape: tuple[int, ...], cells: pd.Series, means: pd.Series) -> None:
    """Print how far BORE's numbers are from the mean of four where all four are known."""
    dense = np.full(shape, np.nan)
    dense.ravel()[cells.index] = cells.to_numpy()
    found = dense[means.index]
    whole = ~np.isnan(found).any(axis=1)
    error = np.abs(found[whole].mean(axis=1) / means.to_numpy()[whole] - 1.0)
    print(f"  BORE's number against the mean of four: {whole.sum()} configurations, largest error {error.max():.1e}")


def indices(space: Space, rows: pd.DataFrame) -> np.ndarray:
    """Index of each row's configuration; ordinals are recorded as the index of their value."""
    columns = []
    for hyperparameter in space:
        column = rows[f"hp_{hyperparameter.name}"]
        words = hyperparameter.name.startswith(("activation", "lr_schedule"))
        columns.append([hyperparameter.values.index(value) for value in column] if words else column.to_numpy())
    return np.column_stack(columns).astype(int) @ space.grid.strides


def nb201(path: Path) -> dict[str, np.ndarray]:
    """(15625,) test accuracies in percent by table, in the order of its configurations."""
    with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as file:
        rows = pd.read_csv(file)
    found = {}
    for name, task in NB201.items():
        space, part = open_table(name).space, rows[rows.task == task]
        operations = next(iter(space)).values
        cells = np.array([[operations.index(o) for o in re.findall(r"\|(\w+)~", cell)] for cell in part.arch_str])
        found[name] = np.empty(space.grid.size)
        found[name][cells @ space.grid.strides] = part.metric_test_accuracy.to_numpy()
    return found


if __name__ == "__main__":
    main()
