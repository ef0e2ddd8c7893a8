"""What may be concluded from the tests of a group, in words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hpo_leaderboard.report.figures.comparisons import TASKS
from hpo_leaderboard.report.figures.figure import ALL
from hpo_leaderboard.scores.power import ALPHA, pair_level, power

if TYPE_CHECKING:
    import pandas

LEVELS = ((0.001, "p < .001"), (0.01, "p < .01"), (ALPHA, "p < .05"))


class Conclusion(NamedTuple):
    """What may be said about an optimizer; `sentences` are in the order of importance."""

    optimizer: str
    sentences: list[str]


def conclusions(
    comparisons: pandas.DataFrame, optimizers: Sequence[str], values: pandas.Series | None = None
) -> list[Conclusion]:
    """A conclusion for each optimizer, the best mean rank first.

    `comparisons` are one-sided tests of all pairs with columns benchmark, a, b and p_holm, a being better where p_holm
    is small, on each benchmark and, where there are several, over all of them (`report.figure.ALL`). `optimizers` are
    in the order of the leaderboard. With `values`, final regrets by run, pairs that cannot be told apart come with the
    seeds that would tell them apart.
    """
    over_all = comparisons[comparisons["benchmark"] == ALL]
    each = comparisons[~comparisons["benchmark"].isin((ALL, TASKS))]
    n = each["benchmark"].nunique()
    main = over_all if len(over_all) else each
    p = {(a, b): value for a, b, value in zip(main["a"], main["b"], main["p_holm"], strict=True)}
    single = each[each["p_holm"] < ALPHA]
    wins = Counter(zip(single["a"], single["b"], strict=True))
    return [Conclusion(name, _sentences(name, optimizers, p, wins, n, values)) for name in optimizers]


def _sentences(
    name: str,
    optimizers: Sequence[str],
    p: dict[tuple[str, str], float],
    wins: Counter[tuple[str, str]],
    n_benchmarks: int,
    values: pandas.Series | None,
) -> list[str]:
    """Sentences about one optimizer.

    Parameters
    ----------
    name, optimizers
        The optimizer, and all of them in the order of the leaderboard.
    p
        Corrected p-values that the first of a pair is better.
    wins
        Benchmarks on which the first of a pair is better by a test of that benchmark alone.
    n_benchmarks
        Number of benchmarks.
    values
        Final regrets by run, None for no statement about power.
    """
    others = [other for other in optimizers if other != name]
    sentences: list[str] = []
    for bound, words in reversed(LEVELS):
        below = max((level for level, _ in LEVELS if level < bound), default=0.0)
        beaten = [other for other in others if below <= p[name, other] < bound]
        if beaten:
            listed = ", ".join(_counted(other, wins[name, other], n_benchmarks) for other in beaten)
            sentences.insert(0, f"{name} is better than {listed} ({words} after Holm's correction).")
    open_pairs = [other for other in others if min(p[name, other], p[other, name]) >= ALPHA]
    if open_pairs:
        needed = "" if values is None else _needed(name, open_pairs, values, len(optimizers))
        sentences.append(f"{name} and {_joined(open_pairs)} cannot be told apart with these runs{needed}.")
    worse = [other for other in others if p[other, name] < ALPHA]
    if worse:
        sentences.append(f"{name} is worse than {_joined(worse)}.")
    return sentences


def _needed(name: str, others: Sequence[str], values: pandas.Series, n_optimizers: int) -> str:
    """How many more seeds would tell an optimizer from others, if they differ as much as was seen."""
    found = {other: power(values, name, other, pair_level(n_optimizers)) for other in others}
    more = {other: own.seeds - own.n_seeds for other, own in found.items() if math.isfinite(own.seeds)}
    listed = ", ".join(f"{other} {max(n, 1):.0f}" for other, n in more.items())
    return f"; more seeds that would, if they differ as much as was seen: {listed}" if more else ""


def _counted(other: str, wins: int, n_benchmarks: int) -> str:
    """A name; of several benchmarks, with those on which a test of the benchmark alone shows the difference."""
    return other if n_benchmarks == 1 else f"{other} ({wins} of {n_benchmarks} benchmarks alone)"


def _joined(names: Sequence[str]) -> str:
    """Names in a sentence: `a`, `a or b`, `a, b or c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
