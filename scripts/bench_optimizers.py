"""CPU time per suggestion of this project's optimizers and of other libraries', measured in one run on the same table.

    python scripts/bench_optimizers.py                                   all but the models, two minutes
    python scripts/bench_optimizers.py --models                          the models and their peers, four minutes
    python scripts/bench_optimizers.py --only rs,re,de,tpe,optuna-tpe    some of them, half a minute
    python scripts/bench_optimizers.py --observations 10,50              early suggestions only, a few minutes

A suggestion is one `ask` and one `tell`. An optimizer evaluates its own suggestions: after 10, 50, 100 and 200
evaluations of the table the next 20 suggestions are timed. A line shows the mean CPU time of one, the median over the
repeats, in which the optimizers take turns: the ratios between methods of the same kind are valid on a busy machine,
where the absolute times are not. Methods slower than 50 ms are not repeated. Libraries that are not installed are named
and skipped: pip install "hpo-foundry[peers]".

BOHB runs with two budgets and without random configurations, and so does that of HpBandSter.

The models (`--models`) would take too long to make their own history of up to 500 evaluations. Theirs is random, and
the suggestions after a first one by the model are timed. The first one has the burn-in of the chains of `gp-mcmc`
(`gp`, n_samples=10) and of `bohamiann`, which continue from suggestion to suggestion; that of a forest loads numba.
Peers are measured at the first mark only, the slow ones at one or two suggestions; `peer_optimizers.py` describes them,
how they are used, and what to install: pip install torch botorch syne-tune emukit gpy pybnn hpbandster. `smac3` and
`optuna-gp`, which have adapters, make their own history. A model's line also shows how its time grows from the first
mark to the last, as a power of n.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy loads: the times are those of one core
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from peer_optimizers import PEERS, HpBandSter

from baselines import optimizer, optimizers
from hpo_core import Benchmark, Optimizer, Space
from hpo_core.errors import UnsupportedSpace
from hpo_models import forest

WINDOW = 20  # suggestions timed at each mark
MODEL_WINDOW, MODEL_WARM = 10, 1
TARGET_MARK = 100  # number of evaluations that the targets of models are for
SLOW = 50_000  # microseconds; slower ones are measured once
TWO_BUDGETS = (1, 3)
HPBANDSTER = "hpbandster"
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "smac": ("smac", {"random_fraction": 0.0}),  # a random proposal would take no time
    "bore": ("bore", {}),
    "gp": ("gp", {}),
    "gp-mcmc": ("gp", {"n_samples": 10}),
    "gp-thompson": ("gp-acquisition", {"acquisition": "ts"}),
    "gp-warped": ("gp-warped", {}),
    "turbo": ("turbo", {}),
    "cqr": ("cqr", {}),
    "bohamiann": ("bohamiann", {}),
    "dngo": ("dngo", {}),
    "es": ("es", {}),
}
ADAPTED = ("smac3", "optuna-gp")  # peers of the models
# not timed unless given by name
LEFT_OUT = ("grid", "gp-ucb", "gp-acquisition", "mtbo", "mt-bohamiann", "fabolas", "boca", "mobster")
LEFT_OUT += ("lcnet-hb", "lc-gp", "bo-bos", "skopt-gp")
ORDERS = {"smac": 1, "bore": 1, "gp": 3, "gp-mcmc": 3, "bohamiann": 0, "dngo": 1, "es": 3}  # powers of n
ORDERS |= {"gp-thompson": 3, "gp-warped": 3, "turbo": 3, "cqr": 1}
LEEWAY = 0.3
TARGETS = {"rs": 10, "re": 20, "de": 40, "tpe-univariate": 150, "tpe": 400, "bohb": 1000}  # microseconds
TARGETS |= {"smac": 3_000, "bore": 3_000, "gp": 6_000, "gp-mcmc": 25_000, "bohamiann": 50_000, "dngo": 12_000}
TARGETS |= {"gp-thompson": 30_000, "gp-warped": 30_000, "turbo": 30_000, "cqr": 30_000}
TARGETS |= {"sobol": 5_000, "lhs": 5_000, "local-search": 5_000}
RIVALS: dict[str, dict[str, float]] = {
    "tpe": {"optuna-tpe": 25},
    "tpe-univariate": {"hyperopt-tpe": 1},
    "bohb": {HPBANDSTER: 50},
    "smac": {"smac3": 5},
    "bore": {"syne-tune-bore": 5},
    "gp": {"optuna-gp": 5, "botorch": 5, "syne-tune-botorch": 5},
    "gp-mcmc": {"emukit-mcmc": 5},
    "bohamiann": {"pybnn-bohamiann": 5},
    "dngo": {"pybnn-dngo": 5},
}

forest.LOADING = 0  # the first suggestion, which is not timed, loads numba if it is installed

Evaluate = Callable[[Any], float]
Rows = dict[str, list[float]]


def build(name: str, space: Space, seed: int) -> Optimizer:
    """The named optimizer; raises ImportError if its library is missing."""
    if name == HPBANDSTER:
        return HpBandSter(space)
    if name == "bohb":
        return optimizer(name, space, TWO_BUDGETS, seed, random_fraction=0.0)
    return optimizer(name, space, TWO_BUDGETS if optimizers()[name].multi_fidelity else (1,), seed)


def suggest(o: Optimizer, evaluate: Evaluate) -> int:
    """Nanoseconds of CPU time of one `ask` and one `tell`."""
    start = time.process_time_ns()
    proposal = o.ask()
    spent = time.process_time_ns() - start
    if proposal is None:
        raise UnsupportedSpace("ran out of proposals")
    loss = evaluate(proposal.config)
    start = time.process_time_ns()
    o.tell(proposal, loss, 1.0)
    return spent + time.process_time_ns() - start


def microseconds(o: Optimizer, evaluate: Evaluate, marks: list[int]) -> list[float]:
    """Mean CPU microseconds of a suggestion after each number of evaluations of the optimizer's suggestions."""
    times = [suggest(o, evaluate) for _ in range(max(marks) + WINDOW)]
    return [statistics.mean(times[mark : mark + WINDOW]) / 1000 for mark in marks]


def model_microseconds(name: str, space: Space, seed: int, evaluate: Evaluate, marks: list[int]) -> list[float]:
    """Mean CPU time of a model's suggestion after each number of random evaluations; a peer's at the first only.

    Parameters
    ----------
    name
        Of the model or peer.
    space, seed
        Of the optimizer.
    evaluate
        Loss of a configuration.
    marks
        Numbers of evaluations.

    Returns
    -------
    list of float
        Microseconds.
    """
    if name in ADAPTED:
        return microseconds(build(name, space, seed), evaluate, marks[:1])
    found = []
    for mark in marks[:1] if name in PEERS else marks:
        if name in PEERS:
            peer = PEERS[name]
            o, warm, window = peer.build(space, seed, mark), peer.warm, peer.window
        else:
            known, options = MODELS[name]
            o, warm, window = optimizer(known, space, (1,), seed, n_initial=mark, **options), MODEL_WARM, MODEL_WINDOW
        for _ in range(mark + warm):
            suggest(o, evaluate)
        found.append(statistics.mean(suggest(o, evaluate) for _ in range(window)) / 1000)
    return found


def measure(names: list[str], benchmark: Benchmark, marks: list[int], repeats: int, models: bool) -> Rows:
    """CPU time of a suggestion at each mark, the median over the repeats, by name.

    Parameters
    ----------
    names
        Of the optimizers.
    benchmark
        Whose space and losses are used.
    marks
        Numbers of evaluations.
    repeats
        Runs of each optimizer that is not slow.
    models
        Whether the optimizers are model-based ones.

    Returns
    -------
    dict
        Lists of microseconds, by name.
    """
    rows: dict[str, list[list[float]]] = {name: [] for name in names}
    for seed in range(repeats):
        for name in list(rows):
            if seed > 0 and max(rows[name][0]) > SLOW:
                continue
            rng = np.random.default_rng(seed)

            def evaluate(config: Any, rng: np.random.Generator = rng) -> float:
                return benchmark.objective(config, seed=int(rng.integers(2**31))).loss

            try:
                if models:
                    rows[name].append(model_microseconds(name, benchmark.space, seed, evaluate, marks))
                else:
                    rows[name].append(microseconds(build(name, benchmark.space, seed), evaluate, marks))
            except (ImportError, UnsupportedSpace) as error:
                print(f"{name:<20} skipped: {error}", flush=True)
                del rows[name]
    return {name: [statistics.median(column) for column in zip(*row, strict=True)] for name, row in rows.items()}


def verdict(name: str, measured: Rows, marks: list[int], models: bool) -> str:
    """Comparison with the target and the rivals at the last mark (of models: the first), and growth of a model's time.

    Parameters
    ----------
    name
        Of the optimizer.
    measured
        Microseconds of all optimizers.
    marks
        Numbers of evaluations.
    models
        Whether the optimizers are model-based ones.

    Returns
    -------
    str
        Comma-separated statements.
    """
    words = []
    at = 0 if models else -1
    own = measured[name][at]
    if name in TARGETS and (not models or marks[0] == TARGET_MARK):
        words.append(f"{'within' if own <= TARGETS[name] else 'OVER'} {TARGETS[name]} us")
    for rival, least in RIVALS.get(name, {}).items():
        if rival in measured:
            ratio = measured[rival][at] / own
            words.append(f"{ratio:.0f} times faster than {rival} ({'' if ratio >= least else 'NOT '}>= {least:g})")
    if models and name in ORDERS and len(marks) > 1:
        power = math.log(measured[name][-1] / own) / math.log(marks[-1] / marks[0])
        beyond = "BEYOND" if power > ORDERS[name] + LEEWAY else "model"
        words.append(f"grows as n^{power:.1f} ({beyond} n^{ORDERS[name]})")
    return ", ".join(words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", action="store_true", help="the optimizers with a model, and their peers")
    parser.add_argument("--only", help="names, separated by commas, of those that are shown otherwise")
    parser.add_argument("--table", default="protein", help="benchmark whose space and losses are used (protein)")
    parser.add_argument("--observations", help="when to time, ascending (10,50,100,200; with --models 100,200,500)")
    parser.add_argument("--repeats", type=int, default=7, help="runs of each optimizer that is not slow (7)")
    options = parser.parse_args()
    known = [*MODELS, *ADAPTED, *PEERS] if options.models else [*optimizers(), HPBANDSTER]
    names = [name for name in known if options.models or name not in (*MODELS, *ADAPTED, *LEFT_OUT)]
    if options.only is not None:
        names = options.only.split(",")
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no optimizer {', '.join(unknown)}; known: {', '.join(known)}")
    observations = options.observations or ("100,200,500" if options.models else "10,50,100,200")
    marks = [int(mark) for mark in observations.split(",")]
    measured = measure(names, Benchmark(options.table), marks, options.repeats, options.models)
    print(f"{'us per suggestion':<20}" + "".join(f"{f'n = {mark}':>11}" for mark in marks))
    for name, row in measured.items():
        cells = [f"{time:>11.1f}" for time in row] + [" " * 11] * (len(marks) - len(row))
        print(f"{name:<20}" + "".join(cells) + f"   {verdict(name, measured, marks, options.models)}")


if __name__ == "__main__":
    main()
