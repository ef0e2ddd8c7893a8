"""`ScoredTargets`: the losses that the runs of a group are timed to, as the suite's scoring asks for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hpo_core import Benchmark
from hpo_core.errors import HpoError
from hpo_leaderboard.scores.fixed_target.targets import N_TARGETS, quantile_targets, sobol_targets

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.experiments.scoring import Targets


class ScoredTargets(NamedTuple):
    """A table with columns benchmark and target, and in words where its losses come from."""

    table: pandas.DataFrame
    words: str


def make_targets(
    asked: Targets, incumbents: pandas.DataFrame, members: Mapping[str, tuple[str, Mapping[str, Any]]]
) -> ScoredTargets:
    """Targets for the benchmarks of a table of incumbents.

    `members` are name and options of each benchmark by the label it is shown under; the kind `sobol` opens them. Where
    that fails, or `fixed` values are missing, a benchmark has quantiles, and the words say so.
    """
    import pandas as pd

    benchmarks = [str(name) for name in incumbents["benchmark"].unique()]
    if asked.kind == "quantiles":
        return _quantiles(incumbents, asked.n or N_TARGETS)
    if asked.kind == "fixed":
        known = {name: list(asked.values[name]) for name in benchmarks if name in asked.values}
        rows = [(name, loss) for name, losses in known.items() for loss in losses]
        table, words = pd.DataFrame(rows, columns=["benchmark", "target"]), "the losses that the suite states"
    else:
        tables = {name: _sobol(name, asked, members) for name in benchmarks}
        parts = [own for own in tables.values() if own is not None]
        table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"benchmark": [], "target": []})
        words = (
            "for each benchmark the noise-free losses of configurations on a Sobol grid over the whole space (Klein, "
            "2020, section 8.3.2); they do not depend on the optimizers compared"
        )
    return _completed(ScoredTargets(table, words), incumbents, benchmarks)


def _sobol(name: str, asked: Targets, members: Mapping[str, tuple[str, Mapping[str, Any]]]) -> pandas.DataFrame | None:
    named, options = members.get(name, (name, {}))
    try:
        return sobol_targets([Benchmark(named, **options)], asked.n, asked.seed).assign(benchmark=name)
    except (HpoError, ImportError, OSError):
        return None  # not installed here: the store may come from another machine


def _quantiles(incumbents: pandas.DataFrame, n: int) -> ScoredTargets:
    words = (
        f"{n} losses for each benchmark, quantiles of the losses that incumbents of any run in this group had, from "
        "easy to hard; they depend on the optimizers compared"
    )
    return ScoredTargets(quantile_targets(incumbents, n), words)


def _completed(made: ScoredTargets, incumbents: pandas.DataFrame, benchmarks: Collection[str]) -> ScoredTargets:
    """The targets, and quantiles for the benchmarks that have none."""
    import pandas as pd

    missing = sorted(set(benchmarks) - set(made.table["benchmark"]))
    if not missing:
        return made
    others = _quantiles(incumbents[incumbents["benchmark"].isin(missing)], N_TARGETS)
    table = pd.concat([made.table, others.table], ignore_index=True)
    return ScoredTargets(table, f"{made.words}; for {', '.join(missing)}, which have none, {others.words}")
