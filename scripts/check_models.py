"""How much time do models across budgets save? Simulated seconds to a small regret on `svm-subsets`, as a table.

    python scripts/check_models.py                                 gp, es, mtbo and fabolas, 20 seeds, half a minute
    python scripts/check_models.py --optimizers gp,hyperband,rs --seeds 50 --regret 0.02

The counterpart of fig. 4.5 of the thesis. A run is over when a configuration whose noise-free loss lies within the
regret of the optimum was evaluated at the full budget, and its time is that on the clock of the run, all evaluations
included. A larger subset trains anew: nothing is continued. The thesis looks at the predicted incumbent, which need not
have been evaluated, and counts the optimizer's own time, which is 0 here.

A median is printed with its interval, the 5 % and the 95 % quantile of the bootstrap. Exits with 1 if `mtbo` or
`fabolas` is there, and not at least five times faster than `gp` by the medians.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np

from hpo_core import Benchmark, Trial, run
from hpo_core.errors import InvalidOption

LONGEST = 200.0  # evaluations of the mean cost at the full budget, after which a run is given up
FASTER = 5.0
CLAIMED = ("mtbo", "fabolas")


def seconds_to_regret(optimizer: str, benchmark: str, regret: float, n_seeds: int) -> np.ndarray:
    """(n_seeds,) simulated seconds until a configuration within the regret was evaluated in full; inf if never."""
    b = Benchmark(benchmark)
    full, optimum = b.budgets[-1], b.optimum
    if optimum is None:
        raise InvalidOption(f"the regret needs a benchmark whose optimum is known, got {benchmark!r}")

    def reached(trials: Sequence[Trial]) -> str | None:
        latest = trials[-1]
        good = latest.budget == full and b.objective(latest.config).loss - optimum <= regret
        return "reached" if good else None

    configs = b.space.sample(np.random.default_rng(0), 100)
    longest = LONGEST * float(np.mean([b.objective(config).cost for config in configs]))
    seconds = []
    for seed in range(n_seeds):
        r = run(b, optimizer, n_trials=None, max_cost=longest, stop=reached, seed=seed, resume=False)
        seconds.append(r.trials[-1].end if r.reason == "reached" else np.inf)
    return np.array(seconds)


def interval(values: np.ndarray) -> tuple[float, float]:
    """5 % and 95 % quantile of the bootstrap of the median."""
    draws = np.random.default_rng(0).choice(values, (2000, len(values)))
    low, high = np.quantile(np.sort(draws, axis=1)[:, len(values) // 2], [0.05, 0.95], method="nearest")
    return float(low), float(high)


def check(optimizers: Sequence[str], benchmark: str, regret: float, n_seeds: int) -> bool:
    """Whether the claims hold; prints the table."""
    print(f"seconds to a regret of {regret:g} on {benchmark}, {n_seeds} seeds\n")
    print(f"{'optimizer':<12}{'median':>9}   {'interval':<18}{'gp / it':>8}   CPU seconds")
    passed, reference = True, None
    for name in optimizers:
        start = time.process_time()
        seconds = seconds_to_regret(name, benchmark, regret, n_seeds)
        median, (low, high) = float(np.median(seconds)), interval(seconds)
        reference = median if name == "gp" else reference
        faster = None if reference is None else reference / median
        shown = "" if faster is None else f"{faster:.1f}"
        cpu = time.process_time() - start
        print(f"{name:<12}{median:>9.3g}   {f'{low:.3g} .. {high:.3g}':<18}{shown:>8}   {cpu:.0f}", flush=True)
        if name in CLAIMED and faster is not None:
            passed = passed and faster >= FASTER
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--optimizers", default="gp,es,mtbo,fabolas", help="names, joined by commas")
    parser.add_argument("--benchmark", default="svm-subsets", help="a benchmark with several budgets")
    parser.add_argument("--regret", type=float, default=0.01)
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    return 0 if check(options.optimizers.split(","), options.benchmark, options.regret, options.seeds) else 1


if __name__ == "__main__":
    sys.exit(main())
