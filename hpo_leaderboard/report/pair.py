"""Two optimizers against each other, on every benchmark that both ran on and over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpo_core.errors import InvalidOption, UnknownName, nearest
from hpo_leaderboard.report.figures.figure import ALL
from hpo_leaderboard.scores.comparisons import mann_whitney, stratified_mann_whitney
from hpo_leaderboard.scores.incumbents import final_values
from hpo_leaderboard.scores.over_tasks import ROPE, bayesian_signed_rank, hierarchical_bootstrap
from hpo_leaderboard.scores.power import ALPHA, pair_level, power

if TYPE_CHECKING:
    import pandas

COLUMNS = ["benchmark", "n_a", "n_b", "median_a", "median_b", "effect", "effect_low", "effect_high", "p", "p_holm"]


def compare_pair(incumbents: pandas.DataFrame, a: str, b: str) -> pandas.DataFrame:
    """Comparison of the final regrets of a and b: a row per benchmark, then one over all if there are several.

    n_a, n_b             runs
    median_a, median_b   median final regrets; NaN over all benchmarks, whose regrets have no common scale
    effect               probability that a run of a beats one of b, ties counting half; effect_low, effect_high its
                         95 % bootstrap interval
    p, p_holm            two-sided Mann-Whitney test, over all benchmarks van Elteren's; p_holm is corrected for all
                         pairs of optimizers that ran there, since whoever picks a pair has seen the others
    """
    import pandas as pd

    final = final_values(incumbents)
    known = sorted(set(final.index.get_level_values("optimizer")))
    for name in (a, b):
        if name not in known:
            raise UnknownName(f"the store has no runs of {name!r}{nearest(name, known)}")
    if a == b:
        raise InvalidOption(f"a comparison takes two different optimizers, got {a!r} twice")
    medians = final.groupby(level=["benchmark", "optimizer"], observed=True).median().unstack("optimizer")
    common = medians[[a, b]].dropna().index
    if common.empty:
        raise InvalidOption(f"{a!r} and {b!r} never ran on the same benchmark, so they cannot be compared")
    values = final[final.index.get_level_values("benchmark").isin(common)]
    rows = _of_pair(mann_whitney(values), a, b).set_index("benchmark")
    rows["median_a"], rows["median_b"] = medians[a], medians[b]
    rows = rows.reset_index()
    if len(common) > 1:
        over_all = _of_pair(stratified_mann_whitney(values), a, b)
        over_all = over_all.assign(benchmark=ALL, n_a=rows["n_a"].sum(), n_b=rows["n_b"].sum())
        rows = pd.concat([rows, over_all], ignore_index=True)
    return rows[COLUMNS]


def _of_pair(comparisons: pandas.DataFrame, a: str, b: str) -> pandas.DataFrame:
    """Rows of a pair, turned round where the table has it the other way round."""
    straight = comparisons[(comparisons["a"] == a) & (comparisons["b"] == b)]
    if len(straight):
        return straight
    turned = comparisons[(comparisons["a"] == b) & (comparisons["b"] == a)]
    turned = turned.rename(columns={"n_a": "n_b", "n_b": "n_a"})
    ends = {"effect_low": 1 - turned["effect_high"], "effect_high": 1 - turned["effect_low"]}
    return turned.assign(effect=1 - turned["effect"], **ends)


def verdict(incumbents: pandas.DataFrame, a: str, b: str) -> list[str]:
    """Sentences about a and b: the test over all benchmarks, other benchmarks like them, practical equivalence, power.

    On the benchmarks that both ran on; `incumbents` as for `compare_pair`.
    """
    every = final_values(incumbents)
    final = every[every.index.get_level_values("optimizer").isin((a, b))]
    row = compare_pair(incumbents, a, b).iloc[-1]
    where = "over all benchmarks" if row["benchmark"] == ALL else f"on {row['benchmark']}"
    better, worse = (a, b) if row["effect"] >= 0.5 else (b, a)
    told = row["p_holm"] < ALPHA
    lines = [
        f"{better} is better than {worse} {where} (p = {row['p_holm']:.2g}, corrected)."
        if told
        else f"{a} and {b} cannot be told apart {where} with these runs (p = {row['p_holm']:.2g}, corrected)."
    ]
    if row["benchmark"] == ALL:
        lines += _beyond(incumbents, final, a, b)
    if not told:
        alpha = pair_level(every.index.get_level_values("optimizer").nunique())  # p is corrected for all pairs
        lines.append(f"If they differ as much as was seen: {power(final, a, b, alpha)}")
    return lines


def _beyond(incumbents: pandas.DataFrame, final: pandas.Series, a: str, b: str) -> list[str]:
    """Sentences about other benchmarks like these."""
    chance = _of_pair(hierarchical_bootstrap(final).rename(columns={"low": "effect_low", "high": "effect_high"}), a, b)
    relative = final_values(incumbents, "relative")
    both = relative[relative.index.get_level_values("optimizer").isin((a, b))]
    posterior = bayesian_signed_rank(both).iloc[0]
    shares = {posterior["a"]: posterior["a_better"], posterior["b"]: posterior["b_better"]}
    effect, low, high = chance.iloc[0][["effect", "effect_low", "effect_high"]]
    return [
        f"On another benchmark like these a run of {a} beats one of {b} with probability {effect:.2f} "
        f"[{low:.2f}, {high:.2f}] (bootstrap over runs and benchmarks).",
        f"Probabilities by the Bayesian signed-rank test: {a} better {shares[a]:.2f}, practically equivalent "
        f"{posterior['equivalent']:.2f}, {b} better {shares[b]:.2f} (equivalent: medians within {ROPE:g} of a first "
        "incumbent's regret).",
    ]
