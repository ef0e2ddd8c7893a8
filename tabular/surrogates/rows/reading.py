"""Reading of files with a row for each recorded evaluation, and of files with a space."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hpo_core.errors import DamagedFile, InvalidSpace
from hpo_core.space import Space
from hpo_core.storage.parquet import read_parquet
from hpo_core.storage.plain_fields import json_object
from hpo_core.storage.text_files import read_utf8
from tabular.frames.reading import SUFFIXES, is_csv, read_results
from tabular.surrogates.errors import InvalidRecords

if TYPE_CHECKING:
    import pandas


def read_rows(path: Path) -> pandas.DataFrame:
    """Rows of a CSV file, compressed or not, or of a Parquet file."""
    if is_csv(path):
        return read_results(path)
    if path.suffix.lower() != ".parquet":
        raise InvalidRecords(
            f"recorded evaluations are read from {', '.join(SUFFIXES)} and .parquet, got {path.name!r}; "
            "Benchmark.from_frame takes a DataFrame from anywhere"
        )
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}")
    return read_parquet(path, "parquet")


def read_space(path: Path) -> Space:
    """Space in a JSON file that ConfigSpace wrote (`configuration_space.to_json(path)`)."""
    from ConfigSpace import ConfigurationSpace

    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}")
    try:
        return Space(ConfigurationSpace.from_serialized_dict(json_object(read_utf8(path))))
    except (InvalidSpace, DamagedFile):
        raise
    except Exception as error:  # ConfigSpace raises types of its own, and whatever its parts raise
        raise DamagedFile(
            f"{path}: not a ConfigSpace file in JSON ({type(error).__name__}: {str(error)[:300]})"
        ) from None
