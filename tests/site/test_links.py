"""Links of the Markdown pages lead to files and sections, and become links of the site."""

import posixpath
import re
from pathlib import Path

import pytest

from scripts.site.links import ROOT_PAGES, both_pictures, site_links

ROOT = Path(__file__).parent.parent.parent
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / name for name in ROOT_PAGES)]
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)|(?:src|srcset|href)=\"([^\"#]+)(?:#([^\"]*))?\"")


def text_of(page):
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text()))


def sections(page):
    """Names that links to the sections of a page have, as code hosts make them."""
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in titles)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_markdown_lead_to_files_and_sections(page):
    for path, section, raw_path, raw_section in LINK.findall(text_of(page)):
        path, section = path or raw_path, section or raw_section
        if re.match(r"[a-z]+:", path):
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name} links to {path}, which does not exist"
        assert not section or section in sections(target), f"{page.name}: {path} has no section #{section}"


def test_every_page_is_in_the_navigation():
    """Each page once; those beside docs/ under the names that the site gives them, those of results/ by a hook."""
    nav = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    listed = re.findall(r"(\S+\.md)$", nav, re.MULTILINE)
    docs = {page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")}
    pages = {str(page) for page in docs if page.parts[0] != "results"} | {*ROOT_PAGES.values()}
    assert sorted(listed) == sorted(pages)


@pytest.mark.parametrize(
    ("source", "link", "on_the_site"),
    [
        ("docs/scores.md", "report.md", "report.md"),
        ("docs/scores.md", "../CONTRIBUTING.md#tests", "contributing.md#tests"),
        ("docs/scores.md", "../README.md", "index.md"),
        ("docs/tutorials/cluster.md", "../scores.md", "../scores.md"),
        ("docs/tutorials/cluster.md", "../../CHANGELOG.md", "../changelog.md"),
        (
            "docs/tutorials/cluster.md",
            "../../examples/cluster.py",
            "https://github.com/hpo-foundry/hpo-foundry/blob/main/examples/cluster.py",
        ),
        ("CONTRIBUTING.md", "docs/scores.md#the-functions", "scores.md#the-functions"),
        ("CONTRIBUTING.md", "LICENSE", "https://github.com/hpo-foundry/hpo-foundry/blob/main/LICENSE"),
        ("SECURITY.md", "docs/security.md", "security.md"),
        ("docs/scores.md", "https://example.org/a.md", "https://example.org/a.md"),
        ("docs/scores.md", "#the-functions", "#the-functions"),
    ],
)
def test_links_become_those_of_the_site(source, link, on_the_site):
    assert site_links(f"see [there]({link}).", source) == f"see [there]({on_the_site})."


def test_code_keeps_its_text():
    text = "```python\nlinks[0](../README.md)\n```\n"
    assert site_links(text, "docs/scores.md") == text


def test_a_picture_of_two_schemes_becomes_two_images():
    page = (ROOT / "docs" / "index.md").read_text()
    shown = re.findall(r'<img src="([^"]+)"', both_pictures(page))
    assert shown == ["pictures/quick.svg#only-light", "pictures/quick-dark.svg#only-dark"]
    for path in shown:
        assert (ROOT / "docs" / posixpath.normpath(path.partition("#")[0])).is_file()
