"""Files out of the page of a report, as `templates/unpack.js` takes them out."""

import base64
import json
import re
import zlib


def unpacked(text):
    """Bytes of a packed file; the cells of a folded table in rows again."""
    content = zlib.decompress(base64.b85decode(text.replace(",", "<")))
    if content[:1] != b"\x01":
        return content
    count, *cells = content[1:].decode().split("\n")
    n_rows = len(cells) // int(count)
    columns = [cells[start : start + n_rows] for start in range(0, len(cells), n_rows)]
    for column in columns:
        for row in range(1, n_rows):
            column[row] = column[row] or column[row - 1]
    rows = (",".join(row).replace("\x02", "") for row in zip(*columns, strict=True))
    return "".join(f"{row}\n" for row in rows).encode()


def payload_of(page):
    """What the scripts of a page draw from."""
    found = re.search(r'<script type="text/plain" id="payload">(.*?)</script>', page, re.DOTALL)
    return json.loads(unpacked(found[1]))
