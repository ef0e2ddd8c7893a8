"""Meta-data of the families that have a name: the training data of `profet.train(family)`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from hpo_core.benchmark import Benchmark
from hpo_core.errors import NotRecorded, UnknownName, nearest
from hpo_core.names import benchmarks
from hpo_core.space import Space
from hpo_core.space.sobol import sobol
from profet.meta_data import MetaData, read_meta_data

N_MLP_CONFIGS = 500  # 100 for each hyperparameter, as in Klein (2020, section 8.3.1)
N_CURVE_CONFIGS = 700
CURVE_CAP = 3.0  # times the median loss after the first budget
CURVE_BUDGETS = (1, 2, 4, 7, 11, 18, 30, 50, 70, 85, 95, 100)
N_FORRESTER_TASKS = 9
N_FORRESTER_POINTS = 100


def meta_data(family: str) -> MetaData:
    """Meta-data of a family by its name."""
    if family not in SOURCES:
        raise UnknownName(f"no family of tasks {family!r}{nearest(family, SOURCES)}")
    return SOURCES[family]()


def shipped_meta_data(family: str) -> Path:
    """Path of the meta-data that this project measured."""
    return Path(__file__).parent / "data" / f"{family}.h5"


def _shipped(family: str) -> Callable[[], MetaData]:
    return lambda: read_meta_data(shipped_meta_data(family))


def mlp(seed: int = 0) -> MetaData:
    """The eight MLP tables as eight tasks, on one Sobol sample of their common grid."""
    tables = [Benchmark(name) for name, listing in benchmarks().items() if listing.family == "mlp"]
    space = tables[0].space
    codes = np.unique(space.from_unit(sobol(len(space), N_MLP_CONFIGS, seed)), axis=0)
    results = [table.objective_batch(codes) for table in tables]
    return MetaData(
        family="mlp",
        space=space,
        codes=codes,
        losses=np.array([losses for losses, _ in results]),
        costs=np.array([costs for _, costs in results]),
        tasks=tuple(table.name for table in tables),
        loss_range=(0.0, 1.0),
        provenance={"source": "the tables " + ", ".join(table.name for table in tables)},
    )


def curves(seed: int = 0) -> MetaData:
    """The tables with learning curves (`mini-*`) as tasks with budgets: the multi-fidelity extension of section 8.5.

    The logarithm of the loss is modelled, since the errors of good and of diverged networks differ by orders of
    magnitude.
    """
    tables = [Benchmark(name) for name in benchmarks() if name.startswith("mini-")]
    if len(tables) < 2:
        raise NotRecorded(f"a model of learning curves needs at least two mini-* tables, got {len(tables)}")
    return curves_of(tables, seed)


def curves_of(tables: Sequence[Benchmark], seed: int = 0) -> MetaData:
    """Learning curves of random configurations on several tables, at a dozen budgets.

    The space is that of the smallest table, whose configurations the others must contain. Losses are capped at three
    times the median of those after the first budget: otherwise a training that diverges for some epochs would weigh as
    much as a thousand others, in a model with one noise for all.
    """
    space = min((table.space for table in tables), key=lambda space: space.size)
    budgets = [b for b in CURVE_BUDGETS if b in tables[0].budgets]
    codes = np.unique(space.encode(space.sample(np.random.default_rng(seed), N_CURVE_CONFIGS)), axis=0)
    configs = space.decode(codes)
    losses = np.array([[table.objective_batch(configs, budget)[0] for budget in budgets] for table in tables])
    losses = np.minimum(losses, CURVE_CAP * np.median(losses[:, :1], axis=2, keepdims=True))
    return MetaData(
        family="curves",
        space=space,
        codes=codes,
        losses=np.moveaxis(losses, 1, 2),
        costs=np.array([table.objective_batch(configs)[1] for table in tables]),
        tasks=tuple(table.name for table in tables),
        loss_range=(0.0, math.inf),
        log_loss=True,
        budgets=tuple(budgets),
        provenance={"source": "learning curves of " + ", ".join(table.name for table in tables)},
    )


def forrester_parameters(n: int, seed: int) -> np.ndarray:
    """(n, 2) values of a and b, uniform in [4, 8] x [8, 16].

    Departure from the paper: Klein (2020, section 8.4.2) draws both from [0, 1], where the function falls monotonically
    whatever they are; around the original a = 6, b = 12 it has several optima.
    """
    return np.random.default_rng(seed).uniform([4.0, 8.0], [8.0, 16.0], (n, 2))


def forrester(seed: int = 0, n_tasks: int = N_FORRESTER_TASKS) -> MetaData:
    """Variants of the Forrester function on a Sobol sample of the unit interval."""
    parameters = forrester_parameters(n_tasks, seed)
    tasks = [Benchmark("forrester", a=float(a), b=float(b)) for a, b in parameters]
    space = Space(tasks[0].space, name="forrester")
    codes = space.from_unit(sobol(1, N_FORRESTER_POINTS, seed))
    return MetaData(
        family="forrester",
        space=space,
        codes=codes,
        losses=np.array([task.objective_batch(codes)[0] for task in tasks]),
        tasks=tuple(task.name for task in tasks),
        provenance={"source": "closed form, Klein (2020, section 8.4.2) with a in [4, 8] and b in [8, 16]"},
    )


SOURCES: dict[str, Callable[[], MetaData]] = {
    "svm": _shipped("svm"),
    "fcnet": _shipped("fcnet"),
    "xgboost": _shipped("xgboost"),
    "mlp": mlp,
    "forrester": forrester,
    "curves": curves,
}
