"""What runs are keyed by: the code that makes proposals, all of it, and nothing else."""

import ast
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hpo_core import Benchmark
from hpo_core.names import make_optimizer, optimizers
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.engines.processes import ProcessesEngine
from hpo_leaderboard.experiments.canonical_code import canonical_code
from hpo_leaderboard.experiments.code_digest import PROJECT, code_digest, forget_digests
from hpo_leaderboard.experiments.identity import close_benchmarks, open_benchmark, optimizer_version
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import make_suite

ROOT = Path(__file__).parents[3]
SPACE = Benchmark("branin").space


# --- one file --------------------------------------------------------------------------------------------------------

CODE = '''
"""Head."""
class A:
    """Doc."""
    def f(self, x, *, y=("a", 'b')):
        """More."""
        if x is None:
            return -0.0
        return [x, f"{y!r:>{x}}", {**x}]
'''
SAME = """
# a comment
class A:
    def f(
        self,
        x,
        *,
        y=('a', "b"),  # another
    ):
        if (x is None):
            return -0.0

        return [
            x,
            f"{y!r:>{x}}",
            {**x},
        ]
"""


def test_comments_docstrings_and_formatting_do_not_count():
    assert canonical_code(ast.parse(CODE)) == canonical_code(ast.parse(SAME))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-0.0", "0.0"),
        ("-0.0", "-0"),
        ("'b'", "'c'"),
        ("'b'", "b'b'"),
        ("is None", "is not None"),
        ("self, x,", "self, z,"),
        ("!r", "!s"),
        ("{**x}", "{'x': x}"),
        ("return -0.0", "return"),
        ("return -0.0", "return None"),
        ("class A:", "class A(B):"),
        ("    def", "    @d\n    def"),
        ("*, ", ""),
    ],
)
def test_everything_else_counts(old, new):
    assert old in CODE
    assert canonical_code(ast.parse(CODE)) != canonical_code(ast.parse(CODE.replace(old, new)))


# --- your own modules ------------------------------------------------------------------------------------------------


class Project:
    """Files of a project, and the digest of its module `mine` after each change."""

    def __init__(self, folder):
        self.folder = folder
        self.write("mine.py", "import helper\nclass Search: pass\n")
        self.write("helper.py", "x = 1\n")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        forget_digests()

    def digest(self, module="mine"):
        return code_digest(module)

    def changes(self, name, text, module="mine"):
        """Whether writing this to a file changes the digest; the file is as before afterwards."""
        path, before = self.folder / name, self.digest(module)
        original = path.read_text()
        self.write(name, text)
        after = self.digest(module)
        self.write(name, original)
        assert self.digest(module) == before
        return before != after


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    yield Project(tmp_path)
    forget_digests()


def test_a_helper_in_the_same_directory_counts(project):
    assert project.changes("helper.py", "x = 12\n")
    assert not project.changes("helper.py", '"""About x."""\n\nx = 1  # one\n')
    project.write("mine.py", "class Search: pass\n")
    assert not project.changes("helper.py", "x = 12\n")


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    import deep.below.far\n",
        "def f():\n    from deep.below import far\n",
        "from deep.below.far import x\n",
        "from deep import x\n",  # gathered by the package
        "from deep.below import *\n",
        "import helper\n",  # which imports it
    ],
)
def test_imports_are_followed_wherever_they_stand(project, text):
    project.write("deep/__init__.py", "from .below import x\n")
    project.write("deep/below/__init__.py", "from ..below.far import x\n")
    project.write("deep/below/far.py", "x = 1\n")
    project.write("helper.py", "from deep.below.far import x\n")
    project.write("mine.py", text)
    assert project.changes("deep/below/far.py", "x = 2\n")


def test_what_only_the_type_checker_imports_does_not_count(project):
    project.write(
        "mine.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import helper\nelse:\n    import other\n"
    )
    project.write("other.py", "x = 1\n")
    assert not project.changes("helper.py", "x = 12\n")
    assert project.changes("other.py", "x = 12\n")


def test_a_package_that_gathers_names_counts_by_the_module_behind_the_name(project):
    project.write("gather/__init__.py", "from gather.one import a\nfrom gather.two import b\n")
    project.write("gather/one.py", "a = 1\n")
    project.write("gather/two.py", "b = 1\n")
    project.write("mine.py", "from gather import a\n")
    assert project.changes("gather/one.py", "a = 2\n")
    assert not project.changes("gather/two.py", "b = 2\n")
    project.write("mine.py", "import gather\n")
    assert project.changes("gather/two.py", "b = 2\n")


def test_a_folder_without_init_is_a_package_too(project):
    project.write("loose/search.py", "import loose.part\n")
    project.write("loose/part.py", "x = 1\n")
    assert project.changes("loose/part.py", "x = 2\n", module="loose.search")


def test_of_an_installed_package_its_own_modules_count_and_its_neighbours_do_not(tmp_path, monkeypatch):
    installed = tmp_path / "site-packages"
    monkeypatch.syspath_prepend(installed)
    project = Project(installed)
    project.write("plugin/__init__.py", "")
    project.write("plugin/search.py", "import helper, plugin.part\n")
    project.write("plugin/part.py", "x = 1\n")
    assert project.changes("plugin/part.py", "x = 2\n", module="plugin.search")
    assert not project.changes("helper.py", "x = 12\n", module="plugin.search")
    forget_digests()


def test_circles_end_and_a_module_without_source_has_no_digest(project):
    project.write("helper.py", "import mine\nimport math, numpy, not_there_at_all\nfrom . import nothing\n")
    assert len(project.digest()) == 12
    assert code_digest("math") is None


def test_a_new_file_is_seen(project):
    project.write("mine.py", "from helper import x\ntry:\n    import extra\nexcept ImportError:\n    extra = None\n")
    before = project.digest()
    project.write("extra.py", "y = 1\n")
    assert project.digest() != before


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


def test_a_class_without_a_file_is_known_by_its_own_source(monkeypatch):
    class Local:
        def __init__(self, space, *, budgets=(1,), seed=0):
            pass

    monkeypatch.setattr(Local, "__module__", "a_notebook")
    monkeypatch.setitem(sys.modules, "a_notebook", type(sys)("a_notebook"))
    monkeypatch.setattr("hpo_leaderboard.experiments.identity.optimizer_factory", lambda name: Local)
    assert optimizer_version("local", None).startswith("code ")


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
from hpo_leaderboard.experiments.code_digest import forget_digests
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
    """Versions of all optimizers in a copy of the project, after edits of one file each."""
    folder = tmp_path_factory.mktemp("copy")
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
