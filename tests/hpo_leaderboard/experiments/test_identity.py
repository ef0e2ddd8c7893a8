"""What runs are keyed by: the code that makes proposals, all of it, and nothing else."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from edited_project import Project

from hpo_core import Benchmark
from hpo_core.names import make_optimizer, optimizers
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.engines.processes import ProcessesEngine
from hpo_leaderboard.experiments.code.code_digest import PROJECT, code_digest, forget_digests
from hpo_leaderboard.experiments.identity import close_benchmarks, open_benchmark, optimizer_version
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import make_suite

ROOT = Path(__file__).parents[3]
SPACE = Benchmark("branin").space


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    yield Project(tmp_path)
    forget_digests()


# --- versions of optimizers ------------------------------------------------------------------------------------------

SEARCH = """
from baselines.simple.rs import RandomSearch
import helper

class Search:
    def __init__(self, space, *, budgets=(1,), seed=0):
        self.inner = RandomSearch(space, budgets=budgets, seed=seed)
    def ask(self):
        return self.inner.ask()
    def tell(self, proposal, loss, cost):
        self.inner.tell(proposal, loss, cost)

class Fixed(Search):
    version = "2"

class Wrapping(Search):
    def __init__(self, space, **options):
        super().__init__(space, **options)
        self.version = "library 1.5"

def make(space, **options):
    return Fixed(space, **options)
"""


@pytest.fixture
def searches(project):
    project.write("versioned_search.py", SEARCH)
    yield project
    sys.modules.pop("versioned_search", None)
    sys.modules.pop("helper", None)


def version(name):
    forget_digests()
    return optimizer_version(name, make_optimizer(name, SPACE))


def test_a_version_of_the_class_replaces_the_digest_and_one_of_the_object_adds_to_it(searches):
    names = [f"versioned_search:{name}" for name in ("Search", "Fixed", "Wrapping", "make")]
    digest, fixed, wrapping, made = map(version, names)
    assert digest == f"code {code_digest('versioned_search')}"
    assert (fixed, made, wrapping) == ("version 2", "version 2", f"{digest}, library 1.5")
    searches.write("helper.py", "x = 12\n")
    changed = [version(name) for name in names]
    assert changed[0] != digest and changed[2] != wrapping
    assert (changed[1], changed[3]) == ("version 2", "version 2")


def test_a_class_of_a_notebook_is_known_by_its_methods(monkeypatch):
    class Local:
        def ask(self):
            return 1

    class Other:
        def ask(self):
            return 2

    versions = []
    monkeypatch.setitem(sys.modules, "a_notebook", type(sys)("a_notebook"))
    for search in (Local, Other):
        monkeypatch.setattr(search, "__module__", "a_notebook")
        monkeypatch.setattr("hpo_leaderboard.experiments.identity.optimizer_factory", lambda name, made=search: made)
        versions.append(optimizer_version("local", None))
    assert all(re.fullmatch("code [0-9a-f]{12}", version) for version in versions)
    assert len(set(versions)) == 2


def test_a_benchmark_of_your_own_is_known_by_its_code(project):
    line = (ROOT / "tests" / "support" / "misbehaving.py").read_text()
    project.write("line_of_mine.py", f"import helper\n{line}")
    before = open_benchmark("line_of_mine:line", {}).checksum
    project.write("helper.py", "x = 12\n")
    close_benchmarks()
    assert open_benchmark("line_of_mine:line", {}).checksum != before
    del sys.modules["line_of_mine"], sys.modules["helper"]


# --- our own modules -------------------------------------------------------------------------------------------------

SCRIPT = """
import json, sys
from pathlib import Path
from hpo_core.names import optimizers
from hpo_leaderboard.experiments.code.code_digest import forget_digests
from hpo_leaderboard.experiments.identity import optimizer_version

def versions():
    forget_digests()
    return {name: optimizer_version(name, None) for name in optimizers()}

table = {"as it is": versions()}
for title, (name, old, new) in json.loads(sys.argv[1]).items():
    path = Path(name)
    text = path.read_text()
    path.write_text(text.replace(old, new, 1) if old else text + new)
    table[title] = versions()
    path.write_text(text)
print(json.dumps(table))
"""


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    """Versions of all optimizers in a copy of the project that looks installed, after edits of one file each."""
    folder = tmp_path_factory.mktemp("copy") / "site-packages"
    for package in ("hpo_core", "hpo_models", "baselines", "hpo_leaderboard", "tabular", "fcnet_data", "profet"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("data", "__pycache__"))
    edits = {
        "helper of gp": ("hpo_models/gp/kernels.py", "", "EDITED = 1\n"),
        "comment": ("hpo_models/gp/kernels.py", "", "# a comment\n\n"),
        "docstring": ("hpo_models/gp/kernels.py", '"""', '"""Edited. '),
        "space": ("hpo_core/space/space.py", "import numpy as np\n", "import numpy as np\nEDITED = 1\n"),
        "registry": ("baselines/registry.py", "random search", "searching at random"),
        "loop": ("hpo_core/running/loop.py", "STALLED = 1000", "STALLED = 2000"),
    }
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-B", "-P", "-c", SCRIPT, json.dumps(edits)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def changed_by(edited, title):
    return {name for name, version in edited["as it is"].items() if edited[title][name] != version}


@pytest.mark.slow
def test_an_edited_helper_changes_those_that_import_it_and_no_others(edited):
    changed = changed_by(edited, "helper of gp")
    assert {"gp", "gp-ucb", "es", "mtbo", "fabolas", "bo-bos"} <= changed
    assert not changed & {"rs", "re", "de", "cmaes", "tpe", "hyperband", "bohb", "smac", "bore", "optuna-tpe"}
    assert changed_by(edited, "space") == set(optimizers())


@pytest.mark.parametrize("title", ["comment", "docstring", "registry", "loop"])
def test_what_makes_no_proposals_changes_none(edited, title):
    assert changed_by(edited, title) == set()


def test_a_copy_elsewhere_has_the_same_versions(edited):
    forget_digests()
    here = {name: optimizer_version(name, None) for name in optimizers()}
    assert edited["as it is"] == here
    assert len(set(here.values())) > 20


def test_the_project_is_every_package_that_is_installed():
    found = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]["include"]
    packages = {path.parent.name for pattern in found for path in ROOT.glob(f"{pattern}/__init__.py")}
    assert packages <= PROJECT


# --- workers ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_workers_compute_the_same_version(engine, searches):
    """They refuse a job whose version is not the one that they compute."""
    if engine == "dask":
        pytest.importorskip("distributed")
    jobs = make_plan(make_suite("own", ["branin"], ["versioned_search:Search", "gp", "rs"], n_seeds=1, n_trials=3)).jobs
    chosen = ProcessesEngine(1, 60.0) if engine == "processes" else make_engine("dask", processes=1)
    finished = [done for _, done in chosen.results(jobs)]
    assert [done.failure for done in finished] == [None] * 3
    searches.write("helper.py", "x = 12\n")
    (job,) = make_plan(make_suite("own", ["branin"], ["versioned_search:Search"], n_seeds=1, n_trials=3)).jobs
    assert job.key != jobs[0].key
