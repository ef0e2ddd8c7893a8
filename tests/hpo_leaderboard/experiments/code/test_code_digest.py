"""Digests of your own modules: which files count."""

import pytest
from edited_project import Project

from hpo_leaderboard.experiments.code.code_digest import code_digest, forget_digests


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


def test_libraries_do_not_count_also_behind_a_package_of_yours(project, tmp_path_factory, monkeypatch):
    library = tmp_path_factory.mktemp("venv") / "site-packages" / "library.py"
    library.parent.mkdir()
    library.write_text("a = 1\n")
    monkeypatch.syspath_prepend(library.parent)
    project.write("gather/__init__.py", "from library import a\n")
    project.write("mine.py", "import library\nfrom gather import a\n")
    before = project.digest()
    library.write_text("a = 12\n")
    forget_digests()
    assert project.digest() == before


@pytest.mark.parametrize(
    "text", ["from lazy import a\n", "import lazy as l\ndef f(): return l.a(3)\n", "import lazy\nlazy.a\n"]
)
def test_a_facade_counts_by_the_modules_behind_the_names_in_its_stub(project, text):
    project.write("lazy/__init__.py", "def __getattr__(name): ...\n")
    project.write("lazy/__init__.pyi", "from helper import x as b\nfrom other import x as a\n")
    project.write("other.py", "x = 1\n")
    project.write("mine.py", text)
    assert project.changes("other.py", "x = 2\n")
    assert not project.changes("helper.py", "x = 12\n")
    assert not project.changes("lazy/__init__.py", "def __getattr__(name): return 3\n")


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
