"""Whether families of benchmarks lead to the same conclusions about optimizers, for `scripts/compare_families.py`.

    r_ijo    rank of optimizer o among all by its final regret, on instance i with seed j; ties share the mean rank
    r_o      mean of r_ijo over the seeds of an instance, then over the instances of the family

    agreement      Spearman's correlation of the r_o of two families
    reliability    what the agreement of a family with an equally large sample of itself would be: instances (of one
                   with fewer than four, its runs) are split in halves at random, the correlation c between the halves
                   is averaged over many splits, and 2 c / (1 + c) is that of the whole (Spearman, 1910; Brown, 1910)

Two families with reliabilities a and b can be expected to agree no better than sqrt(a b). Intervals are percentiles of
bootstrap samples over the instances of both sides. The optimizers are not a sample: with others the figures change.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import rankdata

N_SPLITS = 400
N_SAMPLES = 1000
LEVEL = 0.9
LEAST = 0.5  # reliability of a family that takes part in comparisons
FEW = 4  # instances below which runs are split instead

Ranks = dict[str, pd.DataFrame]  # by family: a row per unit that is resampled, a column per optimizer


def unit_ranks(regrets: pd.Series) -> pd.DataFrame:
    """Mean ranks of the optimizers on each instance of a family, or for few instances in each run."""
    ranks = regrets.unstack("optimizer").dropna().rank(axis=1)
    by_instance = ranks.groupby(level="benchmark", observed=True).mean()
    return by_instance if len(by_instance) >= FEW else ranks


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    """Rank correlation of two vectors, 0 where one of them is constant."""
    x, y = rankdata(a), rankdata(b)
    return float(np.corrcoef(x, y)[0, 1]) if np.ptp(x) > 0 and np.ptp(y) > 0 else 0.0


def reliability(ranks: pd.DataFrame, seed: int = 0) -> float:
    """Expected agreement of a family with another sample of itself of the same size."""
    rng, rows = np.random.default_rng(seed), ranks.to_numpy()
    half = len(rows) // 2
    found = []
    for _ in range(N_SPLITS):
        order = rng.permutation(len(rows))
        found.append(spearman(rows[order[:half]].mean(axis=0), rows[order[half:]].mean(axis=0)))
    c = max(float(np.mean(found)), 0.0)
    return 2 * c / (1 + c)


def mean_ranks(ranks: Ranks) -> pd.DataFrame:
    """Mean rank of each optimizer (columns) on each family (rows)."""
    return pd.DataFrame({family: rows.mean() for family, rows in ranks.items()}).T.rename_axis("family")


def agreement(ranks: Ranks) -> pd.DataFrame:
    """Agreement of all pairs of families."""
    return mean_ranks(ranks).T.corr(method="spearman")


def with_the_rest(ranks: Ranks, family: str, others: list[str], seed: int = 0) -> tuple[float, float, float]:
    """Agreement of a family with the mean of others, and its interval."""
    rng = np.random.default_rng(seed)
    rest = [ranks[other].to_numpy() for other in others if other != family]
    own = ranks[family].to_numpy()

    def drawn(rows: np.ndarray) -> np.ndarray:
        return rows[rng.integers(len(rows), size=len(rows))].mean(axis=0)

    samples = [spearman(drawn(own), np.mean([drawn(rows) for rows in rest], axis=0)) for _ in range(N_SAMPLES)]
    low, high = np.quantile(samples, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return spearman(own.mean(axis=0), np.mean([rows.mean(axis=0) for rows in rest], axis=0)), float(low), float(high)


def family_table(ranks: Ranks) -> pd.DataFrame:
    """A row per family: its reliability, how it agrees with the rest, which it agrees with most and least.

    Families below the least reliability have no such figures, and are in nobody else's.
    """
    reliabilities = {family: reliability(rows) for family, rows in ranks.items()}
    reliable = [family for family, value in reliabilities.items() if value >= LEAST]
    pairs = agreement(ranks)
    rows = []
    for family, value in reliabilities.items():
        row = {"family": f"`{family}`", "reliability": f"{value:.2f}"}
        if family in reliable:
            found, low, high = with_the_rest(ranks, family, reliable)
            others = pairs.loc[family, [other for other in reliable if other != family]]
            row |= {"with the rest": f"{found:.2f}", "90 %": f"{low:.2f} to {high:.2f}"}
            row |= {"most like": _named(others.idxmax(), others.max())}
            row |= {"least like": _named(others.idxmin(), others.min())}
        rows.append(row)
    return pd.DataFrame(rows)


def _named(family: str, value: float) -> str:
    return f"`{family}` {value:.2f}"


def group_table(ranks: Ranks, groups: Mapping[str, list[str]]) -> pd.DataFrame:
    """Mean agreement of the reliable families of two groups; on the diagonal of different families of one."""
    reliable = {family for family, rows in ranks.items() if reliability(rows) >= LEAST}
    pairs = agreement(ranks)
    members = {group: [family for family in own if family in reliable] for group, own in groups.items()}
    cells = {
        a: {b: [pairs.loc[x, y] for x in members[a] for y in members[b] if x != y] for b in members} for a in members
    }
    shown = {a: {b: f"{np.mean(found):.2f}" if found else "" for b, found in row.items()} for a, row in cells.items()}
    return pd.DataFrame(shown).T.rename_axis("")
