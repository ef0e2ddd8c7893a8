"""IOHprofiler's format of results, which IOHanalyzer and iohinspector read.

    SUITE/OPTIMIZER/IOHprofiler_f1_Sphere.json              runs on a function: instance, evaluations, best, seed
    SUITE/OPTIMIZER/data_f1_Sphere/IOHprofiler_f1_DIM5.dat  a line for the first evaluation, for each improvement,
                                                            and for the last evaluation

`raw_y` is the regret where the optimum is known, as IOHprofiler itself has it for BBOB, and the loss where it is not;
`loss` is the loss in any case, so that f_opt = loss - raw_y. Both are the lowest so far, and inf before the first
success. `seconds` is the run's clock.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from hpo_leaderboard.exports.folder_names import folder_names
from hpo_leaderboard.exports.logged_runs import LoggedRun

VERSION = "0.3.22"  # the release of IOHexperimenter whose files these are like
ATTRIBUTES = ("evaluations", "raw_y", "loss", "seconds")


def write_ioh(runs: Sequence[LoggedRun], folder: Path, comment: str) -> None:
    """Write the runs of one optimizer on one suite, sorted by function, into a folder."""
    safe = folder_names(run.problem.function_name for run in runs)
    for function, own in groupby(runs, key=lambda run: run.problem.function):
        these = sorted(own, key=lambda run: (run.problem.dimension, run.problem.instance, run.seed))
        problem, name = these[0].problem, safe[these[0].problem.function_name]
        scenarios = []
        for dimension, group in groupby(these, key=lambda run: run.problem.dimension):
            logged = list(group)
            path = f"data_f{function}_{name}/IOHprofiler_f{function}_DIM{dimension}.dat"
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text("".join(map(_log, logged)))
            scenarios.append({"dimension": dimension, "path": path, "runs": [_run(run) for run in logged]})
        content = {
            "version": VERSION,
            "suite": problem.suite,
            "function_id": function,
            "function_name": problem.function_name,
            "maximization": False,
            "algorithm": {"name": these[0].optimizer, "info": comment},
            "run_attributes": ["seed"],
            "attributes": ATTRIBUTES,
            "scenarios": scenarios,
        }
        (folder / f"IOHprofiler_f{function}_{name}.json").write_text(json.dumps(content, indent=1))


def _run(run: LoggedRun) -> dict[str, Any]:
    best = int(run.improvements[-1])
    return {
        "instance": run.problem.instance,
        "evals": run.n_evaluations,
        "best": {"evals": best + 1, "y": float(run.regret[best]), "x": run.position(best)},
        "seed": run.seed,
    }


def _log(run: LoggedRun) -> str:
    """Lines of one run; its first evaluation is always there, by which readers tell runs apart."""
    regret, value, seconds = run.regret.tolist(), run.value.tolist(), run.seconds.tolist()
    indices = sorted({0, *run.improvements.tolist(), run.n_evaluations - 1})
    lines = [f"{i + 1} {regret[i]!r} {value[i]!r} {seconds[i]!r}\n" for i in indices]
    return " ".join(ATTRIBUTES) + "\n" + "".join(lines)
