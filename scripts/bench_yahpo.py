"""Speed of the surrogates against onnxruntime, measured in one run.

    python scripts/bench_yahpo.py SOURCE_DIR [--repeats 15]

SOURCE_DIR holds the original networks (see `scripts/pack_yahpo.py`); needs the package onnxruntime, which has one
thread here. Every time is the lowest of the repeats, in which the calls take turns. One evaluation is
`Benchmark.objective(config)`, with its checks and all targets; onnxruntime gets its inputs ready made. CPU time, but
for the wall clock of a batch of 10,000 that the cores share. "Products" are the matrix products of the network alone,
on one core: numbers of the same shapes, in parts of as many rows, and nothing between them. No evaluation in numpy can
take less.
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
from tabular.yahpo.folding import aligned
from tabular.yahpo.network import ROWS
from tabular.yahpo.problem import NetworkProblem
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


def products(problem: NetworkProblem, n_rows: int) -> Callable[[], None]:
    """Call of all matrix products that an evaluation of `n_rows` configurations has, on numbers of no meaning."""
    surrogate = problem.surrogate
    width = aligned(len(surrogate.arrays["first.bias"]) + 1)  # a column of the stream is the 1 of the biases
    units = aligned(surrogate.arrays["0.second.weight"].shape[1])
    n_inputs = len(problem.layout.one(problem.space.sample(np.random.default_rng(0), 1)[0], problem.budgets[-1]))
    shapes = [(n_inputs, width + 2 * units), (units, width)]
    shapes += [(width, 2 * units), (units, width)] * (surrogate.n_blocks - 1) + [(width, len(surrogate.targets))]
    rng = np.random.default_rng(0)
    size = (n_rows,) if n_rows > 1 else ()  # one configuration is a vector
    pairs = [(rng.random((*size, a), np.float32), rng.random((a, b), np.float32)) for a, b in shapes]
    results = [np.empty((*size, matrix.shape[1]), np.float32) for _, matrix in pairs]

    def call() -> None:
        for (left, right), result in zip(pairs, results, strict=True):
            np.dot(left, right, out=result)

    return call


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

    one_product, part = products(benchmark.problem, 1), products(benchmark.problem, ROWS)  # type: ignore[arg-type]
    rows, table = [inputs([config]) for config in configs], inputs(many)
    calls: dict[str, Callable[[], Any]] = {
        "one": lambda: [benchmark.objective(config) for config in configs],
        "one, products": lambda: [one_product() for _ in configs],
        "one, onnxruntime": lambda: [original.run(None, row) for row in rows],
        "batch": lambda: benchmark.objective_batch(codes),
        "batch, products": lambda: [part() for _ in range(N_MANY // ROWS)],
        "batch, onnxruntime": lambda: original.run(None, table),
    }
    return best_times(calls, repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="folder with the files of yahpo_data")
    parser.add_argument("--repeats", type=int, default=15, help="repeats of every measurement (15)")
    options = parser.parse_args()
    cores = usable_cores()
    heads = ("one, us", "products", "onnxruntime", "ratio", "10,000, ms", f"wall, {cores} cores", "products")
    print(f"{'':<14}" + "".join(f"{head:>15}" for head in (*heads, "onnxruntime", "ratio")))
    for name, scenario in SCENARIOS.items():
        times = measured(scenario, options.source, options.repeats)
        one, alone, peer = (times[key][0] / N_ONE * 1e6 for key in ("one", "one, products", "one, onnxruntime"))
        keys = ("batch", "batch, products", "batch, onnxruntime")
        batch, batch_alone, batch_peer = (times[key][0] * 1e3 for key in keys)
        wall = times["batch"][1] * 1e3
        print(
            f"{name:<14}{one:>15.1f}{alone:>15.1f}{peer:>15.1f}{peer / one:>15.1f}"
            f"{batch:>15.0f}{wall:>15.0f}{batch_alone:>15.0f}{batch_peer:>15.0f}{batch_peer / batch:>15.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
