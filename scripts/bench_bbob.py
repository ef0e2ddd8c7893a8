"""Speed of COCO's functions through `Benchmark` against the raw call of coco-experiment, all measured in one run.

    python scripts/bench_bbob.py [--repeats 15]

Every line is the median over the repeats of the mean CPU time of one evaluation over the same random points, so the
ratios are valid on a busy machine, where the absolute times are not. The raw call gets a numpy array and checks only
its length. `objective` gets a configuration, checks names, types and bounds, and returns loss, cost and budget;
`objective_batch` gets the codes of 10,000 configurations at once and checks them too.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import cocoex
import numpy as np
from bench_lookup import seconds_per_call

from hpo_core import Benchmark
from hpo_core.problems.coco.names import coco_name

NAMES = ("bbob/f1-i1-d5", "bbob/f1-i1-d40", "bbob/f15-i1-d5", "bbob-mixint/f1-i1-d5", "bbob-mixint/f1-i1-d160")
N_POINTS, N_BATCH = 1000, 10_000
CALLS = ("raw call", "objective", "space.check alone", "objective_batch")


def microseconds(name: str, repeats: int) -> dict[str, float]:
    """CPU microseconds of one evaluation, by the way it was made."""
    found = coco_name(name)
    if found is None:
        raise SystemExit(f"{name!r} is no problem of COCO")
    options = f"dimensions:{found.dimension} function_indices:{found.function}"
    raw = cocoex.Suite(found.suite, f"instances:{found.instance}", options)[0]
    benchmark = Benchmark(name)
    configs = benchmark.space.sample(np.random.default_rng(0), N_POINTS)
    points = [np.array(list(config.values()), dtype=float) for config in configs]
    codes = benchmark.space.encode(configs * (N_BATCH // N_POINTS))
    calls: dict[str, Callable[[int], Any]] = {
        "raw call": lambda i: raw(points[i]),
        "objective": lambda i: benchmark.objective(configs[i]),
        "space.check alone": lambda i: benchmark.space.check(configs[i]),
    }
    nothing = seconds_per_call({"": lambda i: points[i]}, list(range(N_POINTS)), repeats)[""]
    times = seconds_per_call(calls, list(range(N_POINTS)), repeats)
    batch = seconds_per_call({"objective_batch": benchmark.objective_batch}, [codes], repeats)
    each = {way: seconds - nothing for way, seconds in times.items()}
    return {way: 1e6 * s for way, s in {**each, "objective_batch": batch["objective_batch"] / N_BATCH}.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15, help="repeats of every measurement (15)")
    repeats = parser.parse_args().repeats
    print("us per evaluation (ratio)".ljust(26) + "".join(call.rjust(20) for call in CALLS))
    for name in NAMES:
        times = microseconds(name, repeats)
        cells = [f"{times[call]:.2f} ({times[call] / times['raw call']:.1f})" for call in CALLS]
        print(name.ljust(26) + "".join(cell.rjust(20) for cell in cells))


if __name__ == "__main__":
    main()
