"""What may be concluded from the tests of a group, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from hpo_leaderboard.report.comparison_figures import TASKS
from hpo_leaderboard.report.figure import ALL

if TYPE_CHECKING:
    import pandas

ALPHA = 0.05
LEVELS = ((0.001, "p < .001"), (0.01, "p < .01"), (ALPHA, "p < .05"))


class Conclusion(NamedTuple):
    """What may be said about an optimizer; `sentences` are in the order of importance."""

    optimizer: str
    sentences: list[str]


def conclusions(comparisons: pandas.DataFrame, optimizers: Sequence[str]) -> list[Conclusion]:
    """A conclusion for each optimizer, the best mean rank first.

    `comparisons` are one-sided tests of all pairs with columns benchmark, a, b and p_holm, a being better where p_holm
    is small, on each benchmark and, where there are several, over all of them (`report.figure.ALL`). `optimizers` are
    in the order of the leaderboard.
    """
    over_all = comparisons[comparisons["benchmark"] == ALL]
    each = comparisons[~comparisons["benchmark"].isin((ALL, TASKS))]
    n = each["benchmark"].nunique()
    main = over_all if len(over_all) else each
    p = {(a, b): value for a, b, value in zip(main["a"], main["b"], main["p_holm"], strict=True)}
    single = each[each["p_holm"] < ALPHA]
    wins = Counter(zip(single["a"], single["b"], strict=True))
    return [Conclusion(name, _sentences(name, optimizers, p, wins, n)) for name in optimizers]


def _sentences(
    name: str,
    optimizers: Sequence[str],
    p: dict[tuple[str, str], float],
    wins: Counter[tuple[str, str]],
    n_benchmarks: int,
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
        sentences.append(f"{name} and {_joined(open_pairs)} cannot be told apart with these runs.")
    worse = [other for other in others if p[other, name] < ALPHA]
    if worse:
        sentences.append(f"{name} is worse than {_joined(worse)}.")
    return sentences


def _counted(other: str, wins: int, n_benchmarks: int) -> str:
    """A name; of several benchmarks, with those on which a test of the benchmark alone shows the difference."""
    return other if n_benchmarks == 1 else f"{other} (by itself on {wins} of {n_benchmarks})"


def _joined(names: Sequence[str]) -> str:
    """Names in a sentence: `a`, `a or b`, `a, b or c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
