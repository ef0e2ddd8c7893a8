"""Rules for names that are shown in tables, figures and terminals, and for those that become names of files."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from hpo_core.errors import InvalidOption
from hpo_core.shown_text import UNSEEN

MOST_LABEL = 1000  # characters; figures show fewer
MOST_FILE_NAME = 100
SEPARATORS = frozenset("/\\:")


def label_fault(label: str) -> str | None:
    """What is wrong with a label, None for a good one: too long, or characters that steer a terminal or hide text.

    >>> label_fault("small re"), label_fault("a\\x1b[31mb")
    (None, "has the control character '\\\\x1b'")
    """
    if len(label) > MOST_LABEL:
        return f"has {len(label):,} characters, more than {MOST_LABEL:,}"
    return None if label.isascii() and label.isprintable() else _unseen(label)


@lru_cache(maxsize=1024)
def _unseen(label: str) -> str | None:
    unseen = next((character for character in label if unicodedata.category(character) in UNSEEN), None)
    return None if unseen is None else f"has the control character {unseen!r}"


def check_label(what: str, label: str) -> None:
    """Raise `InvalidOption` for a label that cannot be shown."""
    fault = label_fault(label)
    if fault is not None:
        shown = label if len(label) <= 60 else f"{label[:60]}..."
        raise InvalidOption(f"{what} must be at most {MOST_LABEL} printable characters, {shown!r} {fault}")


def check_file_name(what: str, name: object) -> None:
    """Raise `InvalidOption` for a name that is more than one part of a path, or that no file can have."""
    if not isinstance(name, str) or not name:
        raise InvalidOption(f"{what} must be a non-empty string, got {name!r}")
    fault = label_fault(name)
    if fault is None and len(name.encode()) > MOST_FILE_NAME:
        fault = f"has more than {MOST_FILE_NAME} bytes"
    if fault is None and (name in (".", "..") or SEPARATORS & set(name)):
        fault = "is a path"
    if fault is not None:
        raise InvalidOption(
            f"{what} is the name of a file too: at most {MOST_FILE_NAME} bytes without {' '.join(sorted(SEPARATORS))}; "
            f"{name[:60]!r} {fault}"
        )
