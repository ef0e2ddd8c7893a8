"""Speed of the surrogates against onnxruntime, measured in one run.

    python scripts/bench_yahpo.py SOURCE_DIR [--repeats 15]

SOURCE_DIR holds the original networks (see `scripts/pack_yahpo.py`); needs the package onnxruntime, which has one
thread here. Every time is the lowest of the repeats, in which the calls take turns. One evaluation is
`Benchmark.objective(config)`, with its checks and all targets; onnxruntime gets its inputs ready made. CPU time, but
for the wall clock of a batch of 10,000 that the cores share.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy loads: one BLAS thread

import numpy as np

from hpo_core import Benchmark
from hpo_core.cores import usable_cores
from tabular.yahpo.scenarios import SCENARIOS, Scenario
from tabular.yahpo.source import original_inputs

N_ONE, N_MANY = 200, 10_000


def best_times(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, tuple[float, float]]:
    """Lowest CPU and wall-clock seconds of each call; they take turns."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.process_time(), time.perf_counter()
            call()
            times[name].append((time.process_time() - start[0], time.perf_counter() - start[1]))
    return {name: (min(cpu for cpu, _ in each), min(wall for _, wall in each)) for name, each in times.items()}


def session(scenario: Scenario, source: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    path = str(source / scenario.source_name / "model.onnx")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def measured(scenario: Scenario, source: Path, repeats: int) -> dict[str, tuple[float, float]]:
    """CPU and wall-clock seconds by what was timed."""
    instance = scenario.instances[0]
    benchmark = Benchmark(f"{scenario.name}/{instance}")
    original = session(scenario, source)
    configs = benchmark.space.sample(np.random.default_rng(0), N_ONE)
    many = benchmark.space.sample(np.random.default_rng(1), N_MANY)
    codes = benchmark.space.encode(many)

    def inputs(chosen: list[Any]) -> dict[str, np.ndarray]:
        budgets = [benchmark.budgets[-1]] * len(chosen)
        return original_inputs(benchmark.problem.surrogate, scenario, instance, chosen, budgets)  # type: ignore[attr-defined]

    rows, table = [inputs([config]) for config in configs], inputs(many)
    calls: dict[str, Callable[[], Any]] = {
        "one": lambda: [benchmark.objective(config) for config in configs],
        "one, onnxruntime": lambda: [original.run(None, row) for row in rows],
        "batch": lambda: benchmark.objective_batch(codes),
        "batch, onnxruntime": lambda: original.run(None, table),
    }
    return best_times(calls, repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="folder with the files of yahpo_data")
    parser.add_argument("--repeats", type=int, default=15, help="repeats of every measurement (15)")
    options = parser.parse_args()
    cores = usable_cores()
    print(f"{'':<14}one, us: ours  onnxruntime  ratio   10,000, ms: ours  wall, {cores} cores  onnxruntime  ratio")
    for name, scenario in SCENARIOS.items():
        times = measured(scenario, options.source, options.repeats)
        one, peer = (times[key][0] / N_ONE * 1e6 for key in ("one", "one, onnxruntime"))
        batch, batch_peer = (times[key][0] * 1e3 for key in ("batch", "batch, onnxruntime"))
        wall = times["batch"][1] * 1e3
        print(
            f"{name:<14}{one:>13.1f}{peer:>13.1f}{peer / one:>7.1f}{batch:>19.0f}{wall:>15.0f}{batch_peer:>13.0f}"
            f"{batch_peer / batch:>7.1f}"
        )


if __name__ == "__main__":
    main()
