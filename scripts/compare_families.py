"""Which benchmark for which question: facts of every family, and how far their conclusions agree.

    python scripts/compare_families.py --store families.sqlite [--instances 24] [--runs 24] [--trials 50] [--write]

Prints tables, which `--write` puts into docs/choosing.md: facts about every family (`scripts/family_facts.py`), and
what runs of eight optimizers on some instances of each family say (`scripts/family_agreement.py`). Runs are kept in the
store, so the script can be stopped and called again, and more runs be added.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: matrices are small

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from family_agreement import family_table, group_table, mean_ranks, unit_ranks
from family_facts import description, difficulty
from page_tables import DOCS, markdown, put

from hpo_core import Benchmark, benchmarks
from hpo_core.errors import HpoError
from hpo_core.problems.problem import Problem
from hpo_core.problems.wrappers import with_budgets
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.scores.incumbents import final_values, incumbents
from hpo_leaderboard.store.store import reading

PAGE = DOCS / "choosing.md"
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
WIDEST = 16  # hyperparameters; 1 is too few for some optimizers, and hundreds too many for a Gaussian process
TRAINED = "trained"  # its evaluations take seconds, so nothing is measured of it
N_MEASURED = 8  # instances of a family whose difficulty is measured
GROUPS = {
    "functions": ["functions", "bbob", "bbob-mixint", "counting-ones"],
    "tables of networks": ["fcnet", "mini", "mlp", "nb201", "nas-graph", "taskset", "deepar"],
    "tables of trees": ["openml-rf", "openml-adaboost", "xgboost-tables"],
    "surrogates": ["lcbench", "rbv2-xgboost", "rbv2-rpart", "iaml-glmnet", "taskset-surrogate"],
    "generated": ["profet-curves", "profet-fcnet", "profet-svm", "profet-xgboost"],
}
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


def n_tasks(family: str, names: list[str]) -> str:
    return "unlimited" if family.startswith("profet-") else f"{len(names)}"


def trained_row(names: list[str]) -> dict[str, str]:
    return {"family": "`cv-*`", "tasks": f"{len(names)}", "source": "trained on demand, seconds for an evaluation"}


def final_regrets(store: Path) -> pd.Series:
    """Regret of every run at its end, by benchmark, optimizer and seed."""
    with reading(store) as opened:
        frames = opened.frames(configs=False)
    return final_values(incumbents(frames.trials, frames.tasks), "regret")


def by_family(values: pd.Series, chosen: dict[str, list[str]]) -> dict[str, pd.Series]:
    names = values.index.get_level_values("benchmark")
    return {family: values[names.isin(own)] for family, own in chosen.items() if names.isin(own).any()}


def at_full_budget(name: str) -> Problem:
    """A benchmark with its full budget alone, so that a run has as many evaluations there as elsewhere."""
    problem = Benchmark(name).problem
    return with_budgets(problem, problem.budgets[-1:])


def member(name: str) -> Any:
    """A benchmark as a suite names it."""
    if len(Benchmark(name).budgets) == 1:
        return name
    return {"name": "compare_families:at_full_budget", "options": {"name": name}, "label": name}


def run_all(chosen: dict[str, list[str]], options: argparse.Namespace) -> None:
    """Run what the store does not hold; families with few instances get more seeds of each."""
    by_seeds: dict[int, list[str]] = {}
    for names in chosen.values():
        by_seeds.setdefault(-(-options.runs // len(names)), []).extend(names)
    for n_seeds, names in by_seeds.items():
        members = [member(name) for name in names]
        suite = make_suite(f"families-{n_seeds}", members, OPTIMIZERS, n_seeds=n_seeds, n_trials=options.trials)
        run_experiment(suite, options.store, make_engine("serial"), announce=print)


def lowest_losses(store: Path) -> dict[str, float]:
    """Lowest noise-free loss of any run on each benchmark."""
    with reading(store) as opened:
        trials = opened.frames(configs=False).trials
    return trials.groupby("benchmark", observed=True)["exact"].min().dropna().to_dict()


def facts(listed: dict[str, list[str]], chosen: dict[str, list[str]], store: Path) -> dict[str, pd.DataFrame]:
    """Tables about the families on their own."""
    lowest = lowest_losses(store)
    descriptions, difficulties = [], []
    for family, names in chosen.items():
        opened = [Benchmark(name) for name in names[:: -(-len(names) // N_MEASURED)]]
        descriptions.append(description(family, names, opened, n_tasks(family, listed[family])))
        difficulties.append(difficulty(family, opened, lowest))
    descriptions.append(trained_row(listed[TRAINED]))
    return {"families": pd.DataFrame(descriptions), "difficulty": pd.DataFrame(difficulties)}


def comparisons(chosen: dict[str, list[str]], store: Path) -> dict[str, pd.DataFrame]:
    """Tables about the optimizers on the families."""
    ranks = {family: unit_ranks(values) for family, values in by_family(final_regrets(store), chosen).items()}
    means = mean_ranks(ranks).round(1)
    means.index = [f"`{family}`" for family in means.index]
    return {
        "groups": group_table(ranks, GROUPS).reset_index(),
        "agreement": family_table(ranks),
        "ranks": means.rename_axis("family").reset_index(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("families.sqlite"), help="where runs are kept")
    parser.add_argument("--instances", type=int, default=24, help="of each family, at most (default 24)")
    parser.add_argument("--runs", type=int, default=24, help="of each optimizer on each family, at least (default 24)")
    parser.add_argument("--trials", type=int, default=50, help="evaluations of a run (default 50)")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/choosing.md")
    options = parser.parse_args()
    listed = families()
    chosen = {f: sampled(f, names, options.instances) for f, names in listed.items() if f != TRAINED}
    run_all(chosen, options)
    for marker, table in (facts(listed, chosen, options.store) | comparisons(chosen, options.store)).items():
        print(f"\n{marker}\n{markdown(table)}")
        if options.write:
            put(PAGE, marker, markdown(table))


if __name__ == "__main__":
    try:
        main()
    except HpoError as error:
        raise SystemExit(f"error: {error}") from None
