"""A store in other forms: one table of all trials as CSV or Parquet, and several stores as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hpo_core.errors import DamagedFile, InvalidOption, MissingExtra
from hpo_core.storage.files import replacing
from hpo_leaderboard.store.schema import ConflictingRuns
from hpo_leaderboard.store.selection import select
from hpo_leaderboard.store.store import StoredRun, reading, writing

BATCH = 500  # runs that are copied in one transaction


class Exported(NamedTuple):
    """How many trials were written, and a sentence for each kind of runs that were left out."""

    n_trials: int
    left_out: list[str]


def export_trials(store_path: str | Path, out: str | Path, chosen: Mapping[str, Any] | None = None) -> Exported:
    """Write the trials of a store to `out`, one row each, with the columns of `hpo_leaderboard.store.frames`.

    The ending of `out` says the format, `.csv` (also `.csv.gz`) or `.parquet`. The file appears when it is complete.
    `chosen` are arguments of `select`; None exports every run.
    """
    out = Path(out)
    kind = "parquet" if out.suffix == ".parquet" else "csv" if ".csv" in out.suffixes[-2:] else None
    if kind is None:
        raise InvalidOption(f"the file to write must end in .csv, .csv.gz or .parquet, got {out.name!r}")
    if kind == "parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise MissingExtra("pyarrow", "parquet") from None
    with reading(store_path) as store:
        frames, left_out = (store.frames(), []) if chosen is None else select(store, **chosen)
    trials = frames.trials
    with replacing(out) as temporary:
        if kind == "csv":
            trials.to_csv(temporary, index=False, compression="gzip" if out.suffix == ".gz" else None)
        else:
            trials.to_parquet(temporary, index=False)
    return Exported(len(trials), left_out)


def merge_stores(into: str | Path, sources: Iterable[str | Path]) -> int:
    """Number of runs that were added to the store `into` from the others, in the order in which they were stored there.

    A run that lies in both is kept as it is, after its contents were found equal; `ConflictingRuns` if they are not.
    """
    n_added = 0
    with writing(into) as target:
        for path in map(Path, sources):
            if path.resolve() == target.path.resolve():
                raise InvalidOption(f"{path} cannot be merged into itself")
            present = target.settled()
            with reading(path) as source:
                target.add_tasks(source.tasks(), {f"merged {path.name}": source.digest()})
                target.add_suites(source.suites())
                batch: list[StoredRun] = []
                for run in source.runs(as_stored=True):
                    if _is_new(run, present, path):
                        batch.append(run)
                        n_added += 1
                    if len(batch) >= BATCH:
                        target.add_rows(batch)
                        batch = []
                target.add_rows(batch)
    return n_added


def _is_new(run: StoredRun, present: dict[str, bytes], path: Path) -> bool:
    try:
        run.contents()
    except ValueError as error:
        raise DamagedFile(f"{path}: {run}: {error}; `hpo store verify {path} --drop-damaged` removes it") from None
    if run.key not in present:
        return True
    if run.settled and present[run.key] != run.digest:
        raise ConflictingRuns(
            f"{run} came out differently in {path}: its optimizer or benchmark is not a function of the seed, or was "
            "changed without a new version; drop it from one of the two stores"
        )
    return False
