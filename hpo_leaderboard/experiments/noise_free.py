"""Noise-free losses of configurations, by which runs are scored; no optimizer ever sees them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_core import Benchmark, Result, Trial
from hpo_core.space import Config


def noise_free_trials(
    benchmark: Benchmark, trials: Sequence[Trial], lines: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """(n,) noise-free losses and (n,) test losses of trials, NaN where unknown.

    `lines` are the configurations as text: one that occurs several times is evaluated once.
    """
    configs = {line: trial.config for line, trial in zip(lines, trials, strict=True)}
    index = {line: i for i, line in enumerate(configs)}
    losses, tests = noise_free_losses(benchmark, list(configs.values()))
    rows = np.array([index[line] for line in lines], dtype=np.intp)
    return losses[rows], tests[rows]


def noise_free_losses(benchmark: Benchmark, configs: Sequence[Config]) -> tuple[np.ndarray, np.ndarray]:
    """(n,) losses and (n,) test losses at the full budget without noise, NaN where unknown.

    They are known where the benchmark says that such an evaluation is cheap. A configuration whose evaluation raises an
    exception is NaN, and so is a test loss that was not recorded.
    """
    unknown = np.full(len(configs), np.nan)
    if not benchmark.noise_free_is_cheap or not configs:
        return unknown, unknown
    first = _evaluate(benchmark, configs[0])
    if first is None or not first.info.keys() & {"test_loss", "not_recorded"}:
        try:
            return benchmark.objective_batch(configs)[0], unknown
        except Exception:  # noqa: S110
            pass  # one of them fails; the loop below finds out which
    results = [_evaluate(benchmark, config) for config in configs]
    losses = [np.nan if result is None else result.loss for result in results]
    tests = [np.nan if result is None else result.info.get("test_loss", np.nan) for result in results]
    return np.array(losses, dtype=float), np.array(tests, dtype=float)


def _evaluate(benchmark: Benchmark, config: Config) -> Result | None:
    try:
        return benchmark.objective(config)
    except Exception:
        return None
