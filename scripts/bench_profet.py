"""Speed of PROFET: encoder, training, and evaluations of sampled tasks; against EmuKit's if that is installed.

    python scripts/bench_profet.py [--family svm] [--train]

Times are CPU seconds of one core, medians over repeats. `--train` also trains a fast-mode model from scratch. Many
tasks at once (`profet.batch`) are timed by the clock as well, since they use all cores: against a loop over the tasks,
and against the same networks in torch if that is installed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy loads: the times are those of one core

import numpy as np

from hpo_core import Benchmark
from hpo_core.cores import usable_cores
from hpo_models.networks.tanh_network import TanhNetwork
from profet import MetaModel, Task, batch, open_model, sample, train
from profet.learning.encoder import encode
from profet.meta_model import Emulator
from profet.settings import FAST
from profet.sources import meta_data


def seconds(call: Callable[[], Any], n: int = 1, repeats: int = 7) -> float:
    """Median CPU seconds of one of `n` calls in a row."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(n):
            call()
        times.append((time.process_time() - start) / n)
    return statistics.median(times)


def resident() -> float:
    """Megabytes of memory of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def of_units(model: MetaModel, units: tuple[int, ...]) -> MetaModel:
    """The model with random weights in layers of other sizes: the time of an evaluation does not depend on them."""
    network = TanhNetwork((model.loss.network.sizes[0], *units, 1))
    theta = np.random.default_rng(0).standard_normal((3, network.n_parameters + 1)).astype(np.float32) * 0.05
    emulator = Emulator(network, theta, model.loss.target)
    return replace(model, loss=emulator, cost=replace(emulator, target=model.loss.target) if model.cost else None)


def evaluations(model: MetaModel, label: str) -> None:
    """Print the time of one evaluation and of a batch."""
    benchmark = Benchmark(sample(model, 1)[0])
    configs = benchmark.space.sample(np.random.default_rng(0), 200)
    codes = benchmark.space.from_unit(np.random.default_rng(1).random((10_000, len(benchmark.space))))
    one = seconds(lambda: [benchmark.objective(c) for c in configs]) / len(configs)
    many = seconds(lambda: benchmark.objective_batch(codes), repeats=5)
    cost = "loss and cost" if model.cost else "loss"
    print(f"{label}: one evaluation ({cost}) {one * 1e6:.0f} us, 10,000 configurations {many * 1e3:.0f} ms")


def call_patterns(family: str) -> None:
    """Print the time of one evaluation of a task again and again, of new tasks, and of many tasks in turn."""
    model = open_model(family)
    configs = model.space.sample(np.random.default_rng(0), 300)
    known = [Benchmark(task) for task in sample(model, 300)]
    for benchmark in known:
        benchmark.objective(configs[0])
    same = min_seconds(lambda _: [known[17].objective(config) for config in configs], lambda: None)
    turn = min_seconds(lambda _: in_turn(known, configs), lambda: None)
    new = min_seconds(lambda tasks: in_turn(tasks, configs), lambda: [Benchmark(task) for task in sample(model, 300)])
    times = ", ".join(
        f"{1e6 * took / 300:.0f} us {of}" for took, of in ((same, "one task"), (turn, "300 tasks in turn"))
    )
    print(f"{family}: one evaluation {times}, {1e6 * new / 300:.0f} us the first one of a task")


def in_turn(benchmarks: list[Benchmark], configs: list[Any]) -> None:
    """Evaluate each benchmark at its own configuration."""
    for benchmark, config in zip(benchmarks, configs, strict=True):
        benchmark.objective(config)


def min_seconds(call: Callable[[Any], Any], prepared: Callable[[], Any], repeats: int = 7) -> float:
    """Least CPU seconds of a call, whose argument is prepared anew each time."""
    times = []
    for _ in range(repeats):
        argument, start = prepared(), time.process_time()
        call(argument)
        times.append(time.process_time() - start)
    return min(times)


def batches(model: MetaModel, n_tasks: int, n_points: int, repeats: int = 3) -> None:
    """Print evaluations (loss and cost) per second of many tasks at once, of a loop over them and of torch."""
    tasks = sample(model, n_tasks)
    codes = model.space.from_unit(np.random.default_rng(0).random((n_points, len(model.space))))
    ways: dict[str, Callable[[], Any]] = {
        "profet.batch": lambda: batch(model, tasks, codes),
        "loop over objective_batch": lambda: [Benchmark(task).objective_batch(codes) for task in tasks],
    }
    in_torch = torch_networks(tasks, codes)
    if in_torch is not None:
        ways["torch, float64"] = in_torch
    walls: dict[str, list[float]] = {way: [] for way in ways}
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(repeats):
        for way, call in ways.items():
            wall, cpu = time.perf_counter(), time.process_time()
            call()
            walls[way].append(time.perf_counter() - wall)
            times[way].append(time.process_time() - cpu)
    n = n_tasks * n_points
    for way in ways:
        rate, each = n / min(walls[way]) / 1e6, min(times[way]) / n * 1e6
        print(f"{n_tasks:,} tasks x {n_points:,} points, {way}: {rate:.2f} M evaluations/s, {each:.2f} us of CPU each")


def torch_networks(tasks: list[Task], codes: np.ndarray) -> Callable[[], Any] | None:
    """Function that evaluates the tasks' networks as modules of torch, with all cores; None without torch."""
    try:
        import torch
    except ImportError as error:
        print(f"torch: not measured ({error})")
        return None
    torch.set_num_threads(usable_cores())

    def module(emulator: Emulator, draw: int) -> Any:
        layers: list[Any] = []
        for weights, biases in emulator.network.layers(emulator.theta[[draw], :-1].astype(float)):
            linear = torch.nn.Linear(*weights.shape[1:], dtype=torch.float64)
            linear.weight.data, linear.bias.data = torch.tensor(weights[0].T), torch.tensor(biases[0, 0])
            layers += [linear, torch.nn.Tanh()]
        return torch.nn.Sequential(*layers[:-1])

    model = tasks[0].model
    x = model.inputs.with_budget(model.inputs(codes.astype(float)), model.budgets[-1])
    width = model.inputs.width
    modules = []
    for task in tasks:
        h = np.broadcast_to(task.latent * model.encoding.weights, (len(x), len(task.latent)))
        modules.append((module(model.loss, task.draw), torch.tensor(np.concatenate([x, h], axis=1))))
        if model.cost is not None:
            inputs = torch.tensor(np.concatenate([x[:, :width], h], axis=1))
            modules.append((module(model.cost, task.cost_draw), inputs))

    def evaluate() -> None:
        with torch.inference_mode():
            for network, inputs in modules:
                network(inputs)

    return evaluate


def emukit(n_hyperparameters: int, n_latent: int) -> None:
    """Print the time of one evaluation (loss and cost, without noise) of EmuKit's objective, with random weights."""
    try:
        from emukit.examples.profet.meta_benchmarks.architecture import get_default_architecture
        from emukit.examples.profet.meta_benchmarks.meta_surrogates import objective_function
    except ImportError as error:
        print(f"EmuKit: not measured ({error})")
        return
    n_inputs = n_hyperparameters + n_latent
    shared: dict[str, Any] = {
        f"{name}_{of}": value
        for of in ("objective", "cost")
        for name, value in (
            ("model", get_default_architecture(n_inputs, classification=of == "objective").float()),
            ("task_feature", np.zeros(n_latent)),
            ("x_mean", np.zeros(n_inputs)),
            ("x_std", np.ones(n_inputs)),
            ("y_mean", None if of == "objective" else 0.0),
            ("y_std", None if of == "objective" else 1.0),
        )
    }
    x = np.full((1, n_hyperparameters), 0.5)
    took = seconds(lambda: objective_function(x, log_objective=False, with_noise=False, **shared), 200)
    print(f"EmuKit, its two networks of 500 units: one evaluation (loss and cost) {took * 1e6:.0f} us")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", default="svm")
    parser.add_argument("--train", action="store_true")
    options = parser.parse_args()
    data = meta_data(options.family)
    values = (data.losses - data.losses.mean()) / data.losses.std()
    flat = values.reshape(len(values), -1)
    took = seconds(lambda: encode(flat, FAST, 0), repeats=1)
    print(f"encoder, {flat.shape[0]} tasks x {flat.shape[1]} values: {took:.1f} s")
    if options.train:
        print(f"training, fast mode: {seconds(lambda: train(options.family), repeats=1):.0f} s")
    model = open_model(options.family)
    before, start = resident(), time.process_time()
    tasks = sample(model, 1000)
    took = time.process_time() - start
    for task in tasks:
        task.evaluate_batch(data.codes[:1], task.budgets[-1], None)
    print(f"1,000 tasks: opened in {took:.2f} s; {resident() - before:.0f} MB once each was evaluated")
    evaluations(model, f"{options.family}, fast mode")
    for family in ("svm", "fcnet", "xgboost", "curves"):
        call_patterns(family)
    for n_tasks, n_points in ((100, 10_000), (100, 1000), (1000, 100)):
        batches(model, n_tasks, n_points)
    large = of_units(model, (500, 500, 500))
    evaluations(replace(large, cost=None), "3 x 500 units")
    evaluations(large, "3 x 500 units")
    emukit(len(model.space), model.encoding.means.shape[1])


if __name__ == "__main__":
    main()
