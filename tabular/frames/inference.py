"""A space from the values that its hyperparameters took in recorded evaluations.

    bools, text                   Categorical, values in order
    one value                     Constant
    integers without a gap        Int, from the lowest to the highest
    at most 20 numbers            Ordinal, if the configurations use each three times or more on average
    other numbers                 Int or Float; logarithmic if their logarithms are spread more evenly than they are

Numbers are spread evenly if their distribution is near the uniform one between the lowest and the highest, by the
largest difference of the distribution functions (Kolmogorov). A logarithmic scale takes at least a factor of ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption, nearest
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Categorical, Constant, Float, Hyperparameter, Int, Ordinal
from tabular.frames.reading import column_values, is_number

if TYPE_CHECKING:
    import pandas

FEW, USES = 20, 3  # numbers that may be an ordinal's, and how often each is used on average
FACTOR = 10.0  # between the lowest and the highest number on a logarithmic scale


def inferred_space(frame: pandas.DataFrame, columns: Sequence[str], *, grid: bool = False) -> Space:
    """Space in which the columns of a frame take their values, a hyperparameter each.

    Parameters
    ----------
    frame
        A row per evaluation, without missing values in the columns.
    columns
        Names of the hyperparameters.
    grid
        Whether every number is the value of an ordinal, for rows that are all combinations of some values.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabular.frames.inference import inferred_space
    >>> frame = pd.DataFrame({"lr": [0.001, 0.004, 0.03, 0.1], "depth": [1, 3, 2, 2]})
    >>> list(inferred_space(frame, ["lr", "depth"]))
    [Float(name='lr', low=0.001, high=0.1, log=True, ...), Int(name='depth', low=1, high=3, log=False, default=2)]
    """
    for name in columns:
        if name not in frame:
            raise InvalidOption(f"no column {name!r}{nearest(name, map(str, frame.columns))}")
    values = {name: column_values(frame, name) for name in columns}
    for name, column in values.items():
        inferred_hyperparameter(name, column)  # a message counts all rows
    rows = zip(*[column.tolist() for column in values.values()], strict=True)
    first = list({row: i for i, row in enumerate(rows)}.values())  # one row of each configuration
    hyperparameters = [inferred_hyperparameter(name, column[first], grid=grid) for name, column in values.items()]
    if all(isinstance(h, Constant) for h in hyperparameters):
        raise InvalidOption(
            f"at least one hyperparameter must vary, and {', '.join(columns) or 'none'} "
            f"{'is' if len(columns) == 1 else 'are'} constant"
        )
    return Space(hyperparameters)


def inferred_hyperparameter(name: str, values: np.ndarray, *, grid: bool = False) -> Hyperparameter:
    """Hyperparameter that took these values, one for each configuration, by the rules of the module."""
    _refuse_missing(name, values)
    _refuse_mixture(name, values)
    if values.dtype.kind == "f" and np.array_equal(values, np.rint(values)) and np.abs(values).max() < 2**53:
        values = values.astype(np.int64)
    distinct = np.unique(values) if values.dtype.kind != "O" else np.array(sorted(set(values)), dtype=object)
    known = distinct.tolist()
    if len(known) == 1:
        return Constant(name, known[0])
    if values.dtype.kind in "bO":
        return Categorical(name, known)
    if grid:
        return Ordinal(name, known)
    low, high = known[0], known[-1]
    if values.dtype.kind == "i" and high - low + 1 == len(known):
        return Int(name, low, high)
    if len(known) <= min(FEW, len(values) // USES):
        return Ordinal(name, known)
    return (Int if values.dtype.kind == "i" else Float)(name, low, high, log=_is_logarithmic(distinct))


def _refuse_missing(name: str, values: np.ndarray) -> None:
    lacking = np.array([value is None for value in values]) if values.dtype.kind == "O" else ~np.isfinite(values)
    if lacking.any():
        raise InvalidOption(
            f"a hyperparameter needs a value in every row, {name!r} has none in {lacking.sum()} of {len(values)}, "
            f"first in row {int(np.argmax(lacking)) + 1}; fill them in, remove those rows, or leave the column out. "
            "Where conditions switch it off, give the space in Python: Benchmark.from_frame(frame, space=...)"
        )


def _refuse_mixture(name: str, values: np.ndarray) -> None:
    """Raise for text some of which are numbers: a value that is missing, or a word that stands for one."""
    if values.dtype.kind != "O":
        return
    numeric = np.array([is_number(value) for value in values])
    if numeric.any() and not numeric.all():
        row = int(np.argmin(numeric)) if numeric.mean() >= 0.5 else int(np.argmax(numeric))
        raise InvalidOption(
            f"a hyperparameter has numbers or text, {name!r} has both: {values[row]!r} in row {row + 1}; write a "
            "number for the word, or words for the numbers"
        )


def _is_logarithmic(distinct: np.ndarray) -> bool:
    """Whether ascending numbers lie more evenly on a logarithmic scale."""
    if distinct[0] <= 0 or distinct[-1] < FACTOR * distinct[0]:
        return False
    return unevenness(np.log(distinct.astype(float))) < unevenness(distinct.astype(float))


def unevenness(ascending: np.ndarray) -> float:
    """Largest difference between the distribution function of numbers and the uniform one between the outermost."""
    n = len(ascending)
    uniform = (ascending - ascending[0]) / (ascending[-1] - ascending[0])
    return float(max((np.arange(1, n + 1) / n - uniform).max(), (uniform - np.arange(n) / n).max()))
