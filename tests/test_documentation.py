"""The README and the pages in docs/: examples run, each page in one namespace."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
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
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, id=str(p.relative_to(ROOT)), marks=[pytest.mark.slow] if p.stem in SLOW else []) for p in PAGES],
)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict = {"__name__": "example"}
    for block in BLOCK.findall(page.read_text()):
        if ">>>" not in block:  # those are run as doctests
            exec(compile(block, str(page), "exec"), namespace)


def test_the_glossary_is_sorted():
    words = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)[1:]
    assert words == sorted(words, key=str.lower)


def test_the_citation_names_this_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {project['version']}\n" in citation
    assert f"\nlicense: {project['license']}\n" in citation
    assert f"\nrepository-code: {project['urls']['Source']}\n" in citation
