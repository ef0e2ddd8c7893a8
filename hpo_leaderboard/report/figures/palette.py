"""How an optimizer looks: its colour and dashes belong to its name, on every page, on the screen and on paper."""

from __future__ import annotations

import colorsys
import hashlib
from collections.abc import Iterable
from typing import NamedTuple

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#808080")  # Okabe and Ito, and grey
DASHES = ("solid", "dash", "dot", "dashdot")
BUILT_IN = (  # a row per kind of dashes, a column per colour: those that often stand on one page are far apart
    ("tpe", "hyperband", "de", "cmaes", "re", "bohb", "rs"),
    ("tpe-univariate", "asha", "gp", "reinforce", "smac", "sh", "grid"),
    ("optuna-tpe", "lcnet-hb", "gp-ucb", "bohamiann", "smac3", "mtbo", "es"),
    ("hyperopt-tpe", "bo-bos", "optuna-gp", "dngo", "bore", "fabolas", "lc-gp"),
)
N_HUES = 36  # of the colours of other names
LIGHTNESS, SATURATION = 0.45, 0.62


class Style(NamedTuple):
    """Colour (hexadecimal) and dashes (plotly's names) of a line."""

    colour: str
    dash: str


FIXED = {
    name: Style(colour, dash)
    for dash, row in zip(DASHES, BUILT_IN, strict=True)
    for name, colour in zip(row, COLOURS, strict=True)
}


def style_of(name: str) -> Style:
    """Style of an optimizer, a function of its name alone: neither results nor who else takes part change it.

    The optimizers of this package have fixed looks in seven colours that colour-blind readers tell apart. Any other
    name has one of 36 hues and one of four kinds of dashes, by its SHA-256: two names may come out alike, and then the
    labels at the ends of the lines tell them apart.
    """
    if name in FIXED:
        return FIXED[name]
    drawn = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    red, green, blue = colorsys.hls_to_rgb(drawn % N_HUES / N_HUES, LIGHTNESS, SATURATION)
    colour = "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))
    return Style(colour, DASHES[drawn // N_HUES % len(DASHES)])


def styles(optimizers: Iterable[str]) -> dict[str, Style]:
    """Style of each optimizer, in the order of their names."""
    return {name: style_of(name) for name in sorted(set(optimizers))}
