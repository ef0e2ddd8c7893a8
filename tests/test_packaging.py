"""What a wheel holds: every package, the data they read, and the mark that they have types."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
PACKAGES = (
    *("hpo_core", "hpo_models", "tabular", "profet", "fcnet_data", "baselines"),
    *("hpo_leaderboard", "hpo_papers", "hpo_cli", "hpo_foundry"),
)
NOT_SHIPPED = {"tests", "scripts", "docs"}


def test_every_package_directory_is_found():
    setuptools = pytest.importorskip("setuptools")
    found = set(setuptools.find_namespace_packages(str(ROOT), **SETTINGS["packages"]["find"]))
    directories = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for package in ROOT.iterdir()
        if package.is_dir() and not package.name.startswith(".") and package.name not in NOT_SHIPPED
        for path in package.rglob("__init__.py")
    }
    assert {name.partition(".")[0] for name in directories} >= set(PACKAGES)
    assert directories <= found
    assert {name.partition(".")[0] for name in found} == {name.partition(".")[0] for name in directories}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_that_it_has_types(package):
    assert (ROOT / package / "py.typed").is_file()
    assert "py.typed" in SETTINGS["package-data"]["*"]


def test_every_file_beside_the_code_is_package_data():
    """A file that git keeps inside of a package and that is no Python file must be named, or the wheel lacks it."""
    patterns = SETTINGS["package-data"]
    shipped = {
        path
        for package in PACKAGES
        for pattern in [*patterns["*"], *patterns.get(package, ())]
        for path in (ROOT / package).glob(pattern)
    }
    beside = {
        path
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".py" and path.parent.name != "__pycache__"
    }
    assert sorted(str(path.relative_to(ROOT)) for path in beside - shipped) == []
