"""Pictures of a table's statistics, after figures 7.1 to 7.4 and table 7.3 of Klein (2020)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import InvalidOption, MissingExtra
from hpo_core.shown_text import csv_frame, plain_labels
from hpo_core.storage.files import replacing
from tabular.statistics import all_statistics, metric_ecdfs, noise_ecdfs
from tabular.table import Table
from tabular.top import final_losses

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CSV_FRACTIONS = tuple(np.linspace(0.0, 1.0, 1001).tolist())
N_PAIRS = 10
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")  # Okabe and Ito: safe if colour-blind
MUTED = "#555555"
DECADES = 1.5  # powers of ten that values must span for a logarithmic axis


def write_statistics(table: Table, directory: str | Path, others: Sequence[Table] = ()) -> list[Path]:
    """Files written into `directory`: a CSV file and a picture (PNG) of every statistic of a table.

    Distributions are written as their quantiles at every 0.1 %. `others` are tables over the same space, to correlate
    with. The correlation between tables needs `others`, that between budgets a table with several budgets.
    """
    _new_figure(1.0, 1.0)  # a missing matplotlib is an error before anything is computed or written
    frames = all_statistics(table, others, CSV_FRACTIONS)
    pictures: dict[str, Callable[[], Figure]] = {
        "ecdf": lambda: draw_ecdfs(table),
        "importance": lambda: draw_importance(table, frames["importance"]),
        "neighbourhood": lambda: draw_neighbourhood(table, frames["neighbourhood"]),
        "budget_correlation": lambda: draw_budget_correlation(table, frames["budget_correlation"]),
        "table_correlation": lambda: draw_table_correlation(frames["table_correlation"]),
    }
    folder = Path(directory)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in frames.items():
            written.append(folder / f"{name}.csv")
            indexed = frame.index.name is not None or frame.index.nlevels > 1
            with replacing(written[-1]) as file:
                csv_frame(frame.reset_index() if indexed else frame).to_csv(file, index=False)
        for name, draw in pictures.items():
            if name == "ecdf" or name in frames:
                written.append(folder / f"{name}.png")
                with replacing(written[-1]) as file:
                    plain_labels(draw()).savefig(file, dpi=150, format="png")
    except OSError as error:
        raise InvalidOption(f"statistics go into a directory that can be written, got {folder} ({error})") from None
    return written


def _new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches; without pyplot, which would keep it in global state."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report") from None
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))


def _panels(n_rows: int, n_columns: int, width: float, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """A figure of equal panels, row by row; width and height of one panel, in inches."""
    figure = _new_figure(width * n_columns, height * n_rows)
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **options)
    return figure, list(axes.flat)


def _tidy(axes: Axes, title: str, x_label: str, y_label: str = "") -> None:
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, color="#e5e5e5", linewidth=0.8)
    axes.set_axisbelow(True)


def draw_ecdfs(table: Table) -> Figure:
    """Distributions over the configurations: losses in one panel, one for each other column, one for the noise."""
    metrics = {str(name): group for name, group in metric_ecdfs(table).groupby("metric", sort=False)}
    noises = {f"{budget:g}": group for budget, group in noise_ecdfs(table).groupby("budget", sort=False)}
    losses = {name: group for name, group in metrics.items() if name.endswith(("loss", "_mse"))}
    contents = [("loss, mean over repetitions", losses, table.units["loss"] if len(losses) == 1 else "loss")]
    contents += [(name, {name: group}, table.units[name]) for name, group in metrics.items() if name not in losses]
    if noises:
        contents.append(("noise: standard deviation between repetitions", noises, "units of the loss"))
    figure, panels = _panels(-(-len(contents) // 2), 2, 5.2, 3.5)
    for axes, (title, curves, unit) in zip(panels, contents, strict=False):
        _draw_steps(axes, curves, table.budget_unit if curves is noises else None)
        _tidy(axes, title, unit, "fraction of configurations")
    for axes in panels[len(contents) :]:
        axes.set_axis_off()
    figure.suptitle(f"{table.name}: empirical distributions over {table.space.numbering.size:,} configurations")
    return figure


def _draw_steps(axes: Axes, curves: dict[str, pandas.DataFrame], ordered_by: str | None) -> None:
    """ECDFs as steps, from 0; on a logarithmic axis values of 0 are not visible but still count."""
    together = np.concatenate([curve["value"].to_numpy() for curve in curves.values()])
    shown = together[np.isfinite(together) & (together > 0)]
    logarithmic = bool(len(shown)) and np.log10(shown.max() / shown.min()) > DECADES and together.min() >= 0
    colours = COLOURS if ordered_by is None or len(curves) == 1 else _shades(len(curves))
    for i, (name, curve) in enumerate(curves.items()):
        value, fraction = curve["value"].to_numpy(), curve["fraction"].to_numpy()
        colour = colours[i % len(colours)]
        axes.step([value[0], *value], [0.0, *fraction], where="post", color=colour, linewidth=1.8, label=name)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_xlim(float(shown.min()) / 1.3, float(shown.max()) * 1.3)
    else:
        axes.locator_params(axis="x", nbins=5)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.set_ylim(0, 1.02)
    if len(curves) > 1:
        axes.legend(frameon=False, fontsize=9, loc="lower right", title=ordered_by)


def _shades(n: int) -> list[Any]:
    """Colours from dark to light for curves that have an order."""
    from matplotlib import colormaps

    return list(colormaps["viridis"](np.linspace(0, 0.88, n)))


def draw_budget_correlation(table: Table, frame: pandas.DataFrame) -> Figure:
    """Rank correlation of every budget with the full one, a line for all configurations and for the best."""
    figure, (axes,) = _panels(1, 1, 6.4, 4.2)
    for label, colour in zip(frame.columns, _shades(len(frame.columns)), strict=True):
        axes.plot(frame.index, frame[label], color=colour, linewidth=2, label=label)
    axes.axhline(0, color=MUTED, linewidth=0.8)
    axes.set_ylim(min(0.0, float(np.nanmin(frame.to_numpy()))) - 0.02, 1.02)
    axes.legend(frameon=False, loc="lower right")
    full = f"{table.budgets[-1]:g} {table.budget_unit}"
    _tidy(axes, f"{table.name}: rank correlation with {full}", table.budget_unit, "Spearman correlation")
    return figure


def draw_importance(table: Table, frame: pandas.DataFrame) -> Figure:
    """Functional ANOVA: main effects above, the ten most important pairs below, fewest configurations on the left."""
    labels = [str(label) for label in frame.columns if label != "order"][::-1]
    figure, panels = _panels(2, len(labels), 4.8, 3.7)
    for i, label in enumerate(labels):
        main = frame.loc[frame["order"] == 1, label].astype(float)
        pairs = frame.loc[frame["order"] == 2, label].astype(float)
        rest = float(frame.loc[frame["order"] > 2, label].sum())
        _draw_shares(panels[i], main, COLOURS[0], f"{label}\nsingle: {main.sum():.1%} in all")
        strongest = pairs.sort_values(ascending=False, kind="stable").head(N_PAIRS)
        title = f"{label}\npairs: {pairs.sum():.1%} in all, beyond pairs {rest:.1%}"
        _draw_shares(panels[len(labels) + i], strongest, COLOURS[2], title)
    figure.suptitle(f"{table.name}: what the loss depends on, by functional ANOVA")
    return figure


def _draw_shares(axes: Axes, shares: pandas.Series, colour: str, title: str) -> None:
    heights = np.arange(len(shares))[::-1]
    bars = axes.barh(heights, shares.to_numpy(), color=colour, height=0.7)
    axes.bar_label(bars, [f"{share:.1%}" for share in shares], padding=3, fontsize=8, color=MUTED)
    axes.set_yticks(heights, [str(name).replace(" x ", " × ") for name in shares.index], fontsize=8)  # noqa: RUF001
    axes.set_xlim(0, max(float(shares.max()), 1e-6) * 1.22)
    axes.locator_params(axis="x", nbins=4)
    axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
    _tidy(axes, title, "share of the variance")
    axes.grid(False, axis="y")


def draw_neighbourhood(table: Table, frame: pandas.DataFrame) -> Figure:
    """Change of the loss when one hyperparameter of the best configuration is changed, and the new loss.

    The change is relative to the best loss, unless that is 0.
    """
    metric = str(frame.columns[3])
    best = float(final_losses(table, metric).min())
    change = (frame["relative_change"] if best else frame[metric]).to_numpy(dtype=float)
    figure, (axes,) = _panels(1, 1, 7.6, 1.4 + 0.3 * max(len(frame), 1))
    heights = np.arange(len(frame))[::-1]
    left = _scale_changes(axes, change[np.isfinite(change)])
    ends = np.where(np.isfinite(change), change, axes.get_xlim()[1])
    axes.hlines(heights, left, ends, color=COLOURS[0], linewidth=2)
    axes.plot(ends, heights, "o", color=COLOURS[0], markersize=7)
    note: dict[str, Any] = {"textcoords": "offset points", "va": "center", "color": MUTED, "fontsize": 9}
    for height, x, loss in zip(heights, ends, frame[metric], strict=True):
        axes.annotate(f"{loss:.4g}", (x, height), (9, 0), **note)
    flips = zip(frame["hyperparameter"], frame["old"], frame["new"], strict=True)
    axes.set_yticks(heights, [f"{name}: {_short(old)} → {_short(new)}" for name, old, new in flips], fontsize=9)
    axes.set_ylim(-0.7, len(frame) - 0.3)
    _tidy(axes, "", f"{'relative ' if best else ''}change of {metric}")
    axes.grid(False, axis="y")
    figure.suptitle(f"{table.name}: single flips of the best configuration, {metric} {best:.4g}", fontsize=11)
    return figure


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _scale_changes(axes: Axes, changes: np.ndarray) -> float:
    """Left end of the axis of changes; sets its scale, with space for a number on the right."""
    low, high = (float(changes.min()), float(changes.max())) if len(changes) else (0.0, 1.0)
    if low > 0 and np.log10(high / low) > DECADES:
        axes.set_xscale("log")
        axes.set_xlim(low / 1.6, high * (high / low) ** 0.22)
        return low / 1.6
    axes.set_xlim(min(0.0, 1.2 * low), 1.2 * high if high > 0 else 1.0)
    return 0.0


def draw_table_correlation(frame: pandas.DataFrame) -> Figure:
    """Heat maps of the rank correlation between tables, for the best of the row's table and for all."""
    labels = list(dict.fromkeys(frame.index.get_level_values("share")))[::-1]
    names = [str(name) for name in frame.columns]
    size = max(3.2, 0.9 * len(names))
    figure, panels = _panels(1, len(labels), size, size + 0.25, sharey=True)
    for axes, label in zip(panels, labels, strict=True):
        values = frame.loc[label].to_numpy(dtype=float)
        image = axes.imshow(values, cmap="RdBu_r", vmin=-1, vmax=1)
        for (row, column), value in np.ndenumerate(values):
            colour = "white" if abs(value) > 0.6 else "black"
            axes.text(column, row, f"{round(value, 2) + 0.0:.2f}", ha="center", va="center", color=colour, fontsize=10)
        axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
        axes.set_yticks(range(len(names)), names)
        axes.set_title(f"{label} configurations" if label == "all" else f"{label} of the row's table", fontsize=10)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
    figure.colorbar(image, ax=panels, shrink=0.7, label="Spearman correlation")
    figure.suptitle("Rank correlation between tables")
    return figure
