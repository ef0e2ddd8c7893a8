"""Texts of strangers, made harmless for the terminal and for spreadsheets.

A label, a note or an exception's message may come from a file that somebody else wrote.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # Unicode: control, format, surrogates, separators of lines and paragraphs
MOST_LABEL = 200  # characters of a label in a picture
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


def plain_labels(figure: Figure) -> Figure:
    """The matplotlib figure again, in whose labels a $ is a $ and not the beginning of a formula, and none is long.

    Ticks of numbers are left as they are: powers of ten are formulas.
    """
    from matplotlib.text import Text
    from matplotlib.ticker import FixedFormatter, LogFormatter, ScalarFormatter

    def plain(label: Text) -> None:
        label.set_parse_math(False)
        label.set_text(shortened(visible(label.get_text()), MOST_LABEL))

    ticks = set()
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        ticks.update(axis.get_ticklabels(which="both"))
        formatter = axis.get_major_formatter()
        if isinstance(formatter, FixedFormatter):
            formatter.seq = [shortened(visible(str(name)), MOST_LABEL) for name in formatter.seq]
        if not isinstance(formatter, (LogFormatter, ScalarFormatter)):
            for label in axis.get_ticklabels():
                label.set_parse_math(False)
    for label in figure.findobj(Text):
        if label not in ticks:
            plain(label)
    return figure


def csv_text(text: str) -> str:
    """The text as a cell of a CSV file: one that a spreadsheet would take for a formula begins with an apostrophe.

    >>> csv_text("=1+1"), csv_text("rs")
    ("'=1+1", 'rs')
    """
    return f"'{text}" if text.startswith(FORMULA) else text


def csv_frame(frame: pandas.DataFrame) -> pandas.DataFrame:
    """The data frame with `csv_text` of its texts and of the names of its columns; numbers stay as they are."""
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
    frame = frame.assign(**changes) if changes else frame
    titles = {name: csv_text(name) for name in frame.columns if isinstance(name, str) and name.startswith(FORMULA)}
    return frame.rename(columns=titles) if titles else frame
