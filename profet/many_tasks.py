"""`batch`: losses and costs of many tasks of one model at many points, in one call.

T, n        number of tasks, of points
theta       one weight vector of a network; a model has a few hundred, so that many tasks share one
r           1 / (exp(2 z) + 1) of a unit with input z: tanh z = 1 - 2 r

Tasks that share a weight vector differ in their latent vectors alone, which are inputs of the network: their points are
columns of the same products. What a unit passes on is r; weights -2 W and biases b + sum_i W_i make up for it, so a
layer takes one product, one exponential and one division. All of it is cut into parts that do not depend on the number
of threads, and neither does a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from hpo_core.benchmark import Benchmark
from hpo_core.cores import usable_cores
from hpo_core.errors import InvalidConfig, InvalidOption, UnknownName
from hpo_core.problems.problem import Batch
from hpo_core.single_thread import single_threaded
from profet.family import open_model
from profet.meta_model import Emulator, MetaModel
from profet.sampling import sample_task
from profet.task import NOMINAL_COST, Task

COLUMNS = 2048  # of a product, so that a layer's units stay in a core's cache
PART = 8192  # evaluations that a thread takes at a time

Mapped = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]  # `map`, or that of a pool of threads


@single_threaded
def batch(model: MetaModel | str, tasks: Sequence[int | Task], X: np.ndarray, budget: float | None = None) -> Batch:
    """(T, n) noise-free losses and (T, n) costs in seconds of T tasks at n points each.

    They are those of `Benchmark("profet-svm/17").objective_batch(X)`, task for task, to about a millionth of the range
    of a task's losses: networks are evaluated in float32 here, which takes half of the time. All cores that the process
    may use take part; results do not depend on their number.

    Parameters
    ----------
    model
        The model of the tasks, or its family's name, `svm` say.
    tasks
        Numbers, 17 for `profet-svm/17`, or tasks that were sampled from the model; they may be mixed and repeated.
    X
        (n, d) codes, as `model.space.encode` or `model.space.from_unit` gives them, for all tasks; or (T, n, d), other
        ones for each task.
    budget
        Of all evaluations; by default the full one.

    Returns
    -------
    tuple of ndarray
        Losses and costs, float64.

    Examples
    --------
    >>> import numpy as np, profet
    >>> model = profet.open_model("svm")
    >>> points = model.space.from_unit(np.random.default_rng(0).random((50, 2)))
    >>> losses, costs = profet.batch(model, range(1000), points)
    >>> losses.shape
    (1000, 50)
    """
    model = open_model(model) if isinstance(model, str) else model
    if not isinstance(model, MetaModel):
        raise InvalidOption(
            f"a batch needs a model, as of `profet.open_model`, or its family's name, got {model!r:.60}"
        )
    chosen = _tasks(model, tasks)
    codes = _codes(model, X, len(chosen))
    full = chosen[0].budgets[-1]
    budget = full if budget is None else Benchmark(chosen[0]).check_budget(budget)
    latent = np.array([task.latent for task in chosen]) * model.encoding.weights
    with ThreadPoolExecutor(usable_cores()) as pool:
        x = _inputs(model, codes, pool.map)
        draws = np.array([task.draw for task in chosen])
        losses = _values(model.loss, draws, latent, model.inputs.with_budget(x, budget), pool.map)
        if model.cost is None:
            return losses, np.full_like(losses, NOMINAL_COST * (budget / full))
        draws = np.array([task.cost_draw for task in chosen])
        costs = _values(model.cost, draws, latent, x, pool.map)
    costs *= budget / full
    return losses, costs


def _tasks(model: MetaModel, tasks: object) -> list[Task]:
    if not isinstance(tasks, Iterable):
        raise InvalidOption(f"a batch needs a sequence of tasks, such as [17] or range(100), got {tasks!r:.60}")
    found = [_task(model, task) for task in tasks]
    if not found:
        raise InvalidOption("a batch needs at least one task, got none")
    return found


def _task(model: MetaModel, task: object) -> Task:
    """The task itself, or that of a number; raises `UnknownName` for anything else."""
    if isinstance(task, Task):
        if task.model is model or (task.model.checksum == model.checksum != ""):
            return task
        raise UnknownName(f"tasks must be of the model {model.name!r}, got {task.name!r} of another model or training")
    if isinstance(task, (int, np.integer)) and not isinstance(task, bool) and task >= 0:
        return sample_task(model, int(task))
    raise UnknownName(
        f"a task is a number >= 0, such as 17 for 'profet-{model.name}/17', or one of `profet.sample`, got {task!r:.60}"
    )


def _codes(model: MetaModel, X: object, n_tasks: int) -> np.ndarray:
    """Checked codes (1 or T, n, d)."""
    codes = np.asarray(X)
    d = len(model.space)
    if codes.ndim not in (2, 3) or codes.shape[-1] != d or codes.dtype.kind not in "iuf":
        raise InvalidConfig(f"codes must be numbers (n, {d}) or (tasks, n, {d}), got {codes.dtype} {codes.shape}")
    if codes.ndim == 3 and len(codes) != n_tasks:
        raise InvalidConfig(f"codes for each task must be ({n_tasks} tasks, n, {d}), got {codes.shape}")
    if not codes.shape[-2]:
        raise InvalidConfig(f"a batch needs at least one point, got codes {codes.shape}")
    return model.space.check_codes(codes.reshape(-1, d)).reshape(-1, *codes.shape[-2:])


def _inputs(model: MetaModel, codes: np.ndarray, mapped: Mapped) -> np.ndarray:
    """(1 or T, n, width) inputs of codes (1 or T, n, d)."""
    rows = codes.reshape(-1, codes.shape[2])
    parts = [rows[start : start + PART].astype(float) for start in range(0, len(rows), PART)]
    return np.concatenate(list(mapped(model.inputs, parts))).reshape(*codes.shape[:2], -1)


class _Part(NamedTuple):
    """Evaluations of one weight vector: of some tasks, by their indices, at the same points."""

    draw: int
    tasks: np.ndarray
    points: slice


def _parts(draws: np.ndarray, n_points: int) -> Iterator[_Part]:
    """All T x n evaluations in parts of about `PART`."""
    order = np.argsort(draws, kind="stable")
    together = max(1, PART // n_points)
    for tasks in np.split(order, np.flatnonzero(np.diff(draws[order])) + 1):
        for first in range(0, len(tasks), together):
            for start in range(0, n_points, PART):
                some = tasks[first : first + together]
                yield _Part(int(draws[some[0]]), some, slice(start, min(start + PART, n_points)))


def _values(emulator: Emulator, draws: np.ndarray, latent: np.ndarray, x: np.ndarray, mapped: Mapped) -> np.ndarray:
    """(T, n) losses or costs of tasks with draws (T,) and weighted latent vectors (T, Q), at x (1 or T, n, width)."""
    values = np.empty((len(draws), x.shape[1]))

    def fill(part: _Part) -> None:
        own = x[part.tasks if len(x) > 1 else slice(None), part.points]
        products = _products(emulator, part.draw)
        columns = _columns(own, latent[part.tasks]).astype(products[0].dtype, copy=False)
        found = emulator.target.restore(_outputs(products, columns))
        values[part.tasks, part.points] = found.reshape(len(part.tasks), -1)

    for _ in mapped(fill, _parts(draws, x.shape[1])):
        pass
    return values


def _columns(x: np.ndarray, latent: np.ndarray) -> np.ndarray:
    """(width + Q + 1, T n) a column of inputs for each evaluation: configuration, latent vector and 1."""
    n_tasks, n_points, width = len(latent), x.shape[1], x.shape[2]
    columns = np.ones((width + latent.shape[1] + 1, n_tasks, n_points))
    columns[:width] = np.moveaxis(x, 2, 0)
    columns[width:-1] = latent.T[:, :, None]
    return columns.reshape(len(columns), -1)


def _products(emulator: Emulator, draw: int) -> list[np.ndarray]:
    """(out, in + 1) matrices of the layers, biases behind weights: from inputs or r to 2 z, at last to the output."""
    theta = emulator.theta[draw]
    layers = emulator.network.layers(theta[None, :-1].astype(np.float32))
    found = []
    for depth, (weights, biases) in enumerate(layers, 1):
        together = np.concatenate([weights[0], biases[0]])
        if depth > 1:
            together[-1] += weights[0].sum(axis=0)
            together[:-1] *= -2.0
        found.append(np.ascontiguousarray(together.T) * (2.0 if depth < len(layers) else 1.0))
    return found


def _outputs(products: Sequence[np.ndarray], columns: np.ndarray) -> np.ndarray:
    """(n,) outputs of a network for inputs (in + 1, n)."""
    n = columns.shape[1]
    outputs = np.empty(n, dtype=columns.dtype)
    hidden = [np.ones((len(product) + 1, min(n, COLUMNS)), dtype=columns.dtype) for product in products[:-1]]
    with np.errstate(over="ignore"):  # exp(2 z) is infinite where tanh z is 1
        for start in range(0, n, COLUMNS):
            x = columns[:, start : start + COLUMNS]
            for product, units in zip(products[:-1], hidden, strict=True):
                r = np.matmul(product, x, out=units[:-1, : x.shape[1]])
                np.exp(r, out=r)
                r += 1.0
                np.reciprocal(r, out=r)
                x = units[:, : x.shape[1]]
            np.matmul(products[-1][0], x, out=outputs[start : start + COLUMNS])
    return outputs
