"""The archive that comes with the package: every optimizer on the standard suites."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

FILE = "reference.h5"


def shipped_archive() -> Path:
    """Path of the archive that comes with the package; raises `FileNotFoundError` where it was taken out."""
    path = Path(str(files("hpo_leaderboard") / "archive" / "data" / FILE))
    if not path.is_file():
        raise FileNotFoundError(
            f"this installation has no archive at {path}; give the file of one, --archive FILE, or make it: "
            "`hpo archive build SUITE`"
        )
    return path
