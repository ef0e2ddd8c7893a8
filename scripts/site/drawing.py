"""Pictures of the site: figures of the report as small SVG files, for light pages and for dark ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hpo_core.storage.files import write_text
from hpo_leaderboard.report.figures.figure import Key, Lines, View
from hpo_leaderboard.report.figures.palette import styles
from hpo_leaderboard.report.figures.vector import SETTINGS, WIDTH, draw

INK = {"": "#333333", "-dark": "#d0d4e0"}  # of letters and axes, by what is added to a file's name
INKED = ("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color")
METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
PATH = re.compile(r'(?<= )d="([^"]*)"')
POINT = re.compile(r"([MLz])(?: (-?[\d.]+) (-?[\d.]+))?")
STRAIGHT = re.compile(r"(?:[ML] -?[\d.]+ -?[\d.]+ ?|z ?)+")


def write_pictures(views: Mapping[Key, View], stem: Path, width: float = WIDTH) -> None:
    """Write `stem.svg` and `stem-dark.svg`, a panel for each view, on a transparent ground."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    looks = {"": styles(name for view in views.values() for name in names_of(view))}
    looks["-dark"] = {name: look._replace(colour=_lighter(look.colour)) for name, look in looks[""].items()}
    for ending, ink in INK.items():
        path = stem.with_name(f"{stem.name}{ending}.svg")
        settings: Any = SETTINGS | dict.fromkeys(INKED, ink) | {"axes.facecolor": "none", "figure.facecolor": "none"}
        with matplotlib.rc_context():
            matplotlib.rc_file_defaults()
            matplotlib.rcParams.update(settings)
            FigureCanvasSVG(draw(views, looks[ending], width)).print_svg(path, metadata={"Date": None})
        write_text(path, small_svg(path.read_text(encoding="utf-8")))


def names_of(view: View) -> list[str]:
    """Optimizers in a view."""
    if isinstance(view, Lines):
        return [line.optimizer for line in view.lines]
    return [dot.optimizer for dot in view.dots] if hasattr(view, "dots") else list(view.names)


def _lighter(colour: str, share: float = 0.3) -> str:
    """A colour mixed with a share of white."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(part + share * (255 - part)):02x}" for part in parts)


def small_svg(text: str) -> str:
    """The same drawing in a fifth of the bytes: points to a tenth, and none between two on the same level."""
    return PATH.sub(lambda path: f'd="{_small_path(path[1])}"', METADATA.sub("", text))


def _small_path(path: str) -> str:
    words = " ".join(path.split())
    if STRAIGHT.fullmatch(words) is None:  # it has curves
        return words
    kept: list[tuple[str, str, str]] = []
    for kind, *place in POINT.findall(words):
        x, y = (f"{float(value):.1f}".removesuffix(".0") if value else "" for value in place)
        if kind == "L" and kept and (x, y) == kept[-1][1:]:
            continue
        if kind == "L" and len(kept) > 1 and kept[-1][0] == "L" and _level(kept[-2], kept[-1], (x, y)):
            kept.pop()
        kept.append((kind, x, y))
    return "".join(f"{kind}{x} {y}".rstrip() for kind, x, y in kept)


def _level(a: tuple[str, str, str], b: tuple[str, str, str], c: tuple[str, str]) -> bool:
    """Whether three points lie on one horizontal or vertical line."""
    return a[2] == b[2] == c[1] or a[1] == b[1] == c[0]
