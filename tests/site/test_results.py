"""The reference leaderboards as pages: their numbers, pictures and links, and what archive they are of."""

import re
from pathlib import Path

import pytest

from hpo_leaderboard.archive.packed.archive_file import read_archive
from hpo_leaderboard.archive.shipped import shipped_archive
from hpo_leaderboard.leaderboards import leaderboard
from scripts.site.results import pages_from

DOCS = Path(__file__).parent.parent.parent / "docs"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages of a leaderboard of two families."""
    folder = tmp_path_factory.mktemp("results")
    store = folder / "runs.sqlite"
    names = ["branin", "forrester", "counting-ones-2-2"]
    leaderboard(names, ["rs", "de", "tpe"], seeds=4, trials=15, store=store, engine="serial")
    (folder / "pages").mkdir()
    (folder / "pages" / "gone.md").write_text("a family that is no more")
    return pages_from(store, folder / "pages", "Made from runs of a test.")


def test_there_is_a_page_for_each_family_and_one_that_lists_them(pages):
    assert [page.name for page in pages] == ["index.md", "counting-ones.md", "functions.md"]
    assert sorted(page.name for page in pages[0].parent.glob("*.md")) == sorted(page.name for page in pages)
    index = pages[0].read_text()
    assert re.search(r"^\| \[functions\]\(functions\.md\) \| 2 \| 3 \| 24 \| 360 \| `\w+` \|$", index, re.MULTILINE)
    assert all("Made from runs of a test." in page.read_text() for page in pages)


def test_the_numbers_are_those_of_the_leaderboard(pages):
    board = leaderboard(["branin", "forrester"], ["rs", "de", "tpe"], seeds=4, trials=15, engine="serial")
    rows = re.findall(r"^\| (\d) \| `(\w+)` \| ([\d.]+) \| .* \| (\d+) \|$", pages[2].read_text(), re.MULTILINE)
    expected = [(row.optimizer, f"{row.rank:.2f}", f"{row.n_runs}") for row in board.itertuples()]
    assert [(name, rank, n_runs) for _, name, rank, n_runs in rows] == expected


def test_pictures_exist_for_both_schemes_and_are_small(pages):
    shown = [path for page in pages for path in re.findall(r'(?:src|srcset)="([^"]+)"', page.read_text())]
    assert len(shown) == len(set(shown)) and {"dark" in path for path in shown} == {True, False}
    for path in shown:
        picture = pages[0].parent / path
        assert picture.stat().st_size < 100_000
        assert picture.read_text().startswith("<?xml")


def test_the_pages_are_those_of_the_archive_that_is_shipped():
    try:
        archive = read_archive(shipped_archive())
    except FileNotFoundError:
        pytest.skip("this checkout ships no archive")
    page = (DOCS / "results" / "index.md").read_text()
    assert f"digest `{archive.digest()[:16]}`" in page, "make them again: python -m scripts.site.results"
