"""Learning curves that a table of FC-Nets records: the columns, where their numbers come from, unit and precision.

A regression's losses are mean squared errors. A classification is trained by cross-entropy and judged by the share of
wrong classes, as in NAS-Bench-201 and HPOBench's MLP tables: that is `loss`, `test_loss` and `train_loss`; the
cross-entropy of the validation set is a further column, `cross_entropy`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcnet_data.datasets.dataset import TaskKind
from fcnet_data.fcnet import TrainedCurves
from tabular.table import WRONG_CLASSES

KEPT_BITS = 14  # of a loss's mantissa: a relative error of 3e-5, far below the noise, and a third of the size
WHOLE = 23  # bits that float32 has; a share of wrong classes has few values and is small without rounding
SQUARED_ERROR = "mean squared error, in variances of the training target"


class RecordedCurve(NamedTuple):
    """A column of a table.

    column    its name
    source    name of the curve in `TrainedCurves`
    unit      in words
    bits      of mantissa that are kept
    """

    column: str
    source: str
    unit: str
    bits: int


RECORDED: dict[TaskKind, tuple[RecordedCurve, ...]] = {
    "regression": (
        RecordedCurve("train_loss", "train_loss", SQUARED_ERROR, KEPT_BITS),
        RecordedCurve("loss", "valid_loss", SQUARED_ERROR, KEPT_BITS),
        RecordedCurve("test_loss", "test_loss", SQUARED_ERROR, KEPT_BITS),
    ),
    "classification": (
        RecordedCurve("train_loss", "train_error", WRONG_CLASSES, WHOLE),
        RecordedCurve("loss", "valid_error", WRONG_CLASSES, WHOLE),
        RecordedCurve("test_loss", "test_error", WRONG_CLASSES, WHOLE),
        RecordedCurve("cross_entropy", "valid_loss", "nats, mean over the validation rows", KEPT_BITS),
    ),
}


def recorded(run: TrainedCurves, task: TaskKind) -> np.ndarray:
    """(curve, epoch) numbers of a run, in the order of `RECORDED[task]`."""
    return np.stack([getattr(run, curve.source) for curve in RECORDED[task]])


def columns_of(numbers: np.ndarray, task: TaskKind) -> dict[str, np.ndarray]:
    """Columns (config, repetition, epoch) of a table, from numbers (config, repetition, curve, epoch)."""
    return {
        curve.column: np.ascontiguousarray(rounded_mantissa(numbers[:, :, k], curve.bits))
        for k, curve in enumerate(RECORDED[task])
    }


def units_of(task: TaskKind) -> dict[str, str]:
    """Unit of each column."""
    return {curve.column: curve.unit for curve in RECORDED[task]}


def precision_of(task: TaskKind) -> str:
    """How exact the columns are, in words."""
    rounded = [curve.column for curve in RECORDED[task] if curve.bits != WHOLE]
    return f"float32; {', '.join(rounded)} rounded to {KEPT_BITS} bits of mantissa"


def rounded_mantissa(numbers: np.ndarray, bits: int = KEPT_BITS) -> np.ndarray:
    """float32 numbers rounded to `bits` bits of mantissa; the remaining zero bits compress well.

    Examples
    --------
    >>> import numpy as np
    >>> from fcnet_data.collection.recorded_curves import rounded_mantissa
    >>> rounded_mantissa(np.array([0.1, 1.0], dtype=np.float32)).tolist()
    [0.09999847412109375, 1.0]
    """
    dropped = 23 - bits
    if dropped == 0:
        return np.ascontiguousarray(numbers, np.float32)
    raw = np.ascontiguousarray(numbers, np.float32).view(np.uint32)
    half = np.uint32(1 << (dropped - 1))
    return ((raw + half) & np.uint32(0xFFFFFFFF << dropped & 0xFFFFFFFF)).view(np.float32)
