"""The reference: every public name is on one page, every command in the list."""

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import hpo_foundry
from hpo_cli.commands import COMMANDS, CommandGroup
from hpo_cli.parts.pages import SITE
from scripts.site.command_line import command_line

ROOT = Path(__file__).parent.parent.parent
LISTED = re.compile(r"^::: (\S+)$", re.MULTILINE)
EXPORTING = (
    *("hpo_core", "hpo_core.space", "baselines", "baselines.stopping", "tabular", "tabular.surrogates", "profet"),
    *("fcnet_data.datasets", "fcnet_data.fcnet", "fcnet_data.trainers", "hpo_leaderboard.report"),
)
IN_WORDS = {"fcnet_data.trainers.trainer"}  # the module of that name hides the function from mkdocstrings
EVERY = [
    (name, *rest)
    for name, command in COMMANDS.items()
    for rest in ([(), *((action,) for action in command.commands)] if isinstance(command, CommandGroup) else [()])
]


def found(name):
    """What a dotted name stands for."""
    first, *rest = name.split(".")
    thing = import_module(first)
    for attribute in rest:
        if not hasattr(thing, attribute):
            import_module(f"{thing.__name__}.{attribute}")
        thing = getattr(thing, attribute)
    return thing


def things(name):
    """What a directive explains, by name: one thing, or all that a module defines."""
    thing = found(name)
    if not isinstance(thing, ModuleType):
        return {name: thing}
    members = {f"{name}.{each}": value for each, value in vars(thing).items() if not each.startswith("_")}
    own = {path: value for path, value in members.items() if getattr(value, "__module__", None) == thing.__name__}
    return {name: thing, **own}


@pytest.fixture(scope="module")
def documented():
    """What the pages of the reference explain, by the names that they have there."""
    pages = sorted((ROOT / "docs" / "reference").glob("*.md"))
    names = [name for page in pages for name in LISTED.findall(page.read_text())]
    assert len(names) == len(set(names))
    return {path: thing for name in names for path, thing in things(name).items()}


@pytest.mark.parametrize("package", EXPORTING)
def test_every_exported_name_is_explained_once(package, documented):
    module = import_module(package)
    for name in module.__all__:
        if f"{package}.{name}" in IN_WORDS:
            continue
        thing = getattr(module, name)
        pages = [each for each, other in documented.items() if other is thing and each.rpartition(".")[2] == name]
        assert len(pages) == 1, f"{package}.{name} is explained as {pages}"


def test_every_name_of_the_facade_is_explained(documented):
    for name in hpo_foundry.__all__:
        if name != "__version__":
            thing = getattr(hpo_foundry, name)
            assert any(other is thing for other in documented.values()), name


def test_the_command_line_has_a_section_for_every_command():
    titles = re.findall(r"^#+ (hpo .*)$", command_line(), re.MULTILINE)
    assert titles == [f"hpo {' '.join(words)}" for words in EVERY]


def test_the_command_line_is_listed_with_what_make_docs_installs():
    """Of the libraries that commands use, parsers import numpy alone."""
    code = "import sys; from scripts.site.command_line import command_line; command_line(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {"scipy", "pandas", "h5py", "sklearn", "ConfigSpace", "tqdm", "platformdirs"} & set(
        done.stdout.split()
    ) == set()


def test_a_section_has_usage_arguments_and_examples():
    (section,) = re.findall(r"^## hpo compare\n(.*?)(?=^## )", command_line(), re.MULTILINE | re.DOTALL)
    assert "```text\nhpo compare [-h] " in section
    assert "| `--optimizers X,Y` | only these |" in section
    assert "```text\nhpo compare leaderboard/quick.sqlite tpe rs\n" in section
    assert "hpo compare [--" not in section.replace("hpo compare [-h] [--", "")


def test_the_address_is_that_of_the_project_and_of_the_site():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["urls"]["Documentation"] == SITE
    assert f"\nsite_url: {SITE}\n" in (ROOT / "mkdocs.yml").read_text()
