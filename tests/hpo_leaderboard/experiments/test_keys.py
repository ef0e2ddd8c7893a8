"""Keys hold what runs depend on: a model, a file, code or a library that changed makes other keys."""

import importlib
import sys
from dataclasses import replace
from functools import partial

import pytest
from edited_project import Project

from baselines import registry
from baselines.simple.rs import RandomSearch
from hpo_core.errors import InvalidOption
from hpo_core.names import optimizers
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments import execution, plan
from hpo_leaderboard.experiments.code import numerics
from hpo_leaderboard.experiments.code.code_digest import depends_on_numerics, forget_digests
from hpo_leaderboard.experiments.execution import execute
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.store.selection import select
from hpo_leaderboard.store.store import reading
from profet.family import own_models, shipped_model
from profet.model_file import read_model, write_model

SEARCH = "from baselines.simple.rs import RandomSearch\nclass Search(RandomSearch):\n    pass\n"
LINE = """
from hpo_core import Float, Result, SimpleProblem, Space
line = SimpleProblem("line", Space([Float("x", 0.0, 1.0)]), lambda c, b, s: Result({factor} * c["x"], 1.0, b, {{}}))
"""


def key(benchmark="forrester", optimizer="rs"):
    return make_plan(make_suite("x", [benchmark], [optimizer], n_seeds=1, n_trials=3)).jobs[0].key


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path / "project")
    yield Project(tmp_path / "project")
    forget("own_search", "own_line", "near", "far")
    forget_digests()


@pytest.fixture
def registered(monkeypatch):
    """Registers an optimizer as `mine`, in place of the one before."""
    monkeypatch.setattr(registry, "_ENTRIES", dict(registry._ENTRIES))

    def register(factory):
        registry._ENTRIES.pop("mine", None)
        registry.register_optimizer("mine", factory)
        return key(optimizer="mine")

    return register


def forget(*modules):
    for module in modules:
        sys.modules.pop(module, None)
    importlib.invalidate_caches()


# --- models, files and code -------------------------------------------------------------------------------------------


@pytest.fixture
def own_model(tmp_path, monkeypatch):
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "cache"))
    return read_model(shipped_model("svm"))


def test_a_model_that_was_trained_again_makes_other_keys(own_model):
    path = own_models.path("own")
    path.parent.mkdir(parents=True)
    keys = []
    for factor in (1.0, 1.5, 1.0):
        loss = replace(own_model.loss, theta=own_model.loss.theta[:5] * factor)
        write_model(replace(own_model, name="own", loss=loss, cost=None), path)
        keys.append(key("profet-own/0"))
    assert keys[0] == keys[2] != keys[1]


def test_a_file_that_was_written_anew_makes_other_keys(tmp_path, monkeypatch):
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "cache"))
    file, keys = tmp_path / "own.csv", []
    for shift in (0, 1, 0):
        file.write_text("a,b,y\n" + "\n".join(f"{i},{(i * 7) % 11},{i % 13 + shift * (i == 5)}.5" for i in range(40)))
        keys.append(key(f"cv-lm-{file}"))
    assert keys[0] == keys[2] != keys[1]


def test_a_problem_that_a_module_holds_is_known_by_the_code_of_that_module(project):
    keys = []
    for factor in (1, 2, 1):
        project.write("own_line.py", LINE.format(factor=factor))
        forget("own_line")
        keys.append(key("own_line:line"))
    assert keys[0] == keys[2] != keys[1]


IMPORTS = ["import far", "from far import x", "import importlib; importlib.import_module('far')"]


@pytest.mark.parametrize("statement", IMPORTS)
def test_a_helper_elsewhere_on_the_path_counts_and_an_installed_one_does_not(project, tmp_path, monkeypatch, statement):
    keys = {}
    for folder in ("other", "site-packages"):
        monkeypatch.syspath_prepend(tmp_path / folder)
        project.write("own_search.py", "import near\n" + SEARCH)
        project.write("near.py", statement)
        keys[folder] = []
        for text in ("x = 1\n", "x = 12\n"):
            Project(tmp_path / folder).write("far.py", text)
            forget("own_search", "near", "far")
            keys[folder].append(key(optimizer="own_search:Search"))
    assert keys["other"][0] != keys["other"][1]
    assert keys["site-packages"][0] == keys["site-packages"][1]


# --- optimizers that were registered ----------------------------------------------------------------------------------


def shifted(space, *, by, budgets=(1,), seed=0):
    return RandomSearch(space, budgets=budgets, seed=seed + by)


def shifting(by):
    return lambda space, **options: shifted(space, by=by, **options)


class Holding:
    def __init__(self, by):
        self.by = by

    def __call__(self, space, **options):
        return shifted(space, by=self.by, **options)


def written(by):
    made = {"shifted": shifted, "BY": by, "__name__": "__notebook__"}
    exec("def make(space, **options): return shifted(space, by=BY, **options)", made)
    return made["make"]


@pytest.mark.parametrize("made", [lambda by: partial(shifted, by=by), shifting, Holding, written])
def test_what_a_registered_object_holds_is_a_part_of_its_version(registered, made):
    first, again, other = (registered(made(by)) for by in (1, 1, 2))
    assert first == again != other


def test_a_registered_class_is_known_by_its_name_and_a_changed_one_by_its_code(registered, project):
    project.write("own_search.py", SEARCH + SEARCH.replace("class Search", "class Other"))
    import own_search

    keys = [registered(own_search.Search), registered(own_search.Other)]
    project.write("own_search.py", SEARCH.replace("pass", "width = 3"))
    keys.append(registered(own_search.Search))
    assert len(set(keys)) == 3


def test_a_class_without_a_file_is_known_by_all_that_it_refers_to(registered):
    def made(width, word="a"):
        cells = {"RandomSearch": RandomSearch, "__name__": "__notebook__"}
        exec(f"def helper(): return {width}", cells)
        exec(
            f"class Search(RandomSearch):\n  word = {word!r}\n  def ask(self):\n    return helper(), super().ask()",
            cells,
        )
        return cells["Search"]

    assert registered(made(1)) == registered(made(1))
    assert len({registered(made(1)), registered(made(2)), registered(made(1, "b"))}) == 3


def test_an_object_of_which_nothing_can_be_said_is_refused_with_the_way_out(registered):
    with pytest.raises(InvalidOption, match="MODULE:CLASS, or state a `version`"):
        registered(partial(shifted, by=object()))


def test_a_store_runs_a_registered_optimizer_again_after_it_changed(registered, tmp_path):
    suite = make_suite("x", ["forrester"], ["mine"], n_seeds=2, n_trials=3)
    present = []
    for by in (1, 1, 2):
        registered(shifting(by))
        present.append(run_experiment(suite, tmp_path / "s.sqlite", SerialEngine()).n_present)
    assert present == [0, 2, 0]


# --- libraries --------------------------------------------------------------------------------------------------------


def test_the_libraries_of_linear_algebra_count_where_there_is_any():
    plain = {name for name, entry in optimizers().items() if not depends_on_numerics(entry.target.partition(":")[0])}
    halving = {"sh", "hyperband", "priorband", "asha", "asha-stop", "pasha", "dehb"}
    assert plain == {"rs", "grid", "sobol", "lhs", "local-search", "re", "reinforce", "de"} | halving
    jobs = make_plan(make_suite("x", ["mini-airfoil", "profet-svm/0"], ["rs", "gp"], n_seeds=1, n_trials=3)).jobs
    lines = {(job.benchmark.name, job.optimizer.name): job.numerics for job in jobs}
    assert lines["mini-airfoil", "rs"] is None
    others = [line for names, line in lines.items() if names != ("mini-airfoil", "rs")]
    assert len(others) == 3 and set(others) == {numerics.numerics()}
    assert numerics.numerics().startswith("numpy ")


def test_a_worker_with_other_libraries_does_not_run_what_depends_on_them(monkeypatch):
    jobs = make_plan(make_suite("x", ["mini-airfoil"], ["rs", "gp"], n_seeds=1, n_trials=3)).jobs
    monkeypatch.setattr(execution, "numerics", lambda: "numpy 9.9, openblas 1.0 Elsewhere")
    free, bound = map(execute, jobs)
    assert free.failure is None
    assert "DifferentVersion" in bound.failure and "OPENBLAS_CORETYPE=" in bound.failure and not bound.settled


def test_seeds_of_two_machines_are_one_optimizer_and_a_seed_of_both_counts_once(monkeypatch, tmp_path):
    path = tmp_path / "s.sqlite"
    for line, seeds in (("one", range(4)), ("two", range(2, 6))):
        monkeypatch.setattr(execution, "numerics", lambda line=line: line)
        monkeypatch.setattr(plan, "numerics", lambda line=line: line)
        suite = make_suite("x", ["mini-airfoil"], ["rs", "gp"], n_seeds=4, first_seed=seeds.start, n_trials=3)
        run_experiment(suite, path, SerialEngine())
    with reading(path) as store:
        shown = set(store.frames().runs["optimizer"])
        chosen = select(store)
    assert shown == {"rs", "gp with one", "gp with two"}  # without a choice, the two are told apart
    runs = chosen.frames.runs
    assert sorted(runs["seed"][runs["optimizer"] == "gp"]) == list(range(6))
    assert chosen.left_out == ["gp: 2 runs that were run again later with other libraries of linear algebra"]


def test_what_another_version_raises_when_it_is_built_is_no_result(project):
    project.write(
        "own_search.py",
        SEARCH.replace("pass", "def __init__(self, space, *, budgets=(1,), seed=0, k=0): raise KeyError"),
    )
    job = make_plan(make_suite("x", ["forrester"], ["own_search:Search"], n_seeds=1, n_trials=3)).jobs[0]
    assert "KeyError" in execute(job).failure and execute(job).settled
    other = execute(replace(job, version="code 0123456789ab, library 1"))
    assert "DifferentVersion" in other.failure and not other.settled


def test_the_serial_engine_does_not_run_old_code_under_the_key_of_the_new(project, tmp_path):
    project.write("own_search.py", SEARCH)
    suite = make_suite("x", ["forrester"], ["own_search:Search"], n_seeds=1, n_trials=3)
    assert run_experiment(suite, tmp_path / "s.sqlite", SerialEngine()).n_present == 0
    project.write("own_search.py", SEARCH + "    width = 2\n")
    with pytest.raises(InvalidOption, match="own_search was edited since"):
        run_experiment(suite, tmp_path / "s.sqlite", SerialEngine())
    project.write("own_search.py", SEARCH)
    assert run_experiment(suite, tmp_path / "s.sqlite", SerialEngine()).n_present == 1
    project.write("own_search.py", SEARCH + "    width = 2\n")
    importlib.reload(sys.modules["own_search"])
    assert run_experiment(suite, tmp_path / "s.sqlite", SerialEngine()).n_present == 0
