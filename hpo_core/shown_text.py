"""Texts of strangers, made harmless for the terminal and for spreadsheets.

A label, a note or an exception's message may come from a file that somebody else wrote.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas

UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # Unicode: control, format, surrogates, separators of lines and paragraphs
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the beginning of a formula


def visible(text: str, keep: str = "\n\t") -> str:
    """The text with characters that steer a terminal or hide text written as escapes, but for those to keep.

    >>> visible("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    if text.isascii() and (text.replace("\n", "") if "\n" in keep else text).isprintable():
        return text
    return "".join(
        character if character in keep or unicodedata.category(character) not in UNSEEN else _escape(character)
        for character in text
    )


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def shortened(text: str, most: int) -> str:
    """The text, of a long one its beginning and its end.

    >>> shortened("abcdefghij", 7)
    'abc…hij'
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def csv_text(text: str) -> str:
    """The text as a cell of a CSV file: one that a spreadsheet would take for a formula begins with an apostrophe.

    >>> csv_text("=1+1"), csv_text("rs")
    ("'=1+1", 'rs')
    """
    return f"'{text}" if text.startswith(FORMULA) else text


def csv_frame(frame: pandas.DataFrame) -> pandas.DataFrame:
    """The data frame with `csv_text` of its texts; numbers stay as they are."""
    changes = {}
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind in "biuf":
            continue
        odd = {text: csv_text(text) for text in column.unique() if isinstance(text, str) and text.startswith(FORMULA)}
        if odd:
            changes[name] = column.map(
                lambda value, odd=odd: odd.get(value, value) if isinstance(value, str) else value
            )
    return frame.assign(**changes) if changes else frame
