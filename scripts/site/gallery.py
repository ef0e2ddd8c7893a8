"""The pictures of docs/gallery.md, made by the commands that stand beneath them on the page.

python -m scripts.site.gallery [FOLDER]     runs them in a folder, a temporary one by default, and keeps small pictures
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scripts.site.drawing import small_svg

DOCS = Path(__file__).parent.parent.parent / "docs"
PICTURE = re.compile(r"^!\[[^\]]+\]\((pictures/[^)]+)\)$", re.MULTILINE)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MADE = re.compile(r"^The picture is (?:on the page )?`([^`]+)`\.$", re.MULTILINE)
SVG = re.compile(r"<svg .*?</svg>", re.DOTALL)
COLOURS, WIDTH = 128, 1400  # of a PNG


class Entry(NamedTuple):
    """A picture of the page, the commands that make it, and the file among theirs that it is."""

    picture: str
    commands: list[str]
    made: str


def entries(page: str) -> Iterator[Entry]:
    """The pictures of the page in its order."""
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        (picture,), (commands,), (made,) = (found.findall(section) for found in (PICTURE, COMMANDS, MADE))
        yield Entry(picture, commands.splitlines(), made)


def keep(source: Path, target: Path) -> None:
    """Copy a picture in few bytes; of a page, its first figure."""
    if source.suffix == ".png":
        from PIL import Image

        with Image.open(source) as image:
            image.thumbnail((WIDTH, WIDTH))
            image.convert("RGBA").quantize(COLOURS, Image.Quantize.FASTOCTREE).save(target, optimize=True)
        return
    text = source.read_text(encoding="utf-8")
    if source.suffix == ".html":
        found = SVG.search(text)
        if found is None:
            raise SystemExit(f"{source} has no figure")
        text = found[0].replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    target.write_text(small_svg(text), encoding="utf-8")


def main() -> None:
    made = list(entries((DOCS / "gallery.md").read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        for command in dict.fromkeys(command for entry in made for command in entry.commands):
            print(command, flush=True)
            words = [sys.executable, "-m", "hpo_foundry", *shlex.split(command)[1:]]
            subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for entry in made:
            keep(folder / entry.made, DOCS / entry.picture)
            print(f"{entry.picture}: {(DOCS / entry.picture).stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
