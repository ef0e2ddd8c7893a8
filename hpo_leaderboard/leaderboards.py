"""`leaderboard`, `report` and `compare`: what `hpo leaderboard`, `hpo report` and `hpo compare` do, from Python."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_core import Run
from hpo_core.errors import HpoError, InvalidOption
from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.experiments.suite import Suite, changed, make_suite, open_suite

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.experiments.experiment import Engine
    from hpo_leaderboard.store.frames import Frames

StorePath = str | os.PathLike[str]
Named = str | Mapping[str, Any] | Member | type


class NothingToRank(HpoError, RuntimeError):
    """Runs without a trial that succeeded."""


def leaderboard(
    suite: str | os.PathLike[str] | Suite | Iterable[Named | Run],
    optimizers: Iterable[Named] | None = None,
    seeds: int | None = None,
    trials: int | None = None,
    *,
    store: StorePath | None = None,
    engine: str | Engine = "processes",
    progress: bool | None = None,
) -> pandas.DataFrame:
    """Table with a row per optimizer, the best mean rank first, after running what the store does not hold yet.

    Parameters
    ----------
    suite
        Name of a built-in suite, path of a TOML file, a `Suite`, or a list of benchmarks, by name. A list of finished
        runs is only ranked, and takes none of the other arguments. A file that names code to import is opened with
        `open_suite(path, allow_import=True)`.
    optimizers
        Names, `MODULE:CLASS`, classes that a module defines, or mappings with `name`, `options` and `label`; instead of
        the suite's, if there are any. A list of benchmarks needs them.
    seeds
        Runs per pair of benchmark and optimizer, instead of the suite's; 20 for a list of benchmarks.
    trials
        Evaluations per run, instead of the suite's; 100 for a list of benchmarks.
    store
        SQLite file in which the runs are kept, made if need be; `report` and `compare` read it. What it holds of other
        suites is ranked too. Without it the runs are thrown away in the end.
    engine
        "processes", "serial" or "dask", or an engine made by `hpo_leaderboard.engines.make_engine`.
    progress
        Whether a progress bar is shown; None shows it on a terminal.

    Returns
    -------
    pandas.DataFrame
        The columns of `hpo_leaderboard.scores.leaderboard`, and first `benchmarks`, their names. Optimizers are ranked
        on the benchmarks that all of them ran on: if some benchmarks had fewer optimizers, they make up a table of
        their own below. What could not be run, and why runs broke, is said in a warning.

    Examples
    --------
    >>> from hpo_leaderboard.leaderboards import leaderboard
    >>> board = leaderboard(["branin", "forrester"], ["rs", "de"], seeds=3, trials=20, engine="serial")
    >>> sorted(board["optimizer"]), board["n_runs"].tolist()
    (['de', 'rs'], [6, 6])
    """
    listed: Any = suite if isinstance(suite, (str, os.PathLike, Suite)) else list(suite)
    if isinstance(listed, list) and listed and all(isinstance(entry, Run) for entry in listed):
        _refuse(optimizers=optimizers, seeds=seeds, trials=trials, store=store)
        return ranked(listed)
    chosen = _suite(listed, optimizers, seeds, trials)
    if store is not None:
        return _run_and_rank(chosen, Path(store), engine, progress)
    with tempfile.TemporaryDirectory(prefix="hpo-foundry-") as folder:
        return _run_and_rank(chosen, Path(folder) / "runs.sqlite", engine, progress)


def report(store: StorePath, out: StorePath | None = None) -> Path:
    """Path of the page about a store, after writing it, with data, figures and tables beside it.

    `out` is the directory to write to, that of the store by default.
    """
    from hpo_leaderboard.report import write_report

    return write_report(Path(store), Path(store).parent if out is None else Path(out))


def compare(runs: StorePath | Sequence[Run], a: str, b: str) -> pandas.DataFrame:
    """Comparison of the final regrets of two optimizers, of a store or a list of runs, as `compare_pair` has it.

    An optimizer is named as in the leaderboard, or by less of that label, see `full_label`.
    """
    from hpo_leaderboard.report.pair import compare_pair
    from hpo_leaderboard.scores.incumbents import incumbents
    from hpo_leaderboard.store.labels import full_label

    frames = _frames(runs)
    known = sorted(set(frames.trials["optimizer"]))
    return compare_pair(incumbents(frames.trials, frames.tasks), full_label(a, known), full_label(b, known))


def ranked(runs: StorePath | Sequence[Run], imports: Collection[str] = ()) -> pandas.DataFrame:
    """Leaderboard of the runs of a store, or of a list of runs, as `leaderboard` returns it.

    `imports` are benchmarks of your own, `MODULE:ATTRIBUTE`, that may be imported to compute targets.
    """
    import pandas as pd

    from hpo_leaderboard.report.scored.groups import make_groups

    boards = []
    for group in make_groups(_frames(runs), imports=imports):
        board = group.board.copy()
        board.insert(0, "benchmarks", ", ".join(group.benchmarks))
        boards.append(board)
    if not boards:
        raise NothingToRank(f"a leaderboard needs a trial that succeeded, got none in {_shown(runs)}")
    return pd.concat(boards, ignore_index=True)


def _refuse(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise InvalidOption(f"finished runs are only ranked, so {name} must be left out, got {value!r}")


def _suite(
    suite: str | os.PathLike[str] | Suite | list[Named],
    optimizers: Iterable[Named] | None,
    seeds: int | None,
    trials: int | None,
) -> Suite:
    members = None if optimizers is None else [_importable(entry) for entry in _listed(optimizers, "optimizers")]
    if isinstance(suite, (str, os.PathLike)):
        suite = open_suite(suite)
    if isinstance(suite, Suite):
        return changed(suite, optimizers=members, n_seeds=seeds, n_trials=trials)
    if members is None:
        raise InvalidOption("a list of benchmarks needs a list of optimizers, got none; `optimizers()` has their names")
    limits = {"n_seeds": seeds, "n_trials": trials}
    given = {name: limit for name, limit in limits.items() if limit is not None}
    return make_suite("listed", [_importable(entry) for entry in suite], members, **given)


def _listed(entries: Iterable[Named], what: str) -> list[Named]:
    if isinstance(entries, str):
        raise InvalidOption(f"{what} are a list of names, got {entries!r}; write [{entries!r}]")
    return list(entries)


def _importable(entry: Named) -> str | Mapping[str, Any] | Member:
    """A class as `MODULE:CLASS`, by which other processes find it; anything else as it is."""
    if not isinstance(entry, type):
        return entry
    if entry.__module__ == "__main__" or "." in entry.__qualname__:
        raise InvalidOption(
            f"a class that runs in other processes must be importable from a module, got {entry.__qualname__} of "
            f"{entry.__module__}; put it into a file of its own, or use `run`, which takes any class"
        )
    return {"name": f"{entry.__module__}:{entry.__qualname__}", "label": entry.__name__}


def _run_and_rank(suite: Suite, store: Path, engine: str | Engine, progress: bool | None) -> pandas.DataFrame:
    from hpo_leaderboard.engines import make_engine
    from hpo_leaderboard.experiments.experiment import run_experiment

    left_out: list[str] = []
    made = make_engine(engine) if isinstance(engine, str) else engine
    outcome = run_experiment(suite, store, made, announce=left_out.append, progress=progress)
    for line in [*left_out, *(f"{count} x {failure}" for failure, count in outcome.failures.items())]:
        warnings.warn(line, stacklevel=3)
    return ranked(store, [member.name for member in suite.benchmarks])


def _frames(runs: StorePath | Sequence[Run]) -> Frames:
    from hpo_leaderboard.scores.from_runs import tables_of
    from hpo_leaderboard.store.store import reading

    if not isinstance(runs, (str, os.PathLike)):
        return tables_of(runs)
    with reading(Path(runs)) as opened:
        frames = opened.frames(configs=False)
    if frames.trials.empty:
        raise NothingToRank(f"a comparison needs a run with a trial, got none in {_shown(runs)}: all of its runs broke")
    return frames


def _shown(runs: StorePath | Sequence[Run]) -> str:
    return os.fspath(runs) if isinstance(runs, (str, os.PathLike)) else f"{len(runs)} runs"
