"""How an optimizer looks: the same colour and dashes in every figure, on the page and on paper."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#808080")  # Okabe and Ito, and grey
DASHES = ("solid", "dash", "dot", "dashdot")


class Style(NamedTuple):
    """Colour (hexadecimal) and dashes (plotly's names) of a line."""

    colour: str
    dash: str


def styles(optimizers: Iterable[str]) -> dict[str, Style]:
    """Style of each optimizer, by its index among the sorted names: results do not change it.

    Seven colours that colour-blind readers tell apart too; from the eighth optimizer on they come again, dashed.
    """
    n = len(COLOURS)
    return {name: Style(COLOURS[i % n], DASHES[i // n % len(DASHES)]) for i, name in enumerate(sorted(set(optimizers)))}
