"""Speed of the stopping criteria, next to the terminator of optuna if that is installed, in one run.

    python scripts/bench_stopping.py

CPU seconds of one check after 100, 200 and 500 trials, by a new criterion that has seen none of them, and of all checks
of runs of 200 and of 500 trials, from the 20th on. A run is a random search over nine hyperparameters like those of the
FC-Net tables. Optuna's checks of whole runs are measured at every twentieth trial and multiplied. Set OMP_NUM_THREADS=1
for times that do not depend on other processes.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from baselines import criteria
from baselines.stopping.parts.regret import BoundSettings, RegretBounds
from baselines.stopping.registry import criterion
from hpo_core import Categorical, Ordinal, Proposal, Result, Space, Trial

SIZES = {"batch": 4, "dropout_1": 3, "dropout_2": 3, "lr": 6, "units_1": 6, "units_2": 6}
SPACE = Space(
    [
        *(Ordinal(name, list(range(size))) for name, size in SIZES.items()),
        *(Categorical(name, ["a", "b"]) for name in ("activation_1", "activation_2", "schedule")),
    ]
)
FIRST, THINNED = 20, 20
MARKS = (100, 200, 500)  # trials before a check


def made_up_run(n: int, seed: int) -> list[Trial]:
    """Trials of random configurations, their losses smooth in the hyperparameters, with noise and skew."""
    rng = np.random.default_rng(seed)
    weights, shifts = rng.normal(size=len(SIZES)), rng.random(len(SIZES))
    trials = []
    for step, config in enumerate(SPACE.sample(rng, n)):
        unit = np.array([config[name] / (size - 1) for name, size in SIZES.items()])
        level = float(weights @ np.cos(3 * (unit - shifts))) + 0.3 * (config["schedule"] == "a")
        trials.append(Trial(Proposal(config), Result(float(np.exp(level + 0.05 * rng.normal())), 1.0, 1, {}), step))
    return trials


def cpu_seconds(call: Callable[[], Any]) -> float:
    """CPU seconds of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def ours(trials: Sequence[Trial], steps: Sequence[int]) -> list[float]:
    """CPU seconds of our bound after each of some numbers of trials."""
    bounds = RegretBounds(SPACE, BoundSettings())
    return [cpu_seconds(lambda: bounds(trials[:n])) for n in steps]  # noqa: B023


def optunas(trials: Sequence[Trial], steps: Sequence[int]) -> list[float]:
    """CPU seconds of optuna's bound after each of some numbers of trials."""
    import optuna
    from optuna.distributions import CategoricalDistribution, IntDistribution
    from optuna.terminator import RegretBoundEvaluator

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space: dict[str, Any] = {name: IntDistribution(0, size - 1) for name, size in SIZES.items()}
    space |= {name: CategoricalDistribution(["a", "b"]) for name in ("activation_1", "activation_2", "schedule")}
    frozen = [
        optuna.trial.create_trial(params=dict(trial.config), distributions=space, value=trial.loss) for trial in trials
    ]
    evaluator = RegretBoundEvaluator(seed=0)
    direction = optuna.study.StudyDirection.MINIMIZE
    return [cpu_seconds(lambda: evaluator.evaluate(frozen[:n], direction)) for n in steps]  # noqa: B023


def measure(check: Callable[[Sequence[Trial], Sequence[int]], list[float]], repeats: int, thinned: int) -> list[float]:
    """CPU seconds of one check at 100, 200 and 500 trials (medians) and of all checks of runs of that length."""
    runs = [made_up_run(500, seed) for seed in range(repeats)]
    check(runs[0], [FIRST])  # imports are not what is measured
    single = [float(np.median([check(run, [n])[0] for run in runs])) for n in MARKS]
    whole = [sum(check(runs[0], range(FIRST, n, thinned))) * thinned for n in MARKS[1:]]
    return [*single, *whole]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="made-up runs for a single check (5)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results = {"ours": measure(ours, options.repeats, 1)}
    try:
        results["optuna"] = measure(optunas, options.repeats, THINNED)
    except ImportError as error:
        print(f"optuna is left out: {error}")
    heads = [*(f"check at {n}" for n in MARKS), *(f"run of {n}" for n in MARKS[1:])]
    print(f"{'CPU seconds':<14}" + "".join(f"{head:>14}" for head in heads))
    for name, values in results.items():
        print(f"{name:<14}" + "".join(f"{value:>14.4f}" for value in values))
    trials = made_up_run(200, 0)
    print("\none check of each criterion at 200 trials, CPU seconds")
    for name in criteria():
        main_option = {"regret-bound": ":0.001", "limit": ":500"}.get(name, "")
        rule = criterion(name + main_option, SPACE)
        rule(trials[:100])
        print(f"  {name:<16} {cpu_seconds(lambda: rule(trials)):.5f}")  # noqa: B023


if __name__ == "__main__":
    main()
