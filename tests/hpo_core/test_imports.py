"""Importing the core stays light: optimizers in a loop of processes pay for it every time."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import hpo_core

HEAVY = ("torch", "pandas", "sklearn", "ConfigSpace", "matplotlib", "plotly", "scipy", "h5py")


def test_importing_it_imports_nothing_but_itself():
    code = "import sys, typing; before = set(sys.modules); import hpo_core; print(sorted(set(sys.modules) - before))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "['hpo_core']\n"


def test_its_stub_names_the_same_things_from_the_same_modules():
    tree = ast.parse(Path(hpo_core.__file__).with_suffix(".pyi").read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert sorted(alias.name for node in imports for alias in node.names) == sorted(hpo_core.__all__)
    for node in imports:
        for alias in node.names:
            assert getattr(import_module(node.module), alias.name) is getattr(hpo_core, alias.name)
    with pytest.raises(AttributeError, match="no 'Benchmrk'"):
        _ = hpo_core.Benchmrk


def test_the_core_imports_nothing_heavy():
    heavy = (*HEAVY, "importlib.metadata")
    code = f"import sys; from hpo_core import *; print([m for m in {heavy!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_lookup_imports_no_more_than_it_needs():
    code = (
        "import sys; from hpo_core import Benchmark; b = Benchmark('protein'); b.objective(b.problem.best());"
        "print([m for m in ('torch', 'pandas', 'sklearn', 'ConfigSpace', 'scipy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
