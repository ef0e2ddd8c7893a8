"""What a reproduction ends in: one page that needs no other file, and the same as Markdown without figures."""

from __future__ import annotations

import hashlib
import io
import os
import platform
import re
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hpo_core.errors import MissingExtra
from hpo_core.storage.files import replacing
from hpo_papers.frame.catalogue import title_of
from hpo_papers.frame.item import WORDS, Comparison
from hpo_papers.frame.reproduction import Reproduced

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE, MARKDOWN = "index.html", "reproduction.md"


class ShownItem(NamedTuple):
    """An item as the templates show it."""

    result: Reproduced
    anchor: str
    word: str
    reason: str
    rows: Sequence[Comparison]
    svg: str
    scaled: str
    command: str


def write_pages(results: Sequence[Reproduced], out: Path, command: str) -> tuple[Path, Path]:
    """Paths of the page and of the Markdown file, after writing them to a directory.

    Parameters
    ----------
    results
        What to show.
    out
        The directory.
    command
        Words of the command line that made them.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise MissingExtra("jinja2", "report") from None
    shown = [_shown(result) for result in results]
    papers: dict[str, list[ShownItem]] = {}
    for each in shown:
        papers.setdefault(each.result.name.partition("/")[0], []).append(each)
    about = {
        "papers": papers,
        "titles": {paper: title_of(paper) for paper in papers},
        "counts": [(word, sum(each.word == word for each in shown)) for word in (*WORDS, "not finished")],
        "made": made(results, command),
    }
    paths = out / PAGE, out / MARKDOWN
    for path in paths:
        environment = Environment(
            loader=PackageLoader("hpo_papers"),
            autoescape=path.suffix == ".html",  # noqa: S701  (the other kind is Markdown)
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters |= {"number": number, "cell": cell, "paragraphs": paragraphs}
        text = environment.get_template(f"page{path.suffix}").render(**about)
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return paths


def made(results: Sequence[Reproduced], command: str) -> dict[str, str]:
    """When, where and of what a reproduction was made."""
    digest = hashlib.sha256("".join(f"{each.name} {each.runs} {each.digest}\n" for each in results).encode())
    return {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}, numpy {version('numpy')}, hpo-foundry {version('hpo-foundry')}",
        "digest": digest.hexdigest()[:16],
        "command": command,
    }


def _shown(result: Reproduced) -> ShownItem:
    item, numbers = result.item, result.numbers
    anchor = re.sub(r"\W+", "-", result.name)
    command = f"hpo reproduce {result.name}"
    scaled = f"{result.runs} of {item.runs} runs" if result.runs < item.runs else ""
    if numbers is None or result.verdict is None:
        return ShownItem(result, anchor, "not finished", result.left, [], "", scaled, command)
    svg = ""
    if item.draw is not None:
        figure = item.draw(numbers)
        if scaled:
            figure.text(0.995, 0.005, scaled, ha="right", va="bottom", fontsize=8, color="#666666")
        svg = svg_of(figure, anchor)
    return ShownItem(result, anchor, *result.verdict, item.compare(numbers), svg, scaled, command)


def svg_of(figure: Figure, salt: str) -> str:
    """A figure as an SVG element; equal figures give equal text, and names inside are unique to the salt."""
    import matplotlib

    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": salt, "svg.fonttype": "none"}):
        figure.savefig(buffer, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def number(value: float | None, digits: int = 3) -> str:
    """A number with some digits after the point, empty if there is none."""
    if value is None or value != value:
        return ""
    if value and abs(value) < 10.0**-digits:
        return f"{value:.{max(digits - 1, 1)}g}"
    return f"{value:.{digits}f}" if digits else f"{value:,.0f}"


def cell(text: str) -> str:
    """A text that stands in a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")


def paragraphs(text: str) -> list[Any]:
    """The paragraphs of a text: each is a list of lines, or a text."""
    return [part.strip() for part in text.split("\n\n") if part.strip()]
