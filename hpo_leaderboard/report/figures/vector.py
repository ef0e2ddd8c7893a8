"""Figures on paper: PDF and SVG files, drawn by matplotlib from the same views as the page's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hpo_core.shown_text import shortened, visible
from hpo_core.storage.files import replacing
from hpo_leaderboard.report.figures.figure import Dots, Figure, HeatMap, Key, Lines, View
from hpo_leaderboard.report.figures.palette import Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

PANELS = 12  # on a sheet
MOST_LABEL = 40  # characters of a name
WIDTH = 7.0  # inches, both columns of a page
DASHES: dict[str, Any] = {"solid": "-", "dash": (0, (5, 2)), "dot": (0, (1, 1.5)), "dashdot": (0, (5, 1.5, 1, 1.5))}
LEVELS = (0.001, 0.01, 0.05)  # of p-values
BLUES = ("#08519c", "#6baed6", "#c6dbef", "#f4f4f4")
SETTINGS: Any = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titley": 1.0,  # else matplotlib measures all labels to find room for the title
    "pdf.fonttype": 42,  # letters stay letters
    "svg.fonttype": "none",
    "svg.hashsalt": "hpo-foundry",  # equal figures are equal files
    "text.parse_math": False,  # a $ in a label is a $
}


class File(NamedTuple):
    """A file, and what the page calls it."""

    name: str
    label: str


def write_sheets(
    figure: Figure,
    styles: Mapping[str, Style],
    folder: Path,
    width: float = WIDTH,
    labels: Mapping[str, str] | None = None,
) -> list[File]:
    """The PDF and SVG files of a figure, after writing them; of those with many panels there are several.

    Parameters
    ----------
    figure, styles
        What is drawn, and the style of each optimizer.
    folder
        Where the files go.
    width
        Of a sheet, in inches.
    labels
        What optimizers are called in the figure, by name; the others by their names.
    """
    import matplotlib
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    written = []
    for ending, keys in figure.sheets.items():
        for start in range(0, len(keys), PANELS):
            some = {key: figure.views[key] for key in keys[start : start + PANELS]}
            stem = ending + (f"-{start // PANELS + 1}" if len(keys) > PANELS else "")
            files = [File(f"{figure.name}{stem}.{s}", s.upper() + stem.replace("-", " ")) for s in ("pdf", "svg")]
            pdf, svg = (folder / file.name for file in files)
            with matplotlib.rc_context(SETTINGS), replacing(pdf) as new_pdf, replacing(svg) as new_svg:
                sheet = draw(some, styles, width, labels or {})
                # not through savefig, which draws everything twice
                FigureCanvasPdf(sheet).print_pdf(new_pdf, metadata={"CreationDate": None})
                FigureCanvasSVG(sheet).print_svg(new_svg, metadata={"Date": None})
            written += files
    return written


def draw(
    views: Mapping[Key, View],
    styles: Mapping[str, Style],
    width: float = WIDTH,
    labels: Mapping[str, str] | None = None,
) -> Sheet:
    """A sheet with a panel for each view, and one legend for all of them; parameters as for `write_sheets`."""
    from matplotlib.figure import Figure as Sheet

    first = next(iter(views.values()))
    across = max(1, round(width / (WIDTH / (3 if len(views) > 4 else 2))))
    n_columns = min(len(views), across) if isinstance(first, Lines) else 1
    called = {
        name: shortened(visible((labels or {}).get(name, name), keep=""), MOST_LABEL) for name in _all_names(views)
    }
    n_rows = math.ceil(len(views) / n_columns)
    differing = [i for i, parts in enumerate(zip(*views, strict=True)) if len(set(parts)) > 1]
    sheet = Sheet()
    panels = sheet.subplots(n_rows, n_columns, squeeze=False).ravel()
    for axes in panels[len(views) :]:
        axes.remove()
    for axes, (key, view) in zip(panels, views.items(), strict=False):
        title = ", ".join(_shown(part) for i, part in enumerate(key) if i in differing)
        axes.set_title(title, fontsize=8)
        if isinstance(view, Lines):
            _draw_lines(axes, view, styles, called)
        elif isinstance(view, Dots):
            _draw_dots(axes, view, styles, called)
        else:
            _draw_heat_map(axes, view, called)
    _arrange(sheet, first, n_rows, n_columns, width, called)
    return sheet


def _arrange(sheet: Sheet, view: View, n_rows: int, n_columns: int, wide: float, labels: Mapping[str, str]) -> None:
    """Sizes in inches, and the legend of lines. By hand: matplotlib's own layouts take longer than the drawing."""
    names = [labels.get(name, name) for name in _names(view)]
    single = min(4.2, wide)
    label = 0.065 * max(map(len, names)) + 0.15
    if isinstance(view, Lines):
        n_across = max(1, int((wide if n_columns > 1 else single) / (label + 0.4)))
        left, right, below, bottom = 0.6, 0.1, 0.7, 0.5 + 0.17 * math.ceil(len(names) / n_across)
        height, width = (2.0, wide) if n_columns > 1 else (min(2.4, 0.6 * single), single)
        sheet.legend(*sheet.axes[0].get_legend_handles_labels(), loc="lower center", ncols=n_across, frameon=False)
    elif isinstance(view, Dots):
        left, right, below, bottom, height, width = label, 0.1, 0.0, 0.45, 0.22 * (len(names) + 1), min(4.5, wide)
    else:
        side = 0.33 * len(names)
        left, right, below, bottom, height, width = label + 0.3, 0.9, 0.0, label * 0.8 + 0.35, side, side + label + 1.2
    total = height * n_rows + below * (n_rows - 1) + bottom + 0.25
    sheet.set_size_inches(width, total)
    panel = (width - left * n_columns - right) / n_columns
    if isinstance(view, Lines):  # labels at fixed positions, which need not be measured either
        for axes in sheet.axes:
            axes.xaxis.set_label_coords(0.5, -0.28 / height)
            axes.yaxis.set_label_coords(-0.42 / panel, 0.5)
    sheet.subplots_adjust(
        left=left / width,
        right=1 - right / width,
        bottom=bottom / total,
        top=1 - 0.25 / total,
        wspace=left / panel,
        hspace=below / height,
    )


def _names(view: View) -> list[str]:
    """Optimizers in a view."""
    if isinstance(view, HeatMap):
        return list(view.names)
    return [each.optimizer for each in (view.lines if isinstance(view, Lines) else view.dots)]


def _shown(name: str) -> str:
    return shortened(visible(name, keep=""), MOST_LABEL)


def _all_names(views: Mapping[Key, View]) -> set[str]:
    return {name for view in views.values() for name in _names(view)}


def _draw_lines(axes: Axes, view: Lines, styles: Mapping[str, Style], labels: Mapping[str, str]) -> None:
    known = np.concatenate([line.y[np.isfinite(line.y)] for line in view.lines])
    positive = known[known > 0]
    floor = positive.min() if view.log_y and len(positive) else -np.inf
    for line in view.lines:
        style = styles[line.optimizer]
        y, low, high = (np.where(np.isfinite(v), np.maximum(v, floor), np.nan) for v in line[1:])
        look: Any = {"color": style.colour, "linestyle": DASHES[style.dash], "lw": 1.2}
        axes.step(view.x, y, where="post", label=labels.get(line.optimizer, line.optimizer), **look)
        if len(view.lines) <= 6:  # more bands hide each other
            axes.fill_between(view.x, low, high, step="post", color=style.colour, alpha=0.15, lw=0)
    if view.log_x:
        axes.set_xscale("log")
    if view.log_y and len(positive):
        axes.set_yscale("log")
    _plain_ticks(axes)
    axes.set_xlabel(view.x_title)
    axes.set_ylabel(view.y_title)


def _plain_ticks(axes: Axes) -> None:
    """Few ticks, with plain numbers: most of the time would go into the others and into powers of ten."""
    from matplotlib.ticker import LogLocator

    axes.minorticks_off()
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_locator(LogLocator(numticks=5))
            axis.set_major_formatter(lambda value, _: _power(value))


def _power(value: float) -> str:
    """A power of ten in few letters: 0.01, 100, 1e-5, 1e4."""
    return f"{value:g}" if 0.01 <= value < 1e4 else f"1e{round(math.log10(value))}"


def _draw_dots(axes: Axes, view: Dots, styles: Mapping[str, Style], labels: Mapping[str, str]) -> None:
    for row, dot in enumerate(view.dots):
        colour = styles[dot.optimizer].colour
        axes.plot([dot.low, dot.high], [row, row], color=colour, lw=1.5)
        axes.plot(dot.value, row, "o", color=colour, ms=5)
        if math.isnan(dot.low):
            axes.annotate(f"{dot.value:.2f}", (dot.value, row), (6, -3), textcoords="offset points")
    axes.set_yticks(range(len(view.dots)), [labels.get(dot.optimizer, dot.optimizer) for dot in view.dots])
    axes.set_ylim(len(view.dots) - 0.5, -1.4 if view.ruler is not None else -0.6)
    if view.log_x:
        axes.set_xscale("log")
        _plain_ticks(axes)
    if view.ruler is not None:
        ink = axes.xaxis.label.get_color()
        best, worst = view.dots[0].value, view.dots[-1].value
        axes.plot([best, best + view.ruler], [-0.8, -0.8], color=ink, lw=1.2, marker="|", ms=6)
        axes.annotate(f"CD = {view.ruler:.2f}", (best + view.ruler, -0.8), (5, -3), textcoords="offset points")
        step = 0.05 * max(worst - best, 1.0)
        for i, (top, bottom) in enumerate(view.bars):
            x = worst + step * (4 + i)
            axes.plot([x, x], [top - 0.15, bottom + 0.15], color=ink, lw=3, solid_capstyle="round")
    axes.set_xlabel(view.x_title)


def _draw_heat_map(axes: Axes, view: HeatMap, labels: Mapping[str, str]) -> None:
    from matplotlib.colors import BoundaryNorm, ListedColormap

    n = len(view.names)
    norm = BoundaryNorm([0.0, *LEVELS, 1.0 + 1e-9], len(BLUES))
    shown = np.ma.masked_invalid(view.values)
    image = axes.imshow(shown, cmap=ListedColormap(BLUES), norm=norm)
    for row, column in zip(*np.nonzero(np.isfinite(view.values)), strict=True):
        p = view.values[row, column]
        colour = "white" if p < LEVELS[0] else "black"
        text = "<.001" if p < LEVELS[0] else f"{p:.2g}"
        axes.text(column, row, text, ha="center", va="center", fontsize=5.5, color=colour)
    names = [labels.get(name, name) for name in view.names]
    axes.set_xticks(range(n), names, rotation=45, ha="right")
    axes.set_yticks(range(n), names)
    axes.set_xlabel(view.x_title)
    axes.set_ylabel(view.y_title)
    axes.spines[:].set_visible(False)
    colours = axes.figure.colorbar(image, cax=axes.inset_axes((1.04, 0.15, 0.04, 0.7)), label="corrected p")
    colours.set_ticks([0.0, *LEVELS, 1.0], labels=["0", *map(str, LEVELS), "1"])
