"""`ScoredTargets`: the losses that the runs of a group are timed to, as the suite's scoring asks for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hpo_core import Benchmark
from hpo_core.names import needs_import
from hpo_leaderboard.experiments.identity import open_benchmark
from hpo_leaderboard.scores.fixed_target.targets import N_TARGETS, quantile_targets, random_targets, sobol_targets

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.experiments.scoring import Targets

Members = Mapping[str, tuple[str, Mapping[str, Any]]]
WORDS = {
    "quantiles": (
        "{n} losses for each benchmark, from one that every second random configuration reaches to one that a "
        "thousandth of them does; they do not depend on the optimizers compared"
    ),
    "sobol": (
        "for each benchmark the noise-free losses of configurations on a Sobol grid over the whole space (Klein, 2020, "
        "section 8.3.2); they do not depend on the optimizers compared"
    ),
    "fixed": "the losses that the suite states",
}


class ScoredTargets(NamedTuple):
    """A table with columns benchmark and target, and in words where its losses come from."""

    table: pandas.DataFrame
    words: str


def make_targets(
    asked: Targets, incumbents: pandas.DataFrame, members: Members, imports: Collection[str] = ()
) -> ScoredTargets:
    """Targets for the benchmarks of a table of incumbents.

    `members` are name and options of each benchmark by the label it is shown under, for those that are not shown by
    their name; `imports` are the `MODULE:ATTRIBUTE` among them that may be imported, since a store may name anything. A
    benchmark that may not or cannot be opened, that fails, whose noise-free losses take long, or for which no fixed
    losses are stated, has quantiles of the incumbents' losses instead; those depend on who takes part, and the words
    say so.
    """
    import pandas as pd

    names = [str(name) for name in incumbents["benchmark"].unique()]
    tables = {name: _of_benchmark(name, asked, members, imports) for name in names}
    words = WORDS[asked.kind].format(n=asked.n or N_TARGETS)
    missing = sorted(name for name, own in tables.items() if own is None)
    parts = [own for own in tables.values() if own is not None]
    if missing:
        observed = f"{N_TARGETS} quantiles of the losses that incumbents had; those depend on the optimizers compared"
        where = f"for {', '.join(missing)} " if parts else ""
        words = f"{words}; {where}{observed}" if parts else observed
        parts.append(quantile_targets(incumbents[incumbents["benchmark"].isin(missing)]))
    return ScoredTargets(pd.concat(parts, ignore_index=True), words)


def _of_benchmark(name: str, asked: Targets, members: Members, imports: Collection[str]) -> pandas.DataFrame | None:
    import pandas as pd

    if asked.kind == "fixed":
        losses = asked.values.get(name)
        return None if losses is None else pd.DataFrame({"benchmark": name, "target": losses})
    benchmark = _cheap(*members.get(name, (name, {})), imports)
    if benchmark is None:
        return None
    try:
        if asked.kind == "sobol":
            return sobol_targets([benchmark], asked.n, asked.seed).assign(benchmark=name)
        return random_targets([benchmark], asked.n or N_TARGETS, asked.seed).assign(benchmark=name)
    except Exception:
        return None  # a problem may fail on some configurations, in any way


def _cheap(name: str, options: Mapping[str, Any], imports: Collection[str]) -> Benchmark | None:
    """A benchmark, if it may be and can be opened here and its noise-free losses take little time."""
    if needs_import(name) and name not in imports:
        return None
    try:
        benchmark = open_benchmark(name, options).benchmark
    except Exception:
        return None  # the store may come from another machine, or from somebody who writes nonsense into it
    return benchmark if benchmark.noise_free_is_cheap else None
