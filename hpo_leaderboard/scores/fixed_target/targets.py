"""Targets: the losses that runs are timed to, a table with columns benchmark and target (a loss, not a regret)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from hpo_core import Benchmark
from hpo_core.errors import InvalidOption
from hpo_core.space.drawing import at, codes_at
from hpo_core.space.sobol import sobol
from hpo_leaderboard.scores.incumbents import as_incumbents, final_values

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source

N_TARGETS = 50
N_CONFIGS = 1024  # of the grid whose quantiles are targets; a power of 2, as Sobol grids are balanced there


def sobol_targets(benchmarks: Iterable[str | Benchmark], n: int | None = None, seed: int = 0) -> pandas.DataFrame:
    """Noise-free losses at the full budget of the configurations on a Sobol grid, `n` for each benchmark.

    Klein (2020), section 8.3.2, with the 100 configurations per hyperparameter of section 8.3.1 unless `n` is given.
    The grid is scrambled by `seed`. It covers the whole space, so most of these targets are easy: any optimizer meets
    half of them at once.
    """
    import pandas as pd

    parts = []
    for benchmark in _opened(benchmarks):
        size = _positive(100 * len(benchmark.space) if n is None else n)
        parts.append(pd.DataFrame({"benchmark": benchmark.name, "target": _sobol_losses(benchmark, size, seed)}))
    return pd.concat(parts, ignore_index=True)


def random_targets(benchmarks: Iterable[str | Benchmark], n: int = N_TARGETS, seed: int = 0) -> pandas.DataFrame:
    """Losses that one in k random configurations reaches, for `n` values of k from 2 to 1,024 on each benchmark.

    Quantiles of the noise-free losses at the full budget of 1,024 configurations on a Sobol grid scrambled by `seed`,
    at `n` levels 1 / k evenly spaced in their logarithm; a configuration that fails reaches none. Random search needs
    about k evaluations for such a target, so they cover the whole course of a run, and they do not depend on the
    optimizers that take part.
    """
    import pandas as pd

    levels = np.geomspace(0.5, 1 / N_CONFIGS, _positive(n))
    parts = []
    for benchmark in _opened(benchmarks):
        losses = _sobol_losses(benchmark, N_CONFIGS, seed)
        finite = np.isfinite(losses)
        quantiles = np.quantile(np.where(finite, losses, np.inf), levels, method="lower")
        targets = np.minimum(quantiles, losses[finite].max())
        parts.append(pd.DataFrame({"benchmark": benchmark.name, "target": targets}))
    return pd.concat(parts, ignore_index=True)


def _opened(benchmarks: Iterable[str | Benchmark]) -> list[Benchmark]:
    return [each if isinstance(each, Benchmark) else Benchmark(each) for each in benchmarks]


def _sobol_losses(benchmark: Benchmark, n: int, seed: int) -> np.ndarray:
    """(n,) noise-free losses of the configurations on a Sobol grid scrambled by the seed.

    What is forbidden is passed over, and the grid goes on until there are n; where little is allowed they are random.
    """
    space = benchmark.space
    if not space.forbidden:
        return benchmark.objective_batch([at(space, row) for row in sobol(len(space), n, seed).tolist()])[0]
    for size in (4 * n, 32 * n, 256 * n):
        codes = codes_at(space, sobol(len(space), size, seed))
        allowed = codes[space.allowed(codes)][:n]
        if len(allowed) == n:
            return benchmark.objective_batch(allowed)[0]
    return benchmark.objective_batch(space.sample(np.random.default_rng(seed), n))[0]


def quantile_targets(incumbents: Source, n: int = N_TARGETS) -> pandas.DataFrame:
    """Quantiles of the incumbents' losses over all runs and evaluations, `n` for each benchmark.

    Levels (i + 1/2) / n, i = 0..n-1, of the losses that incumbents ever had, which lie where runs spend their time:
    unlike a Sobol grid's they are neither met by everyone at once nor by none. Where a quantile lies between two losses
    it is the lower. They depend on the runs in the table, and so does a score made with them.
    """
    import pandas as pd

    _positive(n)
    parts = []
    for benchmark, losses in as_incumbents(incumbents).groupby("benchmark", observed=True)["loss"]:
        finite = losses[np.isfinite(losses)].to_numpy()
        if len(finite):
            targets = np.quantile(finite, (np.arange(n) + 0.5) / n, method="lower")
            parts.append(pd.DataFrame({"benchmark": benchmark, "target": targets}))
    if not parts:
        raise InvalidOption("targets need at least one successful trial, got none; look at the failures of the runs")
    return pd.concat(parts, ignore_index=True)


def final_targets(incumbents: Source, optimizer: str) -> pandas.DataFrame:
    """Median final loss of one optimizer, a target for each benchmark: what it reaches in half of its runs."""
    last = final_values(incumbents, "loss").reset_index()
    known = sorted(last["optimizer"].unique())
    if optimizer not in known:
        raise InvalidOption(f"the reference must be one of {', '.join(known)}, got {optimizer!r}")
    chosen = last[last["optimizer"] == optimizer]
    return chosen.groupby("benchmark", observed=True)["loss"].median().rename("target").reset_index()


def regret_targets(references: pandas.DataFrame, regrets: Iterable[float]) -> pandas.DataFrame:
    """Losses at the given regrets above each benchmark's reference (see `references`)."""
    steps = np.asarray(list(regrets), dtype=float)
    frame = references.loc[references.index.repeat(len(steps)), ["benchmark", "reference"]].reset_index(drop=True)
    frame["target"] = frame.pop("reference") + np.tile(steps, len(references))
    return frame


def losses_by_benchmark(targets: pandas.DataFrame) -> dict[str, np.ndarray]:
    """(target,) losses of each benchmark in a table of targets, in its order."""
    groups = targets.groupby("benchmark", observed=True)["target"]
    return {str(benchmark): losses.to_numpy(dtype=float) for benchmark, losses in groups}


def _positive(n: int) -> int:
    if n < 1:
        raise InvalidOption(f"there must be at least one target for each benchmark, got n={n}")
    return int(n)
