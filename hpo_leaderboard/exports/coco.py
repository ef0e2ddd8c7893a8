"""COCO's format of results (`bbob-new2`), which cocopp and IOHanalyzer read.

    SUITE/OPTIMIZER/bbobexp_f1.info                     which dimensions, instances and runs there are
    SUITE/OPTIMIZER/data_f1/bbobexp_f1_DIM5.dat         a line for each improvement, and the last evaluation
    SUITE/OPTIMIZER/data_f1/bbobexp_f1_DIM5.tdat        a line at numbers of evaluations that COCO has chosen

A line has the number of evaluations, 0 (of constraints), the lowest f - f_opt so far, f of this evaluation, the lowest
f so far, and the configuration. The runs of an optimizer on one instance with different seeds stand there as
repetitions of the instance, as in COCO's data of 2009.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from hpo_leaderboard.exports.logged_runs import LoggedRun

HEADER = (
    "% f evaluations | g evaluations | best noise-free fitness - Fopt ({optimum:.12e}) + sum g_i+ | measured fitness | "
    "best measured fitness or single-digit g-values | x1 | x2...\n"
)
INFO = (
    "suite = '{suite}', funcId = {function}, DIM = {dimension}, Precision = 1.000e-08, algId = '{algorithm}', "
    "coco_version = '', logger = '{suite}', data_format = 'bbob-new2'\n% {comment}\n{data}"
)
PER_DECADE, PER_DIMENSION = 20, (1, 2, 5)  # evaluations at 10^(k/20), and at 1, 2, 5, 10, 20, 50... x dimension


def write_coco(runs: Sequence[LoggedRun], folder: Path, comment: str) -> None:
    """Write the runs of one optimizer on one suite of COCO, sorted by function, into a folder named after it."""
    for function, own in groupby(runs, key=lambda run: run.problem.function):
        index = []
        by_dimension = sorted(own, key=lambda run: (run.problem.dimension, run.problem.instance, run.seed))
        for dimension, group in groupby(by_dimension, key=lambda run: run.problem.dimension):
            these = list(group)
            data = f"data_f{function}/bbobexp_f{function}_DIM{dimension}.dat"
            path = folder / data
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(_log(run, _at_improvements(run)) for run in these))
            path.with_suffix(".tdat").write_text("".join(_log(run, _at_evaluations(run)) for run in these))
            ends = (f"{run.problem.instance}:{run.n_evaluations}|{run.regret[-1]:.1e}" for run in these)
            index.append(
                INFO.format(
                    suite=these[0].problem.suite,
                    function=function,
                    dimension=dimension,
                    algorithm=folder.name,
                    comment=comment,
                    data=", ".join([data, *ends]),
                )
            )
        (folder / f"bbobexp_f{function}.info").write_text("\n".join(index) + "\n")


def _at_improvements(run: LoggedRun) -> Iterable[int]:
    """Indices of the lines of .dat."""
    return sorted({*run.improvements.tolist(), run.n_evaluations - 1})


def _at_evaluations(run: LoggedRun) -> Iterable[int]:
    """Indices of the lines of .tdat, without those before the first success."""
    n = run.n_evaluations
    exponents = np.arange(int(PER_DECADE * np.log10(n)) + 1) / PER_DECADE
    chosen = {int(number) for number in 10**exponents + 1e-9}
    decades = 10 ** np.arange(len(str(n)))
    chosen |= {run.problem.dimension * base * int(decade) for base in PER_DIMENSION for decade in decades}
    first = int(run.improvements[0])
    return sorted({number - 1 for number in (*chosen, n, first + 1) if first < number <= n})


def _log(run: LoggedRun, indices: Iterable[int]) -> str:
    """Header and lines of one run."""
    regret, best = run.regret, np.minimum.accumulate(run.observed)
    lines = [HEADER.format(optimum=run.optimum)]
    for i in indices:
        x = " ".join(f"{value:+.4e}" for value in run.position(i))
        lines.append(f"{i + 1} 0 {regret[i]:+.16e} {run.observed[i]:+.16e} {best[i]:+.16e} {x}\n")
    return "".join(lines)
