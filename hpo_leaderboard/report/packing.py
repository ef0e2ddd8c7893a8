"""Files as they lie in the page: folded, compressed, and in letters that may stand in a script element.

`templates/unpack.js` is the other direction.
"""

from __future__ import annotations

import base64
import zlib
from itertools import pairwise

FOLDED, EMPTY = "\x01", "\x02"  # letters that no table holds: shown text has no control characters
SAFE = str.maketrans("<", ",")  # "<" could begin a tag; the comma is no letter of the code


def packed(content: bytes) -> str:
    """The content compressed by zlib (RFC 1950), in base 85 (RFC 1924) with a comma in place of "<".

    Base 85 is 6 % shorter than base 64.
    """
    return base64.b85encode(zlib.compress(content, 9)).decode("ascii").translate(SAFE)


def packed_plotly() -> str:
    """plotly, which draws on the page, packed."""
    from plotly.offline import get_plotlyjs

    return packed(get_plotlyjs().encode())


def packed_table(text: str) -> str:
    """A CSV file, packed; folded before, which makes it half as long."""
    folded = folded_table(text)
    return packed((text if folded is None else folded).encode())


def folded_table(text: str) -> str | None:
    """The cells of a CSV file in lines, column by column, each one that equals the cell above it left out.

    An incumbent stays for many rows, so that most cells do. The first line has the number of columns. None for a file
    whose lines do not simply fall into cells at the commas.
    """
    rows = [line.split(",") for line in text.split("\n")[:-1]]
    whole = text.endswith("\n") and len(set(map(len, rows))) == 1
    if not whole or any(letter in text for letter in ('"', "\r", FOLDED, EMPTY)):
        return None
    lines = [f"{FOLDED}{len(rows[0])}"]
    for column in zip(*rows, strict=True):
        lines.append(column[0])
        lines += ["" if below == above else below or EMPTY for above, below in pairwise(column)]
    return "\n".join(lines)
