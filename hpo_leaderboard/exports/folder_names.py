"""Names of folders and files that are safe on every system and in every tool that reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable

UNSAFE = re.compile(r"[^A-Za-z0-9.+-]+")
LONGEST = 60


def folder_names(labels: Iterable[str]) -> dict[str, str]:
    """A different name for each label: its letters, digits, `.`, `+` and `-`, with `_` for what lies between.

    Examples
    --------
    >>> folder_names(["re(population=20)", "../re", "_re", "RE"])
    {'../re': 're', 'RE': 'RE-2', '_re': 're-3', 're(population=20)': 're_population_20'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for label in sorted(set(labels)):
        plain = UNSAFE.sub("_", label).strip("._")[:LONGEST] or "unnamed"
        name, number = plain, 1
        while name.lower() in taken:  # some systems do not tell capitals from small letters
            number += 1
            name = f"{plain}-{number}"
        taken.add(name.lower())
        names[label] = name
    return names
