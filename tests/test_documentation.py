"""The README and the pages in docs/: examples run, each page in one namespace; links lead to files and sections."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SLOW = {
    "benchmarks",
    "coco",
    "model_based",
    "own_dataset",
    "profet",
    "recorded",
    "report",
    "running",
    "scores",
    "surrogates",
    "table_statistics",
    "tables",
    "trained",
    "trainers",
}  # pages whose examples train, fit models or write reports
LINK = re.compile(r"\]\((?!https?://)([^)#\s]*)(?:#([^)\s]*))?\)")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "page", [pytest.param(p, id=p.name, marks=[pytest.mark.slow] if p.stem in SLOW else []) for p in PAGES]
)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict = {"__name__": "example"}
    for block in BLOCK.findall(page.read_text()):
        if ">>>" not in block:  # those are run as doctests
            exec(compile(block, str(page), "exec"), namespace)


def test_every_page_is_linked_from_the_readme():
    readme = (ROOT / "README.md").read_text()
    assert [page.name for page in PAGES[1:] if f"docs/{page.name}" not in readme] == []


def sections(page):
    """Names that links to the sections of a page have."""
    titles = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for path, section in LINK.findall(page.read_text()):
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), f"{page.name} links to {path}, which does not exist"
        assert not section or section in sections(target), (
            f"{page.name} links to {path}#{section}, which does not exist"
        )


def test_the_glossary_is_sorted():
    words = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)[1:]
    assert words == sorted(words, key=str.lower)


def test_the_citation_names_this_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {project['version']}\n" in citation
    assert f"\nlicense: {project['license']}\n" in citation
    assert f"\nrepository-code: {project['urls']['Source']}\n" in citation
