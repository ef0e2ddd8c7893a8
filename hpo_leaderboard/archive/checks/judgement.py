"""The verdict about an archive of which runs were run again: bits where they are bound, a test where they are not.

Where the last bits of a method depend on the processor (`archive.checks.processors`), a run that is run again elsewhere
is another run of the same method with the same seed. If nothing was altered, it is as likely that the one is the better
one as that the other is, so the signs of the differences of the final losses are fair coins: Wilcoxon's signed-rank
statistic over all signs has an exact distribution. The test of each optimizer is two-sided, and Holm's correction keeps
the chance of any false alarm at `ALPHA` for the whole archive. It takes 8 such runs of an optimizer to find anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from hpo_leaderboard.archive.checks.rerunning import ALTERED, DIFFERS, OTHER_BITS, CheckedEntry
from hpo_leaderboard.archive.packed.contents import Archive
from hpo_leaderboard.scores.comparisons import holm

ALPHA = 0.01  # chance that a sound archive fails the tests
MOST_EXACT = 14  # differences up to which all signs are tried
N_FLIPS = 20_000  # random signs for more
ROUNDING = 1e-6  # of a loss


class Tested(NamedTuple):
    """An optimizer whose bits differ here: how many runs do, and the corrected p-value of the test of their losses."""

    optimizer: str
    n_runs: int
    p: float


class Judgement(NamedTuple):
    """What was found: entries that are wrong, tests of what may differ, and whether the archive holds."""

    wrong: list[CheckedEntry]
    tests: list[Tested]
    holds: bool


def judge(archive: Archive, checked: Iterable[CheckedEntry]) -> Judgement:
    """The verdict about the entries of an archive that were checked."""
    all_checked = list(checked)
    wrong = [each for each in all_checked if each.outcome in (ALTERED, DIFFERS)]
    pairs: dict[str, list[tuple[float, float]]] = {}
    for each in all_checked:
        if each.outcome == OTHER_BITS:
            pairs.setdefault(archive.said(each.row)["optimizer"]["label"], []).append(each.values)
    p_values = [signed_rank_test(np.array(own)) for own in pairs.values()]
    corrected = holm(np.array(p_values)) if p_values else np.empty(0)
    tests = [Tested(name, len(own), float(p)) for (name, own), p in zip(pairs.items(), corrected, strict=True)]
    return Judgement(wrong, tests, not wrong and all(test.p >= ALPHA for test in tests))


def signed_rank_test(pairs: np.ndarray, seed: int = 0) -> float:
    """Two-sided p-value of (n, 2) values under the hypothesis that the two of each pair may be exchanged.

    T = |sum_i s_i r_i|, r_i the rank of |x_i - y_i|, over all signs s, Wilcoxon (1945), or over random ones for many
    pairs. Pairs that differ by no more than `ROUNDING` say nothing: a loss that is computed may always be rounded the
    same way. 1 if there are no others.
    """
    from scipy.stats import rankdata

    with np.errstate(invalid="ignore"):
        largest = np.finfo(float).max
        differences = np.nan_to_num(pairs[:, 0] - pairs[:, 1], nan=0.0, posinf=largest, neginf=-largest)
        scale = np.where(np.isfinite(pairs), np.abs(pairs), 0.0).max(axis=1)
        alike = np.abs(differences) <= ROUNDING * scale
    differences = differences[~alike & (differences != 0)]
    n = len(differences)
    if n == 0:
        return 1.0
    ranks = rankdata(np.abs(differences))
    observed = abs(np.sum(np.sign(differences) * ranks))
    if n <= MOST_EXACT:
        signs = np.array(list(product((-1, 1), repeat=n)))
        return float(np.mean(np.abs(signs @ ranks) >= observed))
    signs = np.random.default_rng(seed).choice((-1, 1), size=(N_FLIPS, n))
    return float((1 + np.sum(np.abs(signs @ ranks) >= observed)) / (1 + N_FLIPS))


def unverified(archive: Archive, checked: Sequence[CheckedEntry]) -> list[str]:
    """Labels of the optimizers of which no run could be run again here, sorted."""
    seen = {each.row: each.outcome for each in checked}
    labels = {row: archive.said(row)["optimizer"]["label"] for row in seen}
    ran = {labels[row] for row, outcome in seen.items() if outcome in ("equal", DIFFERS, OTHER_BITS)}
    return sorted(set(labels.values()) - ran)
