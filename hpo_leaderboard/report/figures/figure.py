"""`Figure`: what a figure shows, before templates/page.js draws it on the page and `figures.vector` on paper.

A figure has one view for each combination of its choices, such as (benchmark, axis). A view is one of three kinds:

    Lines     step functions of one axis, with bands
    Dots      a row per optimizer, with whiskers, and bars that join rows
    HeatMap   p-values of pairs
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas

ALL = "all benchmarks"


class Line(NamedTuple):
    """Values of one optimizer, (point,) each; NaN or inf where there is none."""

    optimizer: str
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Lines(NamedTuple):
    """Step functions over the points x; `log_x`, `log_y` say how the axes start out."""

    x: np.ndarray
    lines: Sequence[Line]
    x_title: str
    y_title: str
    log_x: bool = False
    log_y: bool = False


class Dot(NamedTuple):
    """A value of one optimizer; NaN ends for no whiskers."""

    optimizer: str
    value: float
    low: float
    high: float


class Dots(NamedTuple):
    """Rows of dots. `bars` join the rows (first, last); `ruler` is a length drawn from the first dot, None for none."""

    dots: Sequence[Dot]
    x_title: str
    log_x: bool = False
    bars: Sequence[tuple[int, int]] = ()
    ruler: float | None = None


class HeatMap(NamedTuple):
    """(row, column) p-values between the named optimizers, with a note on each cell; NaN on the diagonal."""

    names: Sequence[str]
    values: np.ndarray
    notes: Sequence[Sequence[str]]
    x_title: str
    y_title: str


View = Lines | Dots | HeatMap
Key = tuple[str, ...]  # an option of each choice
KINDS = {Lines: "lines", Dots: "dots", HeatMap: "heat"}


@dataclass(frozen=True)
class Figure:
    """A figure.

    name       stem of its files
    title, caption
    table      what its CSV file holds
    choices    options by the name of each choice, the one shown first in front
    views      by an option of each choice
    sheets     keys of the views that are printed together, by what is added to the stem; empty for no print
    band       what the bands of lines are, in words
    """

    name: str
    title: str
    caption: str
    table: pandas.DataFrame
    choices: Mapping[str, Sequence[str]]
    views: Mapping[Key, Lines] | Mapping[Key, Dots] | Mapping[Key, HeatMap]
    sheets: Mapping[str, Sequence[Key]] = field(default_factory=dict)
    band: str = ""

    @property
    def kind(self) -> str:
        return KINDS[type(next(iter(self.views.values())))]

    def payload(self) -> dict[str, Any]:
        """What page.js draws from, ready for JSON."""
        views = {"|".join(key): _payload(view) for key, view in self.views.items()}
        choices = [{"name": name, "options": list(options)} for name, options in self.choices.items()]
        return {"kind": self.kind, "name": self.name, "band": self.band, "choices": choices, "views": views}


class Omitted(NamedTuple):
    """A figure that cannot be made from these runs, and why."""

    name: str
    title: str
    reason: str


def numbers(values: np.ndarray, digits: int = 4) -> list[float | None]:
    """The values to a number of significant digits, None where they are not finite: JSON has no inf and no NaN."""
    flat = np.asarray(values, dtype=float).tolist()
    return [float(f"{value:.{digits}g}") if abs(value) < np.inf else None for value in flat]


def _payload(view: View) -> dict[str, Any]:
    if isinstance(view, Lines):
        lines = [
            {"optimizer": each.optimizer, "y": numbers(each.y), "low": numbers(each.low), "high": numbers(each.high)}
            for each in view.lines
        ]
        titles = {"x_title": view.x_title, "y_title": view.y_title}
        return {"x": numbers(view.x, 6), "lines": lines, **titles, "log_x": view.log_x, "log_y": view.log_y}
    if isinstance(view, Dots):
        columns = zip(*[dot[1:] for dot in view.dots], strict=True)
        value, low, high = (numbers(np.array(column)) for column in columns)
        rows = {"names": [dot.optimizer for dot in view.dots], "value": value, "low": low, "high": high}
        return {**rows, "x_title": view.x_title, "log_x": view.log_x, "bars": list(view.bars), "ruler": view.ruler}
    cells = {"names": list(view.names), "p": [numbers(row, 2) for row in view.values], "notes": view.notes}
    return {**cells, "x_title": view.x_title, "y_title": view.y_title}
