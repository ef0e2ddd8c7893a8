"""Speed of the stopping criteria, next to the terminator of optuna if that is installed, in one run.

    python scripts/bench_stopping.py

CPU seconds of a check after 100, 200 and 500 trials, and of all checks of runs of 200 and of 500 trials, from the 20th
on. A run is a random search over nine hyperparameters like those of the FC-Net tables.

A check is the mean over consecutive checks: from the first one at or after that number of trials at which our default
searches for hyperparameters, to the last before it searches again (102-107, 201-211, 523-549). One search is among
them, as on average over a run. The criterion has made the check before, which is not measured. `every check` is our
bound with a search at each one (variant reference-code), measured over the same checks. Optuna's are measured at every
twentieth trial, those of whole runs are multiplied. Set OMP_NUM_THREADS=1 for times that do not depend on other
processes.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from baselines import criteria
from baselines.parts.search_schedule import last_search, next_search
from baselines.stopping.parts.bound_checks import REGRET_BOUND
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


def window(n: int) -> range:
    """Numbers of trials from a search for hyperparameters, the first at n or after, to the last before the next."""
    first = next_search(last_search(n - 1))
    return range(first, next_search(first))


def ours(settings: BoundSettings, trials: Sequence[Trial], steps: Sequence[int]) -> list[float]:
    """CPU seconds of our bound after each of some numbers of trials."""
    bounds = RegretBounds(SPACE, settings)
    bounds(trials[: steps[0] - 1])
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
    """CPU seconds of a check at 100, 200 and 500 trials (medians) and of all checks of runs of that length."""
    runs = [made_up_run(window(MARKS[-1])[-1], seed) for seed in range(repeats)]
    check(runs[0], [FIRST])  # imports are not what is measured
    single = [float(np.median([np.mean(check(run, window(n)[::thinned])) for run in runs])) for n in MARKS]
    whole = [sum(check(runs[0], range(FIRST, n, thinned))) * thinned for n in MARKS[1:]]
    return [*single, *whole]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="made-up runs for a single check (5)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    results = {
        name: measure(partial(ours, REGRET_BOUND[variant].settings), options.repeats, 1)
        for name, variant in {"ours": "default", "every check": "reference-code"}.items()
    }
    try:
        results["optuna"] = measure(optunas, options.repeats, THINNED)
    except ImportError as error:
        print(f"optuna is left out: {error}")
    heads = [*(f"check at {n}" for n in MARKS), *(f"run of {n}" for n in MARKS[1:])]
    print(f"{'CPU seconds':<14}" + "".join(f"{head:>14}" for head in heads))
    for name, values in results.items():
        print(f"{name:<14}" + "".join(f"{value:>14.4f}" for value in values))
    trials = made_up_run(200, 0)
    print("\none check of each criterion at 200 trials after one at 100, CPU seconds")
    for name in criteria():
        main_option = {"regret-bound": ":0.001", "limit": ":500"}.get(name, "")
        rule = criterion(name + main_option, SPACE)
        rule(trials[:100])
        print(f"  {name:<16} {cpu_seconds(lambda: rule(trials)):.5f}")  # noqa: B023


if __name__ == "__main__":
    main()
