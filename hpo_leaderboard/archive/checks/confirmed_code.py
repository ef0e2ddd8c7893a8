"""Code that was found to make the same runs as older code, to the last bit.

An archive has the digest of the code that made each run. A change that leaves all proposals as they are gives another
digest, and all its runs would be those of other code. `scripts/confirm_archive.py` runs some of them again with the new
code. Where all have the same bits, the file `confirmed_code.json` says so: for each old digest the new ones, and with
how many runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from hpo_core.storage.files import write_text

Confirmed = Mapping[str, Mapping[str, int]]
CODE = "code "


def confirmed_file() -> Path:
    """Path of the file that comes with the package."""
    return Path(str(files("hpo_leaderboard") / "archive" / "data" / "confirmed_code.json"))


@cache
def shipped_confirmations() -> Confirmed:
    """Number of runs with the same bits by digest of the code that made them, and by digest of later code."""
    path = confirmed_file()
    found: Confirmed = json.loads(path.read_text()) if path.is_file() else {}
    return found


def write_confirmations(confirmed: Confirmed, path: Path) -> None:
    """Write what was confirmed, in an order that leaves small differences between two files."""
    write_text(path, json.dumps(confirmed, indent=1, sort_keys=True) + "\n")


def as_installed(archived: str, here: str, confirmed: Confirmed) -> str:
    """The version of an archived optimizer with the code that is here, if that makes the same runs; else as it is.

    >>> as_installed("code 12ab, library 1.5", "code 34cd", {"12ab": {"34cd": 8}})
    'code 34cd, library 1.5'
    >>> as_installed("code 12ab, library 1.5", "code 34cd", {})
    'code 12ab, library 1.5'
    """
    digest, comma, rest = archived.removeprefix(CODE).partition(", ")
    installed = here.removeprefix(CODE).partition(", ")[0]
    both_are_code = archived.startswith(CODE) and here.startswith(CODE)
    return f"{CODE}{installed}{comma}{rest}" if both_are_code and installed in confirmed.get(digest, {}) else archived
