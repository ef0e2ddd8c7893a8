"""What a list says about benchmarks without opening them.

A family of benchmarks (`hpo_core.names`) may have a third member beside `listing` and `make`:

    facts(name) -> BenchmarkFacts       what is known of a listed name at no cost
"""

from __future__ import annotations

from typing import NamedTuple

from hpo_core.names import BENCHMARKS
from hpo_core.plugins import plugins


class BenchmarkFacts(NamedTuple):
    """Facts about a benchmark, None where one is not known.

    budgets    the first and the last one
    optimum    whether the lowest loss is known
    curves     whether every budget up to the last was recorded or can be computed
    extra      extra of the distribution that is needed to use it, "" for none
    group      the name under which a short list shows it together with others like it, "" for none
    """

    budgets: tuple[float, float] | None = None
    optimum: bool | None = None
    curves: bool | None = None
    extra: str | None = None
    group: str = ""


def facts_of(family: str, name: str) -> BenchmarkFacts:
    """Facts about a benchmark of a family; those of a family that states none are unknown."""
    members = {plugin.name: plugin.loaded for plugin in plugins(BENCHMARKS)}
    describe = getattr(members[family], "facts", None)
    return BenchmarkFacts() if describe is None else describe(name)
