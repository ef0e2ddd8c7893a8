"""Which benchmark for which question: facts of every family, and how far their conclusions agree.

    python scripts/compare_families.py --store families.sqlite [--instances 6] [--seeds 4] [--trials 100] [--write]

Prints tables, which `--write` puts into docs/choosing.md. The first has a row per family: its space, budgets, noise,
source and licence, the time of an evaluation, and how hard it is. Losses are put on one scale for that: 0 is the lowest
loss known (the optimum, or the lowest of 20,000 random configurations and all runs), 1 the median of random ones.

    easy     share of random configurations below .05 on that scale
    rs 100   expected lowest value of 100 random configurations

The others come from runs of eight optimizers on some instances of each family: the rank correlation (Spearman) between
the mean ranks of the optimizers on two families, and within a family that between two halves of its runs, which is as
much as can be expected of two families. Runs are kept in the store, so the script can be stopped and called again.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: matrices are small

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from hpo_core import Benchmark, benchmarks
from hpo_core.errors import HpoError
from hpo_core.space.hyperparameters import Choice
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.scores.incumbents import final_values, incumbents
from hpo_leaderboard.scores.ranks import average_ranks
from hpo_leaderboard.store.store import reading

PAGE = Path(__file__).parent.parent / "docs" / "choosing.md"
OPTIMIZERS: list[Any] = [
    "rs",
    {"name": "re", "label": "re", "options": {"population": 20, "tournament": 5}},
    "de",
    "cmaes",
    "tpe",
    "tpe-univariate",
    "gp",
    "bore",
]
N_RANDOM = 20_000
EASY = 0.05
WIDEST = 16  # hyperparameters; 1 is too few for some optimizers, and hundreds too many for a Gaussian process
TRAINED = "trained"  # its evaluations take seconds, so nothing is measured of it
OWN = ("imported", "surrogates")  # what a user of this machine made


def families() -> dict[str, list[str]]:
    """Names of the benchmarks of each family; instances of one prefix, `lcbench/...`, are a family of their own."""
    found: dict[str, list[str]] = {}
    for name, listing in benchmarks().items():
        if listing.family in OWN:
            continue
        found.setdefault(name.partition("/")[0] if "/" in name else listing.family, []).append(name)
    return found


def sampled(family: str, names: list[str], n: int) -> list[str]:
    """Some instances of a family, evenly spread; numbered tasks of a meta-model are listed by their first only."""
    if family.startswith("profet-"):
        return [f"{family}/{i}" for i in range(n)]
    names = [name for name in names if 1 < len(Benchmark(name).space) <= WIDEST]
    places = np.unique(np.linspace(0, len(names) - 1, n).round().astype(int))
    return [names[i] for i in places]


def scaled_losses(benchmark: Benchmark, lowest: float | None) -> np.ndarray:
    """Losses of random configurations, 0 the lowest known and 1 their median; failed ones are infinite."""
    size = benchmark.space.size
    if size <= N_RANDOM:
        codes = benchmark.space.encode(list(benchmark.space.configs()))
    else:
        codes = benchmark.space.encode(benchmark.space.sample(np.random.default_rng(0), N_RANDOM))
    losses = np.nan_to_num(benchmark.objective_batch(codes)[0], nan=np.inf)
    known = [value for value in (benchmark.optimum, lowest, losses.min()) if value is not None]
    best, middle = min(known), np.median(losses[np.isfinite(losses)])
    return (losses - best) / (middle - best) if middle > best else np.zeros(len(losses))


def expected_lowest(values: np.ndarray, n: int) -> float:
    """Expected lowest of n draws with replacement: the mean of the order statistics' differences of survival."""
    ordered = np.sort(values[np.isfinite(values)])
    share = np.arange(len(ordered), 0, -1) / len(ordered)
    chance = share**n - np.append(share[1:], 0.0) ** n
    return float(chance @ ordered)


def microseconds(benchmark: Benchmark) -> float:
    """CPU time of an evaluation, best of five blocks."""
    configs = benchmark.space.sample(np.random.default_rng(1), 50)
    times = []
    for _ in range(5):
        start = time.process_time()
        for config in configs:
            benchmark.objective(config, seed=1)
        times.append((time.process_time() - start) / len(configs))
    return 1e6 * min(times)


def is_noisy(benchmark: Benchmark) -> bool:
    """Whether the seed changes a loss."""
    configs = benchmark.space.sample(np.random.default_rng(2), 10)
    return any(len({benchmark.objective(config, seed=s).loss for s in range(4)}) > 1 for config in configs)


def has_test_loss(benchmark: Benchmark) -> bool:
    configs = benchmark.space.sample(np.random.default_rng(3), 20)
    return any("test_loss" in benchmark.objective(config, seed=0).info for config in configs)


def facts(family: str, names: list[str], chosen: list[str], lowest: dict[str, float]) -> dict[str, str]:
    """The row of a family in the first table."""
    opened = [Benchmark(name) for name in chosen]
    first = opened[0]
    scaled = [scaled_losses(b, lowest.get(b.name)) for b in opened]
    numeric = sum(not isinstance(h, Choice) or h.kind == "ordinal" for h in first.space)
    sizes = {b.space.size for b in opened}
    size = f"{int(min(sizes)):,}" if len(sizes) == 1 and np.isfinite(min(sizes)) else "many"
    kind = " (listed)" if first.space.listed is not None else " (conditional)" if first.space.conditional else ""
    several = len(first.budgets) > 1
    return {
        "family": f"`{family}`",
        "tasks": "unlimited" if family.startswith("profet-") else f"{len(names)}",
        "numeric + categorical": f"{numeric} + {len(first.space) - numeric}{kind}",
        "configurations": "continuous" if np.isinf(min(sizes)) else size,
        "budgets": f"{first.budgets[0]:.3g} .. {first.budgets[-1]:.5g}" if several else "one",
        "noise": "yes" if is_noisy(first) else "no",
        "test loss": "yes" if has_test_loss(first) else "no",
        "us": f"{np.median([microseconds(b) for b in opened]):.0f}",
        "easy": f"{np.mean([np.mean(values < EASY) for values in scaled]):.3f}",
        "rs 100": f"{np.mean([expected_lowest(values, 100) for values in scaled]):.3f}",
        "source": str(first.provenance.get("paper", first.provenance["source"])).partition(",")[0],
        "licence": str(first.provenance.get("licence", "Apache-2.0, this project")),
    }


def trained_row(names: list[str]) -> dict[str, str]:
    return {"family": "`cv-*`", "tasks": f"{len(names)}", "source": "trained on demand", "us": "seconds"}


def final_regrets(store: Path) -> pd.Series:
    """Regret of every run at its end, by benchmark, optimizer and seed."""
    with reading(store) as opened:
        frames = opened.frames(configs=False)
    return final_values(incumbents(frames.trials, frames.tasks), "regret")


def mean_ranks(values: pd.Series) -> pd.Series:
    ranks = average_ranks(values.to_frame("end"))
    return ranks.set_index("optimizer")["rank"]


def halves(values: pd.Series) -> float:
    """Rank correlation between the mean ranks of runs with even and with odd seeds."""
    seeds = values.index.get_level_values("seed")
    a, b = (mean_ranks(values[seeds % 2 == part]) for part in (0, 1))
    return float(a.corr(b, method="spearman"))


def by_family(values: pd.Series, chosen: dict[str, list[str]]) -> dict[str, pd.Series]:
    names = values.index.get_level_values("benchmark")
    return {family: values[names.isin(own)] for family, own in chosen.items() if names.isin(own).any()}


def agreement(parts: dict[str, pd.Series], ranks: pd.DataFrame) -> pd.DataFrame:
    """Rank correlations between families, and on the diagonal between two halves of the runs of one."""
    correlations = ranks.corr(method="spearman")
    for family, values in parts.items():
        correlations.loc[family, family] = halves(values)
    return correlations.round(2).rename_axis("family")


def run_all(chosen: dict[str, list[str]], options: argparse.Namespace) -> None:
    """Run what the store does not hold; families with few instances get more seeds of each."""
    by_seeds: dict[int, list[str]] = {}
    for names in chosen.values():
        by_seeds.setdefault(-(-options.runs // len(names)), []).extend(names)
    for n_seeds, names in by_seeds.items():
        suite = make_suite(f"families-{n_seeds}", names, OPTIMIZERS, n_seeds=n_seeds, n_trials=options.trials)
        run_experiment(suite, options.store, make_engine("serial"), announce=print)


def lowest_losses(store: Path) -> dict[str, float]:
    """Lowest noise-free loss of any run on each benchmark."""
    with reading(store) as opened:
        trials = opened.frames(configs=False).trials
    return trials.groupby("benchmark", observed=True)["exact"].min().dropna().to_dict()


def markdown(frame: pd.DataFrame, index: bool = False) -> str:
    """A Markdown table."""
    shown = frame.reset_index() if index else frame
    lines = [list(map(str, shown.columns)), ["---"] * len(shown.columns), *shown.fillna("").astype(str).values.tolist()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def put(marker: str, table: str) -> None:
    """Replace what stands between two markers of the page."""
    text = PAGE.read_text()
    begin, end = f"<!-- {marker} -->", f"<!-- end {marker} -->"
    head, tail = text.split(begin)[0], text.split(end)[1]
    PAGE.write_text(f"{head}{begin}\n{table}\n{end}{tail}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("families.sqlite"), help="where runs are kept")
    parser.add_argument("--instances", type=int, default=24, help="of each family, at most (default 24)")
    parser.add_argument("--runs", type=int, default=72, help="of each optimizer on each family, at least (default 72)")
    parser.add_argument("--trials", type=int, default=50, help="evaluations of a run (default 50)")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/choosing.md")
    options = parser.parse_args()
    listed = families()
    chosen = {f: sampled(f, names, options.instances) for f, names in listed.items() if f != TRAINED}
    run_all(chosen, options)
    lowest = lowest_losses(options.store)
    rows = [facts(family, listed[family], names, lowest) for family, names in chosen.items()]
    first = pd.DataFrame([*rows, trained_row(listed[TRAINED])])
    parts = by_family(final_regrets(options.store), chosen)
    ranks = pd.DataFrame({family: mean_ranks(values) for family, values in parts.items()})
    tables = {
        "families": markdown(first),
        "agreement": markdown(agreement(parts, ranks), index=True),
        "ranks": markdown(ranks.T.round(1).rename_axis("family"), index=True),
    }
    for marker, table in tables.items():
        print(f"\n{marker}\n{table}")
        if options.write:
            put(marker, table)


if __name__ == "__main__":
    try:
        main()
    except HpoError as error:
        raise SystemExit(f"error: {error}") from None
