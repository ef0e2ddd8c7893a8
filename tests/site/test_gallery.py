"""The gallery: every picture has the command that makes it and is small; drawings keep what they show."""

import re
from pathlib import Path

import pytest

from hpo_cli.main import make_parser
from scripts.site.drawing import small_svg
from scripts.site.gallery import DOCS, entries, keep

PAGE = (DOCS / "gallery.md").read_text()
MOST, MOST_TOGETHER = 100_000, 1_000_000  # bytes


def test_every_picture_is_small_and_shown():
    pictures = [path for path in (DOCS / "pictures").iterdir() if path.is_file()]
    pages = " ".join(page.read_text() for page in DOCS.rglob("*.md"))
    assert [path.name for path in pictures if f"pictures/{path.name}" not in pages] == []
    assert max(path.stat().st_size for path in pictures) <= MOST
    assert sum(path.stat().st_size for path in pictures) <= MOST_TOGETHER


@pytest.mark.parametrize("entry", list(entries(PAGE)), ids=lambda entry: entry.picture)
def test_commands_can_be_called(entry):
    import shlex

    assert (DOCS / entry.picture).is_file()
    for command in entry.commands:
        program, *words = shlex.split(command)
        assert program == "hpo"
        make_parser(words).parse_args(words)


def test_a_path_loses_only_points_that_nobody_sees():
    step = "M 0 0 \nL 1.0449 0 \nL 1.0451 0 \nL 2 0 \nL 2 -5.25 \nL 3 -5.25 \nz\n"
    assert small_svg(f'<path d="{step}" style="stroke-width: 1.25"/>') == (
        '<path d="M0 0L2 0L2 -5.2L3 -5.2z" style="stroke-width: 1.25"/>'
    )
    curve = "M 0 0 C 1.25 2 3 4 5 6"
    assert small_svg(f'<path d="{curve}"/>') == f'<path d="{curve}"/>'
    assert "2.25" in small_svg("<text>CD = 2.25</text>")


def test_the_figure_of_a_page_is_kept(tmp_path):
    page = tmp_path / "index.html"
    page.write_text('<html><svg width="1"><path d="M 0 0"/></svg> and <svg></svg></html>')
    keep(page, tmp_path / "picture.svg")
    text = (tmp_path / "picture.svg").read_text()
    assert re.fullmatch(r'<svg xmlns="http://www.w3.org/2000/svg" width="1"><path d="M0 0"/></svg>', text)
    page.write_text("<html></html>")
    with pytest.raises(SystemExit, match="has no figure"):
        keep(Path(page), tmp_path / "other.svg")
