"""How much time do models across budgets save? Simulated seconds to a small regret on `svm-subsets`, as a table.

    python scripts/check_models.py                                 gp, es, mtbo and fabolas, 50 seeds, two minutes
    python scripts/check_models.py --optimizers gp,hyperband,rs --regret 0.02 --first 1000

The counterpart of fig. 4.5 of Klein (2020). A run ends when a configuration whose noise-free loss is within the regret
of the optimum was evaluated at the full budget; its time is that of the simulated clock, with all evaluations. A larger
subset trains from scratch: nothing is continued. The optimizer's computing time counts as 0; Klein includes it.

    evaluated     until such a configuration was evaluated at the full budget
    incumbent     until the incumbent was such a configuration, and remained one until it was evaluated. Klein (2020)
                  measures this: the incumbent of `mtbo` and `fabolas` has the lowest predicted loss and is evaluated
                  outside of the run; that of the others is the best evaluated one

A median is printed with its interval, the 5 % and the 95 % quantile of the bootstrap. Exits with 1 if `mtbo` or
`fabolas` was run, and its incumbent was not at least five times faster than `gp` by the medians.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

import numpy as np
from tqdm import tqdm

from baselines import optimizer as make
from hpo_core import Benchmark, Trial, run
from hpo_core.errors import InvalidOption
from hpo_core.space import Config

LONGEST = 200.0  # evaluations of the mean cost at the full budget, after which a run is given up
FASTER = 5.0
CLAIMED = ("mtbo", "fabolas")


def seconds_to_regret(optimizer: str, benchmark: str, regret: float, seeds: range) -> np.ndarray:
    """Simulated seconds until a configuration within the regret was evaluated in full, and until it was the incumbent.

    Parameters
    ----------
    optimizer, benchmark
        Names.
    regret
        In units of the loss.
    seeds
        Of the runs.

    Returns
    -------
    np.ndarray
        (seeds, 2) seconds; inf if never.
    """
    b = Benchmark(benchmark)
    full, optimum = b.budgets[-1], b.optimum
    if optimum is None:
        raise InvalidOption(f"the regret needs a benchmark whose optimum is known, got {benchmark!r}")
    configs = b.space.sample(np.random.default_rng(0), 100)
    longest = LONGEST * float(np.mean([b.objective(config).cost for config in configs]))

    def is_good(config: Config) -> bool:
        return b.objective(config).loss - optimum <= regret

    def one(seed: int) -> tuple[float, float]:
        o = make(optimizer, b.space, b.budgets, seed=seed)
        since = np.inf  # when the incumbent, as of the last proposal, became good

        def reached(trials: Sequence[Trial]) -> str | None:
            nonlocal since
            incumbent = getattr(o, "incumbent", None)
            if incumbent is None or not is_good(incumbent):
                since = np.inf
            elif since == np.inf:
                since = trials[-2].end  # the last trial that the proposal is based on
            return "reached" if trials[-1].budget == full and is_good(trials[-1].config) else None

        r = run(b, o, n_trials=None, max_cost=longest, stop=reached, seed=seed, resume=False)
        return (r.trials[-1].end, min(since, r.trials[-1].end)) if r.reason == "reached" else (np.inf, np.inf)

    return np.array([one(seed) for seed in tqdm(seeds, optimizer, leave=False)])


def interval(values: np.ndarray) -> tuple[float, float]:
    """5 % and 95 % quantile of the bootstrap of the median."""
    draws = np.random.default_rng(0).choice(values, (2000, len(values)))
    low, high = np.quantile(np.sort(draws, axis=1)[:, len(values) // 2], [0.05, 0.95], method="nearest")
    return float(low), float(high)


def check(optimizers: Sequence[str], benchmark: str, regret: float, seeds: range) -> bool:
    """Whether the claims hold; prints the table.

    Parameters
    ----------
    optimizers, benchmark
        Names.
    regret
        In units of the loss.
    seeds
        Of the runs.

    Returns
    -------
    bool
        True if there is no claim.
    """
    print(f"seconds to a regret of {regret:g} on {benchmark}, seeds {seeds[0]} to {seeds[-1]}\n")
    head = "".join(f"{what:>10}   {'interval':<15}{'gp / it':>8}" for what in ("evaluated", "incumbent"))
    print(f"{'optimizer':<12}{head}   CPU seconds")
    passed, reference = True, None
    for name in optimizers:
        start = time.process_time()
        seconds = seconds_to_regret(name, benchmark, regret, seeds)
        medians = np.median(seconds, axis=0)
        reference = medians if name == "gp" else reference
        faster = None if reference is None else reference / medians
        print(f"{name:<12}", end="")
        for k, median in enumerate(medians):
            low, high = interval(seconds[:, k])
            shown = "" if faster is None else f"{faster[k]:.1f}"
            print(f"{median:>10.3g}   {f'{low:.3g} .. {high:.3g}':<15}{shown:>8}", end="")
        print(f"   {time.process_time() - start:.0f}", flush=True)
        if name in CLAIMED and faster is not None:
            passed = passed and bool(faster[1] >= FASTER)
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--optimizers", default="gp,es,mtbo,fabolas", help="names, joined by commas")
    parser.add_argument("--benchmark", default="svm-subsets", help="a benchmark with several budgets")
    parser.add_argument("--regret", type=float, default=0.01)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    return 0 if check(options.optimizers.split(","), options.benchmark, options.regret, seeds) else 1


if __name__ == "__main__":
    sys.exit(main())
