"""The README and the pages in docs/: examples run, each page in one namespace."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from baselines.adapters.parts.peer_names import PEERS
from hpo_cli.main import make_parser
from hpo_core import benchmarks
from hpo_core.names import criteria, optimizers

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
RUN = [page for page in PAGES if page.parent.name != "tutorials"]  # those show scripts, see tests/examples
COMMAND = re.compile(r"^(?: {4}|\$ |)hpo (.+)$", re.MULTILINE)
FENCE = re.compile(r"^```(?:|sh|bash|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^ {4}.*\n)+", re.MULTILINE)


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, id=str(p.relative_to(ROOT)), marks=[pytest.mark.slow] if p.stem in SLOW else []) for p in RUN],
)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace: dict = {"__name__": "example"}
    for block in BLOCK.findall(page.read_text()):
        if ">>>" not in block:  # those are run as doctests
            exec(compile(block, str(page), "exec"), namespace)


def commands(page: Path) -> list[list[str]]:
    """Words of the lines of a page's code that call `hpo`, but for usages with brackets and lines with variables."""
    text = page.read_text().replace("\\\n", " ")  # lines that go on in the next one
    blocks = [*FENCE.findall(text), *INDENTED.findall(FENCE.sub("", BLOCK.sub("", text)))]
    lines = [line for block in blocks for line in COMMAND.findall(block) if not re.search(r"[\[$]", line)]
    return [shlex.split(re.split(r" {2,}(?!-)|; | # ", line)[0]) for line in lines]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_of_a_page_are_understood(page):
    for words in commands(page):
        make_parser(words).parse_args(words)  # ends the program if there is no such option


def test_every_method_criterion_and_family_has_a_citation():
    text = (ROOT / "docs" / "citations.md").read_text()
    cited = {name for row in re.findall(r"^\| (.*?) \|", text, re.MULTILINE) for name in re.findall(r"`([^`]+)`", row)}
    families = {about.family for about in benchmarks().values()} - {"imported", "surrogates"}
    peers = {f"{name}@ENV" for name in PEERS}
    assert {*optimizers(), *peers, *criteria(), *families} - cited == set()


def test_the_glossary_is_sorted():
    words = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE)[1:]
    assert words == sorted(words, key=str.lower)


def test_the_citation_names_this_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {project['version']}\n" in citation
    assert f"\nlicense: {project['license']}\n" in citation
    assert f"\nrepository-code: {project['urls']['Source']}\n" in citation
