"""Are our optimizers as good as those of the libraries? Each beside its peers, on seeds that nothing was tuned on.

    python scripts/check_peers.py --store peers.sqlite                    all pairs, hours: the peers take most of it
    python scripts/check_peers.py --store peers.sqlite --only tpe,cmaes   the pairs of some methods
    python scripts/check_peers.py --store peers.sqlite --seeds 5 --write  fewer runs; tables into docs/peers.md

Black-box methods make 100 evaluations at the full budget; methods with several budgets get the cost of 50. Runs are
kept in the store, so the script can be stopped and called again. A pair is compared within each family of benchmarks by
the probability that a run of ours ends with a lower regret, ties counting half, and over all of them by van Elteren's
test, corrected (Holm) for the number of pairs. Exits with 1 if a peer is better at 5 %.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: matrices are small

import argparse
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from compare_families import member
from page_tables import DOCS, markdown, put

from hpo_core.errors import HpoError
from hpo_core.names import optimizers
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import Suite, make_suite
from hpo_leaderboard.scores.comparisons import holm, stratified_mann_whitney
from hpo_leaderboard.scores.incumbents import final_values, incumbents
from hpo_leaderboard.scores.overheads import overheads
from hpo_leaderboard.store.store import reading

PAGE = DOCS / "peers.md"
FIRST_SEED = 1000  # no default was chosen on these
ALPHA = 0.05
PEERS = {
    "tpe": ("optuna-tpe", "hyperopt-tpe"),
    "tpe-univariate": ("optuna-tpe", "hyperopt-tpe"),
    "smac": ("smac3",),
    "gp": ("optuna-gp", "skopt-gp", "ax"),
    "cmaes": ("optuna-cmaes",),
    "bore": ("syne-tune-bore",),
    "cqr": ("syne-tune-cqr",),
    "de": ("nevergrad-ngopt",),
}
BUDGET_PEERS = {"hyperband": ("optuna-hyperband", "smac3-mf"), "bohb": ("smac3-mf",), "dehb": ("dehb-lib",)}
FAMILIES = {
    "FC-Net": ["protein", "slice", "naval", "parkinsons"],
    "NAS-Bench-201": ["nb201-cifar10", "nb201-cifar100", "nb201-imagenet"],
    "functions": ["branin", "six-hump-camel", "rosenbrock", "hartmann3", "hartmann6"],
    "generated": ["profet-svm/0", "profet-svm/1", "profet-xgboost/0", "profet-xgboost/1", "profet-fcnet/0"],
    "LCBench": ["lcbench/3945", "lcbench/7593", "lcbench/126026", "lcbench/189906"],
}
BUDGET_FAMILIES = {
    "mini": ["mini-airfoil", "mini-concrete", "mini-parkinsons", "mini-wine"],
    "LCBench": FAMILIES["LCBench"],
}


class Pair(NamedTuple):
    """One of ours, and a library's."""

    ours: str
    peer: str


def pairs_of(peers: dict[str, tuple[str, ...]], only: list[str]) -> list[Pair]:
    """Pairs whose names are both known here, of some of ours or of all."""
    known = optimizers()
    found = [Pair(ours, peer) for ours, names in peers.items() for peer in names if not only or ours in only]
    return [pair for pair in found if pair.ours in known and pair.peer in known]


def suites(options: argparse.Namespace) -> Iterator[tuple[Suite, list[Pair], dict[str, list[str]]]]:
    """What is run: black-box methods at the full budget, and methods with several budgets."""
    common = {"n_seeds": options.seeds, "first_seed": FIRST_SEED}
    for name, peers, families, n_trials in (
        ("peers", PEERS, FAMILIES, options.trials),
        ("peers-budgets", BUDGET_PEERS, BUDGET_FAMILIES, options.trials // 2),
    ):
        pairs = pairs_of(peers, options.only)
        names = sorted({own for pair in pairs for own in pair})
        if names:
            every = [each for own in families.values() for each in own]
            members = every if peers is BUDGET_PEERS else [member(each) for each in every]
            yield make_suite(name, members, ["rs", *names], n_trials=n_trials, **common), pairs, families


def comparison(values: pd.Series, pairs: list[Pair], families: dict[str, list[str]]) -> pd.DataFrame:
    """A row for each pair: the effect within each family with its interval, over all, and the corrected p-value."""
    rows = []
    for pair in pairs:
        own = _of(values, "optimizer", pair)
        row = {"ours": f"`{pair.ours}`", "peer": f"`{pair.peer}`"}
        row |= {family: _effect(_of(own, "benchmark", names), pair) for family, names in families.items()}
        over_all = _compared(own, pair)
        rows.append({**row, "all": _words(over_all), "p": over_all["p"], "effect": over_all["effect"]})
    frame = pd.DataFrame(rows)
    return frame.assign(p=holm(frame["p"].to_numpy(dtype=float)))


def _of(values: pd.Series, level: str, names: Collection[str]) -> pd.Series:
    return values[values.index.get_level_values(level).isin(names)]


def _effect(values: pd.Series, pair: Pair) -> str:
    ran = set(values.index.get_level_values("optimizer"))
    return _words(_compared(values, pair)) if ran == set(pair) else ""


def _compared(values: pd.Series, pair: Pair) -> dict[str, float]:
    """Effect of ours with its interval, and p, over the benchmarks that both ran on."""
    row = stratified_mann_whitney(values).iloc[0].to_dict()
    if row["a"] == pair.ours:
        return row
    ends = {"effect_low": 1 - row["effect_high"], "effect_high": 1 - row["effect_low"]}
    return {**row, "effect": 1 - row["effect"], **ends}


def _words(row: dict[str, float]) -> str:
    return f"{row['effect']:.2f} [{row['effect_low']:.2f}, {row['effect_high']:.2f}]"


def said(frame: pd.DataFrame) -> pd.DataFrame:
    """The table as it is printed, with a verdict."""
    words = [
        "level" if p >= ALPHA else "ours is better" if effect > 0.5 else "the peer is better"
        for p, effect in zip(frame["p"], frame["effect"], strict=True)
    ]
    return frame.assign(p=frame["p"].map("{:.2g}".format), verdict=words).drop(columns="effect")


def seconds(runs: pd.DataFrame) -> pd.DataFrame:
    """CPU milliseconds of each optimizer for one evaluation, median over runs."""
    found = overheads(runs)
    milliseconds = (1e3 * found["median"]).map("{:.3g}".format)
    return pd.DataFrame({"optimizer": found["optimizer"].map("`{}`".format), "ms for an evaluation": milliseconds})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("peers.sqlite"), help="where runs are kept")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[], metavar="A,B", help="some of ours")
    parser.add_argument("--seeds", type=int, default=20, help="of each benchmark (20)")
    parser.add_argument("--trials", type=int, default=100, help="evaluations of a run (100)")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/peers.md")
    options = parser.parse_args()
    worse = 0
    for suite, pairs, families in suites(options):
        run_experiment(suite, options.store, make_engine("processes", timeout=3600), announce=print)
        with reading(options.store) as opened:
            frames = opened.frames(configs=False)
        labels = {each.label for each in suite.benchmarks}
        values = _of(final_values(incumbents(frames.trials, frames.tasks), "regret"), "benchmark", labels)
        frame = comparison(values, pairs, families)
        worse += int(((frame["p"] < ALPHA) & (frame["effect"] < 0.5)).sum())
        runs = frames.runs[frames.runs["benchmark"].isin(labels)]
        for marker, table in {suite.name: said(frame), f"{suite.name}-seconds": seconds(runs)}.items():
            print(f"\n{marker}\n{markdown(table)}")
            if options.write:
                put(PAGE, marker, markdown(table))
    return 1 if worse else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HpoError as error:
        raise SystemExit(f"error: {error}") from None
