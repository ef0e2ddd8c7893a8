"""A digest of what a result depends on beside its arguments: code, and the data files of the paper's folder."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from hpo_core.storage.sealed_hdf5 import SEAL_SIZE
from hpo_leaderboard.experiments.code.code_digest import code_digest

FOLDER = Path(__file__).parent.parent


@cache
def inputs_digest(module: str, resolved: tuple[str, ...] = ()) -> str:
    """Hexadecimal digest of a module's code, of modules that it resolves by name, and of its paper's data.

    A data file counts by its seal, which holds the checksum of its contents.
    """
    total = hashlib.sha256()
    for name in (module, *resolved):
        total.update(f"{name} {code_digest(name)}\n".encode())
    package, _, rest = module.partition(".")
    if package == FOLDER.name:
        for path in sorted((FOLDER / rest.partition(".")[0] / "data").glob("*.h5")):
            with path.open("rb") as file:
                total.update(file.read(SEAL_SIZE))
    return total.hexdigest()[:16]
