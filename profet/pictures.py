"""Pictures of meta-models: figs 8.3 and E.1 to E.5 of Klein (2020), and calibration."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import InvalidOption, MissingExtra
from hpo_core.shown_text import plain_labels
from hpo_core.storage.files import replacing
from profet.meta_data import MetaData
from profet.meta_model import MetaModel
from profet.sampling import sample
from profet.task import Task

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_GRID = 100  # points along an axis
N_CURVES = 20  # configurations
N_CONFIGS = 500  # random configurations for the distribution of a task's losses


def figure(width: float, height: float) -> Figure:
    """Empty figure of a size in inches, without a window."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("matplotlib", "report") from None
    return Figure(figsize=(width, height), layout="constrained")


def write(drawn: Figure, path: Path) -> None:
    """Write a figure to a file; the file's suffix determines the format."""
    try:
        with replacing(path) as temporary:
            plain_labels(drawn).savefig(temporary, dpi=150, format=path.suffix.removeprefix(".") or "png")
    except ValueError as error:
        raise InvalidOption(f"cannot write {path}: {error}") from None


def latent_space(model: MetaModel) -> Figure:
    """Means of the tasks in the two dimensions that separate them best, with ellipses of four stds (fig. 8.3)."""
    from matplotlib.patches import Ellipse

    means, variances, weights = model.encoding
    if means.shape[1] < 2:
        raise InvalidOption("a picture of the latent space needs at least two dimensions")
    separation = (weights > 0) * means.std(axis=0) / np.sqrt(variances).mean(axis=0)
    best = np.argsort(-separation, kind="stable")[:2]
    drawn = figure(7, 5.5)
    axes = drawn.subplots()
    for mean, variance, task, color in zip(means, variances, model.tasks, cycle(_colors()), strict=False):
        x, y = mean[best]
        width, height = 8.0 * np.sqrt(variance[best])  # four stds to each side
        axes.add_patch(Ellipse((x, y), width, height, facecolor=color, alpha=0.3))
        axes.plot(x, y, "o", color=color, markersize=4)
        axes.annotate(task, (x, y), xytext=(4, 4), textcoords="offset points", fontsize=7)
    axes.set(xlabel=f"h{best[0]}", ylabel=f"h{best[1]}", title=f"latent space of {model.name}")
    axes.autoscale_view()
    return drawn


def samples(model: MetaModel, tasks: Sequence[Task], data: MetaData | None = None) -> Figure:
    """Sampled tasks over a single hyperparameter (E.3), over the first two (E.4, E.5), or over their budgets."""
    if not tasks:
        raise InvalidOption("a picture of tasks needs at least one, got none")
    if len(model.budgets) > 1:
        return _learning_curves(tasks)
    model.inputs.require_numeric()
    return _curves(model, tasks, data) if len(model.space) == 1 else _maps(model, tasks)


def _curves(model: MetaModel, tasks: Sequence[Task], data: MetaData | None) -> Figure:
    drawn = figure(7, 4)
    axes = drawn.subplots()
    unit = np.linspace(0.0, 1.0, 4 * N_GRID)[:, None]
    values = model.space.from_unit(unit)[:, 0]
    if data is not None:
        order = np.argsort(data.codes[:, 0])
        for losses in data.losses[:, order, -1]:
            axes.plot(data.codes[order, 0], losses, color="0.6", linewidth=1)
    for task in tasks:
        axes.plot(values, task.value(unit), "--", linewidth=1)
    title = f"{model.name}: sampled" + (", original in grey" if data is not None else "")
    axes.set(xlabel=model.space.names[0], ylabel="loss", title=title)
    return drawn


def _learning_curves(tasks: Sequence[Task]) -> Figure:
    """Losses of the same random configurations after every budget."""
    drawn = figure(3.4 * len(tasks), 3.2)
    for axes, task in zip(np.atleast_1d(drawn.subplots(1, len(tasks), sharey=True)), tasks, strict=True):
        codes = task.space.encode(task.space.sample(np.random.default_rng(0), N_CURVES))
        losses = np.array([task.evaluate_batch(codes, budget, None)[0] for budget in task.budgets])
        axes.semilogy(task.budgets, losses, linewidth=0.8)
        axes.set(xlabel="budget", title=task.name)
    drawn.axes[0].set_ylabel("loss")
    return drawn


def _maps(model: MetaModel, tasks: Sequence[Task]) -> Figure:
    """Losses over the first two hyperparameters; others have the values of the best configuration of a sample."""
    drawn = figure(3.4 * len(tasks), 3.2)
    side = np.linspace(0.0, 1.0, N_GRID)
    for axes, task in zip(np.atleast_1d(drawn.subplots(1, len(tasks))), tasks, strict=True):
        unit = np.tile(_best_of_sample(task), (N_GRID * N_GRID, 1))
        unit[:, 0], unit[:, 1] = (grid.ravel() for grid in np.meshgrid(side, side))
        losses = task.value(unit).reshape(N_GRID, N_GRID)
        shown = axes.pcolormesh(side, side, losses, cmap="viridis", shading="auto")
        drawn.colorbar(shown, ax=axes)
        axes.set(xlabel=_label(task, 0), ylabel=_label(task, 1), title=task.name)
    return drawn


def _best_of_sample(task: Task) -> np.ndarray:
    unit = np.random.default_rng(0).random((N_CONFIGS, len(task.space)))
    return unit[int(np.argmin(task.value(unit)))]


def _label(task: Task, axis: int) -> str:
    h = task.space.hyperparameters[axis]
    return f"{h.name} (unit interval{', log' if getattr(h, 'log', False) else ''})"


def distribution(model: MetaModel, data: MetaData, n: int = 50) -> Figure:
    """Shares of configurations with a loss below a value, on the original tasks and on sampled ones (fig. E.1)."""
    drawn = figure(10, 4)
    left, right = drawn.subplots(1, 2, sharex=True, sharey=True)
    for losses in data.losses[:, :, -1]:
        _steps(left, losses)
    for task in sample(model, n):
        losses, _ = task.evaluate_batch(data.codes, task.budgets[-1], None)
        _steps(right, losses)
    left.set(title=f"{len(data.losses)} original tasks", xlabel="loss", ylabel="share of configurations")
    right.set(title=f"{n} sampled tasks", xlabel="loss")
    return drawn


def _steps(axes: Axes, losses: np.ndarray) -> None:
    axes.step(np.sort(losses), np.arange(1, len(losses) + 1) / len(losses), linewidth=0.8, where="post")


def calibration(model: MetaModel, data: MetaData) -> Figure:
    """Share of the losses that lie within central intervals of the predictive distribution, against their level."""
    from scipy.special import ndtri

    from profet.diagnostics import predict

    z = predict(model, data, model.encoding.means)
    mean, variance = z.mean(axis=1), z.var(axis=1) + np.exp(model.loss.theta[:, -1]).mean()
    wanted = model.loss.target.standardise(data.losses.reshape(len(data.losses), -1))
    away = np.abs(wanted - mean) / np.sqrt(variance)
    levels = np.linspace(0.01, 0.99, 99)
    drawn = figure(4.5, 4.5)
    axes = drawn.subplots()
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1)
    axes.plot(levels, [np.mean(away <= ndtri(0.5 + level / 2.0)) for level in levels])
    axes.set(xlabel="level of the interval", ylabel="share of the losses within", title=f"calibration of {model.name}")
    return drawn


def _colors() -> Any:
    from matplotlib import colormaps

    return colormaps["tab20"](np.arange(20))
