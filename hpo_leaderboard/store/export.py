"""A store as one table of all trials: CSV or Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hpo_core.errors import InvalidOption, MissingExtra
from hpo_core.shown_text import csv_frame
from hpo_core.storage.files import replacing
from hpo_leaderboard.store.selection import select
from hpo_leaderboard.store.store import reading


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
        frames, left_out = (store.frames(), []) if chosen is None else select(store, **chosen)
    trials = frames.trials
    with replacing(out) as temporary:
        if kind == "csv":
            csv_frame(trials).to_csv(temporary, index=False, compression="gzip" if out.suffix == ".gz" else None)
        else:
            trials.to_parquet(temporary, index=False)
    return Exported(len(trials), left_out)
