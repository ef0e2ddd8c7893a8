"""Facts about a family of benchmarks, for `scripts/compare_families.py`: what it is, how fast, how hard, from where.

Losses are put on one scale to say how hard a benchmark is: 0 is the lowest loss known (the optimum, or the lowest of
20,000 random configurations and of all runs), 1 the median of random ones.

    easy     share of random configurations below .05 on that scale
    rs 100   expected lowest value of 100 random configurations
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence

import numpy as np

from hpo_core import Benchmark
from hpo_core.space.hyperparameters import Choice

N_RANDOM = 20_000
EASY = 0.05
ALL_OPENED = 12  # instances up to which all of a family are opened to say how large their spaces are
LICENCES = {"Apache": "Apache-2.0", "MIT": "MIT", "BSD": "BSD-3", "CC BY 4.0": "CC BY 4.0"}
SOURCES = {  # of families whose instances each name another one, by the first word of the family
    "mini": "trained by this project on open datasets",
    "profet": "sampled from a meta-model, after Klein et al. (2019)",
}
OWN_LICENCE = "Apache-2.0"


def description(family: str, names: Sequence[str], opened: Sequence[Benchmark], shown: str) -> dict[str, str]:
    """The row of a family in the table of what there is; `shown` is the number of its tasks in words."""
    first = opened[0]
    numeric = sum(not isinstance(h, Choice) or h.kind == "ordinal" for h in first.space)
    kind = ", listed" if first.space.listed is not None else ", conditional" if first.space.conditional else ""
    several = len(first.budgets) > 1
    return {
        "family": f"`{family}`",
        "tasks": shown,
        "numeric + categorical": f"{numeric} + {len(first.space) - numeric}{kind}",
        "configurations": _sizes([Benchmark(name) for name in names] if len(names) <= ALL_OPENED else opened),
        "budgets": f"{first.budgets[0]:.2g} to {first.budgets[-1]:g}" if several else "one",
        "noise": "yes" if is_noisy(first) else "no",
        "test loss": kind_of_test_loss(first),
        "source": SOURCES.get(family.partition("-")[0], citation(first.provenance)),
        "licence": ", ".join(dict.fromkeys(part for b in opened for part in licences(b.provenance))),
    }


def difficulty(family: str, opened: Sequence[Benchmark], lowest: Mapping[str, float]) -> dict[str, str]:
    """The row of a family in the table of measurements; `lowest` has the lowest loss that any run found."""
    scaled = [scaled_losses(b, lowest.get(b.name)) for b in opened]
    return {
        "family": f"`{family}`",
        "us": f"{np.median([microseconds(b) for b in opened]):.0f}",
        "easy": f"{np.mean([np.mean(values < EASY) for values in scaled]):.3f}",
        "rs 100": f"{np.mean([expected_lowest(values, 100) for values in scaled]):.3f}",
    }


def citation(provenance: Mapping[str, object]) -> str:
    """Author and year of the paper, or the source in words."""
    found = re.match(r"(.+?) (\(\d{4}\))", str(provenance.get("paper", "")))
    if found is None:
        return str(provenance["source"])
    authors, year = found.groups()
    return f"{authors.partition(',')[0]} et al. {year}" if "," in authors else f"{authors} {year}"


def licences(provenance: Mapping[str, object]) -> list[str]:
    """Short names of the licences that the provenance names; this project's own if it names none."""
    text = str(provenance.get("licence", OWN_LICENCE))
    return [short for word, short in LICENCES.items() if word in text] or [text]


def _sizes(opened: Sequence[Benchmark]) -> str:
    sizes = [b.space.size for b in opened]
    if np.isinf(sizes).any():
        return "continuous"
    low, high = int(min(sizes)), int(max(sizes))
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


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
    with np.errstate(over="ignore"):  # of losses near the largest number there is
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


def kind_of_test_loss(benchmark: Benchmark) -> str:
    """Whether results have the loss on test data, or other test metrics only."""
    configs = benchmark.space.sample(np.random.default_rng(3), 20)
    keys = {key for config in configs for key in benchmark.objective(config, seed=0).info}
    return "yes" if "test_loss" in keys else "other metrics" if any(key.startswith("test_") for key in keys) else "no"
