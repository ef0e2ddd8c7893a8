"""`hpo optimizers` and `hpo run`."""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines import optimizer
from baselines.stopping import criterion
from hpo_core import Benchmark, Run, run
from hpo_core.errors import InvalidOption
from hpo_core.names import optimizers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpo_core import StoppingCriterion, Trial

EXAMPLES = """\
examples:
  hpo run protein tpe --trials 100 --seeds 5
  hpo run counting-ones-8-8 bohb --max-cost 200000 --trials 1000 --workers 4
  hpo run protein tpe --trials 500 --stop "regret-bound:0.001"
  hpo run protein re --option population=20 --option tournament=5
"""


def add(subcommands: Any) -> None:
    listing = subcommands.add_parser(
        "optimizers",
        help="names of the optimizers",
        description="Names of the optimizers, with one line and the paper each.",
        epilog="Use a name as in `hpo run BENCHMARK NAME` or `optimizer(NAME, space)`; docs/optimizers.md has more.",
    )
    listing.set_defaults(action=_optimizers)
    command = subcommands.add_parser(
        "run",
        help="run an optimizer on a benchmark",
        description="Run an optimizer on a benchmark, once per seed, on a simulated clock.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("benchmark", help="see `hpo list`")
    command.add_argument("optimizer", help="see `hpo optimizers`")
    command.add_argument("--trials", type=int, default=100, help="evaluations per run (100)")
    command.add_argument("--max-cost", type=float, help="simulated seconds per run")
    command.add_argument("--seeds", type=int, default=1, help="number of runs, with the seeds 0, 1, ... (1)")
    command.add_argument("--workers", type=int, default=1, help="evaluations at the same time (1)")
    command.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the optimizer")
    command.add_argument("--stop", metavar="CRITERION", help="stopping criterion, see `hpo criteria`")
    command.add_argument("--out", type=Path, help="directory for the runs, one file each")
    command.set_defaults(action=_run)


def _optimizers(options: argparse.Namespace) -> None:
    for name, entry in optimizers().items():
        budgets = "  [several budgets]" if getattr(entry, "multi_fidelity", False) else ""
        paper = f"; {entry.paper}" if entry.paper else ""
        print(f"{name:<16} {entry.summary}{paper}{budgets}")


def _run(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    if options.seeds < 1:
        raise InvalidOption(f"--seeds must be at least 1, got {options.seeds}")
    benchmark = Benchmark(options.benchmark)
    settings = dict(parse_option(text) for text in options.option)
    runs = []
    with tqdm(total=options.trials * options.seeds, unit="trial", disable=None, leave=False) as bar:
        for seed in range(options.seeds):
            method = optimizer(options.optimizer, benchmark.space, benchmark.budgets, seed, **settings)
            bar.set_description(f"{options.benchmark} {options.optimizer} seed {seed}")
            done = run(
                benchmark,
                method,
                n_trials=options.trials,
                max_cost=options.max_cost,
                seed=seed,
                workers=options.workers,
                stop=_watched(bar, None if options.stop is None else criterion(options.stop, benchmark.space)),
            )
            runs.append(done)
            if options.out is not None:
                options.out.mkdir(parents=True, exist_ok=True)
                done.save(options.out / f"{options.benchmark.replace('/', '-')}_{options.optimizer}_{seed}.jsonl")
    print(closing_table(benchmark, runs))


def parse_option(text: str) -> tuple[str, Any]:
    """Name and value of `NAME=VALUE`; the value is read as JSON where it is JSON, else it is the text."""
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise InvalidOption(f"an option is written NAME=VALUE, got {text!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _watched(bar: Any, stop: StoppingCriterion | None) -> StoppingCriterion:
    """A stopping criterion, or one that never stops, that also moves the bar."""
    best = float("inf")

    def tick(trials: Sequence[Trial]) -> str | None:
        nonlocal best
        best = min(best, trials[-1].loss)
        bar.set_postfix_str(f"lowest loss {best:.6g}", refresh=False)
        bar.update()
        return None if stop is None else stop(trials)

    return tick


def closing_table(benchmark: Benchmark, runs: Sequence[Run]) -> str:
    """What came of the runs, a line each, and the median.

    The regret is that of the incumbent's noise-free loss at the full budget against the benchmark's optimum.
    """
    lines = [f"{'seed':>6} {'trials':>7} {'failed':>7} {'lowest loss':>14} {'regret':>12} {'seconds':>12}  ended by"]
    losses, regrets = [], []
    for r in runs:
        trajectory = r.incumbent()
        loss = float(trajectory.losses[-1]) if r.trials else float("inf")
        losses.append(loss)
        regret = _regret(benchmark, r, int(trajectory.indices[-1]) if r.trials else -1)
        if regret is not None:
            regrets.append(regret)
        failed = sum(trial.failure is not None for trial in r.trials)
        seconds = max((trial.end for trial in r.trials), default=0.0)
        shown = "unknown" if regret is None else f"{regret:.4g}"
        lines.append(
            f"{r.seed:>6} {len(r.trials):>7} {failed:>7} {loss:>14.6g} {shown:>12} {seconds:>12.1f}  {r.reason}"
        )
    if len(runs) > 1:
        middle = f"{statistics.median(regrets):.4g}" if regrets else "unknown"
        lines.append(f"{'median':>6} {'':>7} {'':>7} {statistics.median(losses):>14.6g} {middle:>12}")
    return "\n".join(lines)


def _regret(benchmark: Benchmark, r: Run, place: int) -> float | None:
    if benchmark.optimum is None or place < 0:
        return None
    return benchmark.objective(r.trials[place].config).loss - benchmark.optimum
