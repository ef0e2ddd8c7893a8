"""Pickles of other packages, read with an unpickler that refuses everything but plain data."""

from __future__ import annotations

import pickle
import pickletools
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from hpo_core.errors import DamagedFile

UNREADABLE = (
    *(OSError, EOFError, pickle.UnpicklingError, ValueError, LookupError, TypeError, AttributeError),
    *(ArithmeticError, MemoryError, RecursionError, struct.error),
)


def load_plain(
    path: Path, package: str, *, published: bool, stand_ins: Mapping[tuple[str, str], Any] | None = None
) -> Any:
    """Contents of a pickle of numbers, strings, lists and dicts; raises `DamagedFile` for any other.

    Parameters
    ----------
    path
        The file.
    package
        Package that it belongs to, for messages.
    published
        Whether the file is known to be as the package published it. Any other is looked through first.
    stand_ins
        What takes the place of a class or function that the pickle names, by its module and name. Code of others is
        never called.
    """
    from tqdm import tqdm

    allowed = stand_ins or {}

    class PlainData(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            if (module, name) not in allowed:
                raise DamagedFile(
                    f"a table holds plain data only, this one refers to {module}.{name}; reinstall {package}"
                )
            return allowed[module, name]

    try:
        if not published:
            _check_steps(path)
        size, label = path.stat().st_size, f"building {path.stem}"
        with (
            path.open("rb") as raw,
            tqdm.wrapattr(raw, "read", total=size, desc=label, leave=False, disable=None) as file,
        ):
            return PlainData(cast(BinaryIO, file)).load()
    except DamagedFile:
        raise
    except UNREADABLE as error:
        raise DamagedFile(f"{path}: cannot be read ({error}); reinstall {package}") from None


def _check_steps(path: Path) -> None:
    """Raise `ValueError` for a pickle that keeps something under a number that no file of its size can come to.

    The unpickler makes room for as many things as the number says, which may be four thousand million.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        for step, number, _ in pickletools.genops(file):
            if step.name in ("PUT", "BINPUT", "LONG_BINPUT") and int(number or 0) > size:
                raise ValueError(f"it keeps something under the number {number}")
