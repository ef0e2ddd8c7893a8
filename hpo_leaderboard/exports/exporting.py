"""`export_runs`: runs as a directory that another tool reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hpo_core.errors import InvalidOption, nearest
from hpo_core.problems.coco.names import FAMILIES
from hpo_core.storage.files import new_directory
from hpo_leaderboard.exports.coco import write_coco
from hpo_leaderboard.exports.folder_names import folder_names
from hpo_leaderboard.exports.ioh import write_ioh
from hpo_leaderboard.exports.logged_runs import LoggedRun, logged_runs
from hpo_leaderboard.store.selection import select
from hpo_leaderboard.store.store import reading

if TYPE_CHECKING:
    from hpo_leaderboard.scores.from_runs import Source

    Writer = Callable[[Sequence[LoggedRun], Path, str], None]

FORMATS: Mapping[str, Writer] = {"coco": write_coco, "ioh": write_ioh}


class ExportedRuns(NamedTuple):
    """How many runs with how many evaluations were written, and a sentence for everything that was left out."""

    n_runs: int
    n_evaluations: int
    left_out: list[str]


def export_store(
    store_path: str | Path, out: str | Path, form: str, chosen: Mapping[str, Any] | None = None
) -> ExportedRuns:
    """Write the runs of a store that may be compared, see `export_runs`; `chosen` are arguments of `select`."""
    _check_format(form)
    with reading(store_path) as store:
        frames, left_out = select(store, **(chosen or {}))
    exported = export_runs(frames, out, form)
    return exported._replace(left_out=left_out + exported.left_out)


def export_runs(runs: Source, out: str | os.PathLike[str], form: str) -> ExportedRuns:
    """Write runs as a directory in the format of another tool.

    Parameters
    ----------
    runs
        A list of `Run`, the frames of a store, or a table of trials with their configurations.
    out
        Directory to make. One that is there must be empty; it appears when it is complete.
    form
        "coco" for cocopp, of runs on `bbob/...` and `bbob-mixint/...`; "ioh" for IOHanalyzer, of any runs.

    Returns
    -------
    ExportedRuns
        What was written, and what was left out.

    Examples
    --------
    >>> import hpo_foundry as hpo
    >>> runs = [hpo.run(hpo.Benchmark("branin"), "rs", n_trials=20, seed=seed) for seed in range(3)]
    >>> hpo.export_runs(runs, getfixture("tmp_path") / "exported", "ioh")
    ExportedRuns(n_runs=3, n_evaluations=60, left_out=[])
    """
    _check_format(form)
    found, left_out = logged_runs(runs)
    if form == "coco":
        found, others = _of_coco(found)
        left_out += others
    if not found:
        raise InvalidOption("; ".join(["there is nothing to export", *left_out]))
    with new_directory(Path(out)) as directory:
        _write(found, directory, FORMATS[form])
    return ExportedRuns(len(found), sum(run.n_evaluations for run in found), left_out)


def _check_format(form: str) -> None:
    if form not in FORMATS:
        raise InvalidOption(f"the format must be one of {', '.join(FORMATS)}, got {form!r}{nearest(form, FORMATS)}")


def _of_coco(runs: list[LoggedRun]) -> tuple[list[LoggedRun], list[str]]:
    """The runs on functions of COCO, and what is said of the others."""
    others = sorted({run.problem.function_name for run in runs if run.problem.coco is None})
    if not others:
        return runs, []
    named = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
    said = f"{named}: COCO's format is for its own suites {' and '.join(FAMILIES)} only; `--format ioh` takes any"
    return [run for run in runs if run.problem.coco is not None], [said]


def _write(runs: list[LoggedRun], directory: Path, write: Writer) -> None:
    from tqdm import tqdm

    names = folder_names(run.optimizer for run in runs)
    made_by = f"made by hpo-foundry {version('hpo-foundry')}"
    parts = sorted(runs, key=lambda run: (run.problem.suite, run.optimizer))  # stable: functions stay in order
    for _, group in groupby(tqdm(parts, unit="run", disable=None, leave=False), key=_part):
        own = list(group)
        suite, optimizer = _part(own[0])
        write(own, directory / suite / names[optimizer], made_by)


def _part(run: LoggedRun) -> tuple[str, str]:
    return run.problem.suite, run.optimizer
