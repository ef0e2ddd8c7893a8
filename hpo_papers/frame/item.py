"""`Item`: one figure or table of a paper, with what is printed, the protocol, the computation and the verdict's rule.

    work  --compute-->  numbers  --verdict-->  Verdict
                                 --compare-->  rows: printed, ours, interval
                                 --draw----->  a figure of matplotlib

Numbers are plain data: dicts, lists, texts and numbers, which a JSON file can hold. All but `compute` are pure
functions of them. The rule is code that is committed before the numbers are known, and `rule` says it in words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hpo_papers.frame.work import Work

Numbers = Mapping[str, Any]
Word = Literal["reproduced", "differs", "substitute", "not possible"]
WORDS: tuple[Word, ...] = ("reproduced", "differs", "substitute", "not possible")


class Verdict(NamedTuple):
    """One of `WORDS`, and why, as a sentence with the numbers that decided."""

    word: Word
    reason: str


class Comparison(NamedTuple):
    """A number that is printed beside ours.

    what        the row
    printed     None where the paper prints none
    ours        NaN where we have none
    low, high   interval of ours, None where it has none
    digits      after the point
    """

    what: str
    printed: float | None
    ours: float
    low: float | None = None
    high: float | None = None
    digits: int = 3

    @property
    def equal(self) -> bool:
        """Whether ours, rounded as the paper rounds, is what is printed; a last digit of 5 may go either way."""
        if self.printed is None or not math.isfinite(self.ours):
            return False
        return abs(self.ours - self.printed) <= 0.5 * 10**-self.digits * (1.0 + 1e-6)

    @property
    def within(self) -> bool:
        """Whether what is printed lies in the interval of ours."""
        if self.printed is None or self.low is None or self.high is None:
            return False
        slack = 0.5 * 10**-self.digits
        return self.low - slack <= self.printed <= self.high + slack


@dataclass(frozen=True)
class Item:
    """A figure or table of a paper.

    title        its name and what it shows
    printed      what the paper prints, in words and numbers
    protocol     methods, settings, runs and evaluations, as the paper has them
    departures   where ours differs, and why; empty if nowhere
    rule         the verdict's rule in words
    compute      numbers of some work; long computations go through `work.parts`
    verdict      of the numbers
    compare      rows of the numbers to print beside the paper's
    draw         a figure of the numbers, None if there is none
    cost         CPU seconds of `compute` for a number of runs
    runs         repetitions that the paper has (the most that are computed)
    least        the fewest for which the item makes sense, for tests and short times
    switch       option of the command line that asks for it, such as "own-bounds"; empty: it belongs to the paper
    resolved     modules or packages behind names that `compute` resolves at run time, for the digest of its code
    notes        what was tried and learned, for a verdict that is not `reproduced`; written after the run
    """

    title: str
    printed: str
    protocol: str
    departures: str
    rule: str
    compute: Callable[[Work], Numbers]
    verdict: Callable[[Numbers], Verdict]
    compare: Callable[[Numbers], Sequence[Comparison]]
    draw: Callable[[Numbers], Figure] | None = None
    cost: Callable[[int], float] = lambda runs: 1.0
    runs: int = 1
    least: int = 1
    switch: str = ""
    resolved: tuple[str, ...] = ()
    notes: str = ""


def impossible(title: str, printed: str, protocol: str, why: str) -> Item:
    """An item that cannot be computed here, with the reason."""
    return Item(
        title=title,
        printed=printed,
        protocol=protocol,
        departures=why,
        rule="not possible",
        compute=lambda work: {},
        verdict=lambda numbers: Verdict("not possible", why),
        compare=lambda numbers: [],
        cost=lambda runs: 0.0,
    )


def all_equal(rows: Sequence[Comparison]) -> Verdict:
    """Reproduced if every printed number is equal to ours as printed, else differs, with the ones that do."""
    printed = [row for row in rows if row.printed is not None]
    off = [row for row in printed if not row.equal]
    if printed and not off:
        return Verdict("reproduced", f"all {len(printed)} printed numbers are equal to the last digit")
    named = "; ".join(f"{row.what}: {row.ours:.{row.digits + 1}f}, printed {row.printed}" for row in off[:6])
    return Verdict("differs", f"{len(off)} of {len(printed)} printed numbers differ: {named}")


def claims_hold(claims: Mapping[str, bool]) -> Verdict:
    """Reproduced if every claim, a sentence, is true of our numbers, else differs, with those that are not."""
    broken = [claim for claim, holds in claims.items() if not holds]
    if not broken:
        return Verdict("reproduced", "; ".join(claims))
    return Verdict("differs", f"not so: {'; '.join(broken)}")
