"""`hpo run`: an optimizer on a benchmark, once per seed."""

from __future__ import annotations

import argparse
import math
import re
import statistics
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_cli.parts.arguments import Parser, parse_option
from hpo_cli.parts.rendering import Column, Output, Row, add_formats

if TYPE_CHECKING:
    from hpo_core import Benchmark, Run, StoppingCriterion, Trial

EXAMPLES = """\
examples:
  hpo run protein tpe --trials 100 --seeds 5
  hpo run counting-ones-8-8 bohb --max-cost 200000 --trials 1000 --workers 4
  hpo run protein tpe --trials 500 --stop "regret-bound:0.001"
  hpo run protein re --option population=20 --option tournament=5
  hpo run protein my_module:MySearch                 a class in my_module.py of this directory
  hpo run mini-wine dehb-lib@./env-dehb              a library in an environment of its own
  hpo run protein rs --seeds 10 --json

A run breaks if the optimizer raises an exception or proposes what is not in the space, or if no trial has a loss; the
other seeds are run all the same. The exit status is then 1.
"""
COLUMNS = [
    Column("seed", "{seed}", right=True, width=6),
    Column("trials", "{trials}", right=True, width=6),
    Column("failed", "{failed}", right=True, width=6),
    Column("lowest loss", lambda row: _number(row["loss"], ".6g"), right=True, width=13),
    Column("regret", lambda row: _number(row["regret"], ".4g"), right=True, width=11),
    Column("seconds", lambda row: _number(row["seconds"], ".1f"), right=True, width=11),
    Column("ended by", "{reason}", cut=True),
]


def add_run(parser: Parser) -> None:
    parser.explain("Run an optimizer on a benchmark, once per seed, on a simulated clock.", EXAMPLES)
    parser.add_argument("benchmark", help="see `hpo list`, or MODULE:FUNCTION", complete="benchmarks")
    parser.add_argument(
        "optimizer", help="see `hpo optimizers`, or MODULE:CLASS, NAME@ENV, cmd@COMMAND", complete="optimizers"
    )
    parser.add_argument("--trials", type=int, default=100, help="evaluations per run (100)")
    parser.add_argument("--max-cost", type=float, help="simulated seconds per run")
    parser.add_argument("--seeds", type=int, default=1, help="number of runs, with the seeds 0, 1, ... (1)")
    parser.add_argument("--workers", type=int, default=1, help="evaluations at the same time (1)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="option of the optimizer")
    parser.add_argument("--prior", choices=("near", "good", "bad"), help="prior of this quality")
    parser.add_argument("--default-first", action="store_true", help="propose the prior's mode, or the default, first")
    parser.add_argument(
        "--stop", metavar="CRITERION", help="stopping criterion, see `hpo criteria`", complete="criteria"
    )
    parser.add_argument("--out", type=Path, help="directory for the runs, one file each")
    add_formats(parser)
    parser.set_defaults(action=_run)


def _run(options: argparse.Namespace, out: Output) -> int:
    from hpo_core.errors import InvalidOption
    from hpo_leaderboard.experiments.random_phases import random_phase_line

    if options.seeds < 1:
        raise InvalidOption(f"--seeds must be at least 1, got {options.seeds}")
    done: list[Row] = []
    out.table(COLUMNS, _with_median(_rows(options), done, out))
    if all(row["n_random"] is not None and row["n_random"] >= row["trials"] > 0 for row in done):
        out.say(random_phase_line(options.optimizer))
    for line in _what_is_known(options, [row["reason"] for row in done]):
        out.say(line)
    return int(any(row["broke"] for row in done))


def _what_is_known(options: argparse.Namespace, reasons: Sequence[str]) -> list[str]:
    """What recorded runs say about the criterion that stopped some of the runs."""
    if options.stop is None:
        return []
    from hpo_core import Benchmark
    from hpo_core.names import make_criterion
    from hpo_leaderboard.stopping.measured import measured_lines

    return measured_lines(make_criterion(options.stop, Benchmark(options.benchmark).space), reasons, options.benchmark)


def _with_median(rows: Iterator[Row], done: list[Row], out: Output) -> Iterator[Row]:
    """The rows, which are kept in `done`, and as text a last one with the medians of several."""
    for row in rows:
        done.append(row)
        yield row
    if len(done) > 1 and out.form == "text":
        known = [row["regret"] for row in done if row["regret"] is not None]
        medians = {
            "loss": statistics.median(row["loss"] for row in done),
            "regret": statistics.median(known) if known else None,
        }
        yield {"seed": "median", "trials": "", "failed": "", "seconds": "", "reason": "", **medians}


def _rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each run, as soon as it is finished."""
    from tqdm import tqdm

    from baselines import optimizer
    from baselines.adapters.parts.conversation import PeerFault, PeerLost
    from hpo_core import Benchmark, run
    from hpo_core.errors import HpoError, InvalidBudget, InvalidConfig
    from hpo_core.names import make_criterion
    from hpo_core.running.optimizer import n_random_of
    from hpo_leaderboard.engines.threads import one_thread

    benchmark = Benchmark(options.benchmark)
    settings = dict(parse_option(text) for text in options.option)
    if options.default_first:
        settings["default_first"] = True
    if options.prior is not None:
        from hpo_leaderboard.experiments.study_priors import study_prior

        benchmark = benchmark.with_prior(study_prior(benchmark, options.prior))
    n_trials = options.trials * options.seeds
    broken = (InvalidBudget, InvalidConfig, PeerFault, PeerLost)  # say something about the run, not about the command
    with one_thread(), tqdm(total=n_trials, unit="trial", disable=None, leave=False) as bar:
        for seed in range(options.seeds):
            method = optimizer(options.optimizer, benchmark.space, benchmark.budgets, seed, **settings)
            stop = None if options.stop is None else make_criterion(options.stop, benchmark.space)
            bar.set_description(f"{options.benchmark} {options.optimizer} seed {seed}")
            limits = {"n_trials": options.trials, "max_cost": options.max_cost, "workers": options.workers}
            try:
                done = run(benchmark, method, **limits, seed=seed, stop=_watched(bar, stop))
            except (Exception, SystemExit) as error:
                if isinstance(error, HpoError) and not isinstance(error, broken):
                    raise
                traceback.print_exc(file=sys.stderr)
                yield {**_broken_row(options, seed, error), "n_random": n_random_of(method)}
                continue
            if options.out is not None:
                done.save(_file(options, seed))
            yield {**_row(options, benchmark, done), "n_random": n_random_of(method)}


def _file(options: argparse.Namespace, seed: int) -> Path:
    options.out.mkdir(parents=True, exist_ok=True)
    names = (re.sub(r"[^\w.,=-]", "-", name) for name in (options.benchmark, options.optimizer))
    return options.out / f"{'_'.join(names)}_{seed}.jsonl"


def _watched(bar: Any, stop: StoppingCriterion | None) -> StoppingCriterion:
    """A stopping criterion, or one that never stops, that also moves the bar."""
    best = math.inf

    def tick(trials: Sequence[Trial]) -> str | None:
        nonlocal best
        best = min(best, trials[-1].loss)
        bar.set_postfix_str(f"lowest loss {best:.6g}", refresh=False)
        bar.update()
        return None if stop is None else stop(trials)

    return tick


def _row(options: argparse.Namespace, benchmark: Benchmark, done: Run) -> Row:
    """Row of a run.

    The loss is the lowest that was seen; the regret is that of the incumbent's noise-free loss at the full budget
    against the benchmark's optimum, None where that is unknown.
    """
    path = done.incumbent()
    loss = float(path.losses[-1]) if done.trials else math.inf
    regret = None
    if benchmark.optimum is not None and math.isfinite(loss):
        regret = benchmark.objective(done.trials[path.indices[-1]].config).loss - benchmark.optimum
    return {
        "benchmark": options.benchmark,
        "optimizer": options.optimizer,
        "seed": done.seed,
        "trials": len(done.trials),
        "failed": sum(trial.failure is not None for trial in done.trials),
        "loss": loss,
        "regret": regret,
        "seconds": max((trial.end for trial in done.trials), default=0.0),
        "reason": done.reason,
        "broke": not math.isfinite(loss),
    }


def _broken_row(options: argparse.Namespace, seed: int, error: BaseException) -> Row:
    return {
        "benchmark": options.benchmark,
        "optimizer": options.optimizer,
        "seed": seed,
        "trials": 0,
        "failed": 0,
        "loss": math.inf,
        "regret": None,
        "seconds": 0.0,
        "reason": f"broke: {type(error).__name__}: {error}",
        "broke": True,
    }


def _number(value: Any, form: str) -> str:
    return "unknown" if value is None else value if isinstance(value, str) else format(value, form)
