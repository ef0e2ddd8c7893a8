"""Reading of files with a row for each recorded evaluation, and of files with a space."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING

from hpo_core.errors import DamagedFile, InvalidSpace, MissingExtra
from hpo_core.space import Space
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
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", "parquet")
    import pandas

    try:
        return pandas.read_parquet(path)
    except Exception as error:  # the reader raises types of its own for a file of another format
        raise DamagedFile(f"{path} cannot be read as Parquet: {error}; does its suffix name its format?") from error


def read_space(path: Path) -> Space:
    """Space in a JSON file that ConfigSpace wrote (`configuration_space.to_json(path)`)."""
    from ConfigSpace import ConfigurationSpace

    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}")
    try:
        return Space(ConfigurationSpace.from_serialized_dict(json.loads(path.read_text())))
    except InvalidSpace:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFile(f"{path}: not a ConfigSpace file in JSON ({type(error).__name__}: {error})") from error
