"""Tables of Parquet files, whose size is known before they are unpacked."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from hpo_core.errors import DamagedFile, HpoError, MissingExtra

if TYPE_CHECKING:
    import pandas

CELL = 8  # bytes of a number
MOST_RATIO, ALWAYS = 200, 64 * 2**20  # equal numbers take no room in a file, so that honest ones unpack to a lot


def read_parquet(path: Path, extra: str) -> pandas.DataFrame:
    """Columns of a file; raises `DamagedFile` for one of another format, and `MissingExtra` without pyarrow."""
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", extra)
    import pandas
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            n_bytes = CELL * file.metadata.num_rows * file.metadata.num_columns
        most = max(ALWAYS, MOST_RATIO * path.stat().st_size)
        if n_bytes > most:
            raise DamagedFile(f"{path} says that it holds {n_bytes:,} bytes of numbers, far more than its size allows")
        return pandas.read_parquet(path)
    except (HpoError, FileNotFoundError, PermissionError):
        raise
    except Exception as error:  # the reader raises types of its own for a file of another format
        raise DamagedFile(
            f"{path} cannot be read as Parquet: {str(error)[:300]}; does its suffix name its format?"
        ) from None
