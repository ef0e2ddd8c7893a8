"""A store as one table of all trials: CSV or Parquet."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hpo_core.errors import InvalidOption, MissingExtra
from hpo_core.shown_text import csv_frame
from hpo_core.storage.files import replacing
from hpo_leaderboard.store.frames import read_parts, trials_frame
from hpo_leaderboard.store.listed_runs import list_runs
from hpo_leaderboard.store.selection import select_runs
from hpo_leaderboard.store.store import reading

if TYPE_CHECKING:
    import pandas


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
        raise InvalidOption(
            f"the file to write must end in .csv, .csv.gz or .parquet, got {out.name!r}; a directory for another tool "
            "needs --format coco or --format ioh"
        )
    if kind == "parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise MissingExtra("pyarrow", "parquet") from None
    with reading(store_path) as store:
        runs, left_out = (list_runs(store), []) if chosen is None else select_runs(store, **chosen)
        listed, names = runs.by_name()
        parts = (part.trials() for part in read_parts(store, listed, names))
        with replacing(out) as temporary:
            if kind == "csv":
                _write_csv(temporary, parts, is_packed=out.suffix == ".gz")
            else:
                _write_parquet(temporary, parts)
    return Exported(sum(listed.n_trials), left_out)


def _write_csv(path: Path, parts: Iterable[pandas.DataFrame], *, is_packed: bool) -> None:
    opened = gzip.open if is_packed else open
    with opened(path, "wt", encoding="utf-8", newline="") as file:
        csv_frame(_empty()).to_csv(file, index=False)
        for part in parts:
            csv_frame(part).to_csv(file, index=False, header=False)


def _write_parquet(path: Path, parts: Iterable[pandas.DataFrame]) -> None:
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    tables = (pyarrow.Table.from_pandas(part, preserve_index=False) for part in parts)
    first = next(tables, None)
    if first is None:
        first = pyarrow.Table.from_pandas(_empty(), preserve_index=False)
    with ParquetWriter(path, first.schema) as writer:
        for table in chain([first], tables):
            writer.write_table(table)


def _empty() -> pandas.DataFrame:
    """The frame `trials` of no runs: its columns."""
    return trials_frame([], [], [], [])
