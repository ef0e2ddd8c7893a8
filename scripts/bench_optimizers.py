"""CPU time per suggestion of our optimizers and of other libraries', all measured in one run on the same table.

    python scripts/bench_optimizers.py                                   all that is installed, a quarter of an hour
    python scripts/bench_optimizers.py --only rs,re,de,tpe,optuna-tpe    some of them, half a minute
    python scripts/bench_optimizers.py --observations 10,50              early suggestions only, a few minutes

A suggestion is one `ask` and one `tell`. An optimizer makes its own history: after 10, 50, 100 and 200 evaluations of
the table the next 20 suggestions are timed. A line shows the mean CPU time of one, the median over the repeats, in
which the optimizers take turns: the ratios between methods of the same kind hold on a busy machine, where the absolute
figures do not. What takes more than 50 ms is not repeated. Libraries that are not installed are named and skipped:
pip install "hpo-foundry[peers]".

BOHB runs with two budgets and without random configurations, and so does that of HpBandSter, the authors' code, if it
is installed (pip install hpbandster); the latter gets ordinals as integers, as its documentation asks.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy loads: the times are those of one core
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import statistics
import time
from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np

from baselines import catalogue, optimizer
from baselines.adapters.library import quiet
from hpo_core import Benchmark, Optimizer, Proposal, Space
from hpo_core.errors import UnsupportedSpace

WINDOW = 20  # suggestions timed at each mark
SLOW = 50_000  # microseconds; slower ones are measured once
TWO_BUDGETS = (1, 3)
TARGETS = {"rs": 10, "re": 20, "de": 40, "tpe-univariate": 150, "tpe": 400, "bohb": 1000}  # microseconds
RIVALS = {"tpe": ("optuna-tpe", 25), "tpe-univariate": ("hyperopt-tpe", 1), "bohb": ("hpbandster", 50)}


class HpBandSter:
    """The model of HpBandSter's BOHB, asked for a new configuration each time."""

    name = "hpbandster"

    def __init__(self, space: Space):
        import ConfigSpace
        from hpbandster.core.dispatcher import Job
        from hpbandster.optimizers.config_generators.bohb import BOHB

        self._space, self._job = space, Job
        self._ordinal = {h.name for h in space if h.kind == "ordinal"}
        converted = ConfigSpace.ConfigurationSpace(seed=0)
        for h, theirs in zip(space, space.to_configspace().values(), strict=True):
            ordinal = h.name in self._ordinal
            converted.add(ConfigSpace.UniformIntegerHyperparameter(h.name, 0, int(h.size) - 1) if ordinal else theirs)
        self._generator = BOHB(converted, random_fraction=0.0, min_bandwidth=0.3)
        self._budgets = cycle([1, 1, 1, 3, 3, 3])  # as our Hyperband's with two budgets, 1 and 3

    def ask(self) -> Proposal:
        budget = next(self._budgets)
        with quiet("hpbandster"):
            self._latest = dict(self._generator.get_config(budget)[0])
        config = {n: self._space[n].value(c) if n in self._ordinal else c for n, c in self._latest.items()}
        return Proposal(self._space.check(config), budget)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        job = self._job((0, 0, 0), config=self._latest, budget=proposal.budget)
        job.result = {"loss": loss}
        with quiet("hpbandster"):
            self._generator.new_result(job)


def build(name: str, space: Space, seed: int) -> Optimizer:
    """The named optimizer; raises ImportError if its library is missing."""
    if name == HpBandSter.name:
        return HpBandSter(space)
    if name == "bohb":
        return optimizer(name, space, TWO_BUDGETS, seed, random_fraction=0.0)
    return optimizer(name, space, TWO_BUDGETS if catalogue()[name].multi_fidelity else (1,), seed)


def microseconds(o: Optimizer, evaluate: Callable[[Any], float], marks: list[int]) -> list[float]:
    """Mean CPU time of a suggestion after each number of evaluations."""
    times = dict.fromkeys(marks, 0)
    for step in range(max(marks) + WINDOW):
        start = time.process_time_ns()
        proposal = o.ask()
        spent = time.process_time_ns() - start
        if proposal is None:
            raise UnsupportedSpace("ran out of proposals")
        loss = evaluate(proposal.config)
        start = time.process_time_ns()
        o.tell(proposal, loss, 1.0)
        spent += time.process_time_ns() - start
        for mark in marks:
            if mark <= step < mark + WINDOW:
                times[mark] += spent
    return [times[mark] / WINDOW / 1000 for mark in marks]


def measure(names: list[str], benchmark: Benchmark, marks: list[int], repeats: int) -> dict[str, list[float]]:
    """Microseconds of a suggestion at each mark, the median over the repeats, by name."""
    rows: dict[str, list[list[float]]] = {name: [] for name in names}
    for seed in range(repeats):
        for name in list(rows):
            if seed > 0 and max(rows[name][0]) > SLOW:
                continue
            rng = np.random.default_rng(seed)

            def evaluate(config: Any, rng: np.random.Generator = rng) -> float:
                return benchmark.objective(config, seed=int(rng.integers(2**31))).loss

            try:
                rows[name].append(microseconds(build(name, benchmark.space, seed), evaluate, marks))
            except (ImportError, UnsupportedSpace) as error:
                print(f"{name:<20} skipped: {error}", flush=True)
                del rows[name]
    return {name: [statistics.median(column) for column in zip(*row, strict=True)] for name, row in rows.items()}


def verdict(name: str, measured: dict[str, list[float]]) -> str:
    """What the last mark says against the target and against the rival of the same kind."""
    words = []
    last = measured[name][-1]
    if name in TARGETS:
        words.append(f"{'within' if last <= TARGETS[name] else 'OVER'} {TARGETS[name]} us")
    rival, least = RIVALS.get(name, ("", 0))
    if rival in measured:
        ratio = measured[rival][-1] / last
        words.append(f"{ratio:.0f} times faster than {rival} ({'' if ratio >= least else 'NOT '}>= {least})")
    return ", ".join(words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="names, separated by commas, as `hpo optimizers` shows them, and hpbandster")
    parser.add_argument("--table", default="protein", help="benchmark whose space and losses are used (protein)")
    parser.add_argument("--observations", default="10,50,100,200", help="when to time, ascending (10,50,100,200)")
    parser.add_argument("--repeats", type=int, default=7, help="runs of each optimizer that is not slow (7)")
    options = parser.parse_args()
    known = [name for name in catalogue() if name != "grid"] + [HpBandSter.name]
    names = known if options.only is None else options.only.split(",")
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no optimizer {', '.join(unknown)}; known: {', '.join(known)}")
    marks = [int(mark) for mark in options.observations.split(",")]
    measured = measure(names, Benchmark(options.table), marks, options.repeats)
    print(f"{'us per suggestion':<20}" + "".join(f"{f'n = {mark}':>11}" for mark in marks))
    for name, row in measured.items():
        print(f"{name:<20}" + "".join(f"{time:>11.1f}" for time in row) + f"   {verdict(name, measured)}")


if __name__ == "__main__":
    main()
