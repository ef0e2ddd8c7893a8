"""Tables of measurements, as Markdown and between two markers of a page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

DOCS = Path(__file__).parent.parent / "docs"


def markdown(frame: pd.DataFrame) -> str:
    """A Markdown table."""
    lines = [list(map(str, frame.columns)), ["---"] * len(frame.columns), *frame.fillna("").astype(str).values.tolist()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def put(page: Path, marker: str, table: str) -> None:
    """Replace what stands between two markers of a page."""
    text = page.read_text()
    begin, end = f"<!-- {marker} -->", f"<!-- end {marker} -->"
    head, tail = text.split(begin)[0], text.split(end)[1]
    page.write_text(f"{head}{begin}\n{table}\n{end}{tail}")
