"""`import hpo_foundry as hpo`: light, complete, and with types."""

import ast
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import hpo_foundry as hpo

ROOT = Path(__file__).parent.parent.parent
ASKED_FOR = """
    Benchmark run Run Space Float Int Ordinal Categorical Constant Condition Problem SimpleProblem Proposal Result Trial
    noisy shifted subset with_budgets benchmarks optimizers optimizer register_optimizer criteria criterion leaderboard
    report compare open_table read_table write_table open_model sample_tasks __version__ Forbidden ForbiddenRelation
"""


def test_everything_is_found_and_listed():
    assert set(ASKED_FOR.split()) <= set(hpo.__all__)
    assert dir(hpo) == sorted(hpo.__all__)
    for name in hpo.__all__:
        assert getattr(hpo, name) is not None


def test_names_are_those_of_the_packages_behind():
    import baselines
    import hpo_core
    import profet
    import tabular

    assert hpo.Benchmark is hpo_core.Benchmark
    assert hpo.optimizer is baselines.optimizer
    assert hpo.open_table is tabular.open_table
    assert (hpo.read_model, hpo.write_model) == (profet.read_model, profet.write_model)
    assert hpo.errors.HpoError is hpo.HpoError
    assert hpo.__version__ == version("hpo-foundry")


def test_a_misspelt_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no 'Benchmrk'"):
        _ = hpo.Benchmrk


def test_importing_it_imports_nothing_but_itself():
    code = "import sys, typing; before = set(sys.modules); import hpo_foundry;print(sorted(set(sys.modules) - before))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ended.stdout == "['hpo_foundry']\n"


def test_the_stub_names_the_same_things_from_the_same_modules():
    tree = ast.parse((ROOT / "hpo_foundry" / "__init__.pyi").read_text())
    imported = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(imported) | {"__version__"} == set(hpo.__all__)
    for name, (module, attribute) in imported.items():
        namespace = {}
        exec(f"from {module} import {attribute} as found", namespace)
        assert namespace["found"] is getattr(hpo, name)


def test_it_runs_as_the_command_line():
    ended = subprocess.run([sys.executable, "-m", "hpo_foundry", "--help"], capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 0
    assert "leaderboard" in ended.stdout


USER_SCRIPT = """
import hpo_foundry as hpo

b = hpo.Benchmark("protein", nearest_budget=True)
r = hpo.run(b, "rs", n_trials=3)
reveal_type(r)
reveal_type(r.best.loss)
reveal_type(r.best_config)
reveal_type(hpo.Ordinal("x", [1, 2]).size)
reveal_type(hpo.leaderboard(["branin"], ["rs"]))
reveal_type(hpo.__version__)
hpo.no_such_name
"""


@pytest.mark.slow
def test_a_users_type_checker_sees_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "script.py").write_text(USER_SCRIPT)
    options = ("--strict", "--follow-imports=silent", "--ignore-missing-imports")
    command = [sys.executable, "-m", "mypy", *options, "script.py"]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    output = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment).stdout
    revealed = [line.split('"')[1] for line in output.splitlines() if "Revealed type" in line]
    assert revealed == [
        "hpo_core.running.record.Run",
        "float",
        "dict[str, Any]",
        "int",
        "pandas.core.frame.DataFrame",
        "str",
    ]
    assert 'Module has no attribute "no_such_name"' in output
