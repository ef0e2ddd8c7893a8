"""One resolver: a name, an entry point's name, module:attribute, a class and an object mean the same everywhere."""

import importlib.metadata
import os
import subprocess
import sys
from functools import partial
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from baselines import criterion, optimizer
from hpo_core import Benchmark, Float, Space, benchmarks, run
from hpo_core.errors import InvalidOption, UnknownName
from hpo_core.names import criteria, make_criterion, make_optimizer, make_problem, optimizers
from hpo_core.plugins import FailedImport, plugins

LINE = Space([Float("x", 0.0, 1.0)])
MODULE = '''
import numpy as np
from hpo_core import Float, Proposal, Result, SimpleProblem, Space

class Search:
    """Random search from a corner."""
    def __init__(self, space, *, budgets=(1,), seed=0, share=1.0):
        self.space, self.budgets, self.seed, self.share = space, budgets, seed, share
        self.rng = np.random.default_rng(seed)
    def ask(self):
        return Proposal(self.space.sample(self.rng))
    def tell(self, proposal, loss, cost):
        pass

class After:
    """Stops after n trials."""
    def __init__(self, space, n=4):
        self.n = n
    def __call__(self, trials):
        return f"after {self.n}" if len(trials) >= self.n else None

def line(slope=1.0):
    """A straight line."""
    def evaluate(config, budget, seed):
        return Result(slope * config["x"], 1.0, budget, {})
    return SimpleProblem("line", Space([Float("x", 0.0, 1.0)]), evaluate, optimum=0.0)

def nothing(space, *, budgets=(1,), seed=0):
    return None
'''


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """The module `search_of_mine`, importable."""
    (tmp_path / "search_of_mine.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    import search_of_mine

    yield search_of_mine
    del sys.modules["search_of_mine"]


# --- module:attribute, classes, objects ------------------------------------------------------------------------------


def test_an_optimizer_may_be_a_text_a_class_a_function_or_an_object(mine):
    b = Benchmark("branin")
    expected = run(b, mine.Search(b.space, budgets=b.budgets, seed=3), n_trials=5, seed=3)
    by_text = run("branin", "search_of_mine:Search", n_trials=5, seed=3)
    assert by_text.optimizer == "search_of_mine:Search"
    assert by_text.trials == expected.trials
    for given in (mine.Search, lambda space, budgets, seed: mine.Search(space, budgets=budgets, seed=seed)):
        made = run("branin", given, n_trials=5, seed=3)
        assert made.optimizer == "Search"
        assert made.trials == expected.trials


def test_a_class_is_built_on_the_space_the_budgets_and_the_seed(mine):
    b = Benchmark("counting-ones-4-4")
    made = []

    class Noted(mine.Search):
        def __init__(self, space, *, budgets=(1,), seed=0):
            super().__init__(space, budgets=budgets, seed=seed)
            made.append(self)

    run(b, Noted, n_trials=1, seed=7)
    assert (made[0].space, made[0].budgets, made[0].seed) == (b.space, b.budgets, 7)


def test_options_go_with_names_and_classes(mine):
    assert make_optimizer("search_of_mine:Search", LINE, share=0.5).share == 0.5
    assert make_optimizer(mine.Search, LINE, share=0.5).share == 0.5
    assert make_optimizer(partial(mine.Search, share=0.25), LINE).share == 0.25
    assert optimizer("search_of_mine:Search", LINE, share=0.5).share == 0.5
    made = run("branin", "re", n_trials=30, options={"population": 5})
    assert made.trials == run("branin", optimizer("re", Benchmark("branin").space, population=5), n_trials=30).trials
    assert made.trials != run("branin", "re", n_trials=30).trials
    with pytest.raises(InvalidOption, match="optimizer 'search_of_mine:Search' has no option 'shar'; did you mean sha"):
        run("branin", "search_of_mine:Search", options={"shar": 1})
    with pytest.raises(InvalidOption, match="not an object: share"):
        run("branin", mine.Search(LINE), options={"share": 1})


def test_a_class_that_is_called_otherwise_is_explained(mine):
    class NoBudgets:
        def __init__(self, space, seed):
            pass

    class Needs:
        def __init__(self, space, model, budgets, seed):
            pass

    with pytest.raises(InvalidOption, match="'NoBudgets' is called with budgets and seed as keywords and takes no bud"):
        run("branin", NoBudgets)
    with pytest.raises(InvalidOption, match="'Needs' needs model; give it as an option"):
        run("branin", Needs)
    with pytest.raises(InvalidOption, match="must have ask and tell, 'search_of_mine:nothing' made None"):
        run("branin", "search_of_mine:nothing")


def test_a_benchmark_may_be_a_text_a_function_or_an_object(mine):
    expected = run(mine.line(), "rs", n_trials=5)
    assert run("search_of_mine:line", "rs", n_trials=5) == expected
    assert run(Benchmark(mine.line), "rs", n_trials=5) == expected
    assert make_problem("search_of_mine:line", slope=3.0).evaluate({"x": 1.0}, 1, None).loss == 3.0
    with pytest.raises(InvalidOption, match="benchmark 'search_of_mine:line' has no option 'slop'; did you mean slope"):
        Benchmark("search_of_mine:line", slop=3.0)
    with pytest.raises(InvalidOption, match="not with a problem"):
        Benchmark(mine.line(), slope=3.0)


def test_a_criterion_may_be_a_text_a_class_or_a_function(mine):
    for stop in (
        "search_of_mine:After",
        mine.After,
        mine.After(None),
        lambda trials: "after 4" * (len(trials) > 3) or None,
    ):
        made = run("branin", "rs", n_trials=50, stop=stop)
        assert (len(made.trials), made.reason) == (4, "after 4")
    b = Benchmark("branin")
    for text, reason in (
        ("search_of_mine:After:6", "after 6"),
        ("search_of_mine:After:n=6", "after 6"),
        ("conv:30 | search_of_mine:After : 6", "after 6"),
        ("limit:3 & search_of_mine:After:6", "limit: 6 of 3 trials & after 6"),
    ):
        assert run(b, "rs", n_trials=50, stop=text).reason == reason
    assert make_criterion(mine.After, LINE, n=9).n == criterion("search_of_mine:After", LINE, n=9).n == 9
    with pytest.raises(InvalidOption, match="given twice"):
        criterion("search_of_mine:After:3", LINE, n=9)
    with pytest.raises(InvalidOption, match="has no option 'm'"):
        criterion("search_of_mine:After:m=3", LINE)


def test_a_joined_criterion_of_your_own_needs_no_status(mine):
    assert make_criterion("limit:3 | search_of_mine:After", LINE).status([]) == "limit: 0 of 3 trials | After"


# --- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("resolve", "name", "words"),
    [
        (make_problem, "branim", "no benchmark 'branim'; did you mean branin"),
        (
            lambda name: run("branin", name),
            "hyperbnd",
            "no optimizer 'hyperbnd'; did you mean hyperband.*hpo optimizers",
        ),
        (lambda name: criterion(name, LINE), "con:3", "no stopping criterion 'con'; did you mean conv.*hpo criteria"),
        (make_problem, "nowhere:line", "no module 'nowhere'.*current directory"),
        (lambda name: run("branin", name), "nowhere.at_all:Search", "no module 'nowhere'.*current directory"),
        (lambda name: criterion(name, LINE), "nowhere:After:3", "no module 'nowhere'"),
        (make_problem, "search_of_mine:lin", r"search_of_mine.py\) has no attribute 'lin'; did you mean line"),
        (lambda name: run("branin", name), "search_of_mine:Serch", "has no attribute 'Serch'; did you mean Search"),
    ],
)
def test_a_mistaken_name_is_answered_with_the_nearest_and_the_way_out(mine, resolve, name, words):
    with pytest.raises(UnknownName, match=words):
        resolve(name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import not_installed_at_all", "ModuleNotFoundError: No module named 'not_installed_at_all'"),
        ("def broken(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_module_that_fails_says_what_failed(tmp_path, monkeypatch, text, words):
    (tmp_path / "failing_module.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(FailedImport, match=f"'failing_module:Search' cannot be imported.*{words}.*current directory"):
        run("branin", "failing_module:Search")


# --- entry points ----------------------------------------------------------------------------------------------------


@pytest.fixture
def another_package(mine, monkeypatch):
    """A package that offers a benchmark, an optimizer and a criterion under their entry points' names."""
    groups = {
        "hpo_core.benchmarks": EntryPoint("straight-line", "search_of_mine:line", "hpo_core.benchmarks"),
        "hpo_core.optimizers": EntryPoint("corner", "search_of_mine:Search", "hpo_core.optimizers"),
        "hpo_core.criteria": EntryPoint("after", "search_of_mine:After", "hpo_core.criteria"),
    }
    installed = importlib.metadata.entry_points
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: EntryPoints([*installed(group=group), groups[group]])
    )
    plugins.cache_clear()
    yield groups
    plugins.cache_clear()


def test_an_entry_point_is_known_by_its_name(another_package):
    assert benchmarks()["straight-line"] == ("straight-line", "A straight line.")
    assert optimizers()["corner"].summary == "Random search from a corner."
    assert criteria()["after"].summary == "Stops after n trials."
    made = run("straight-line", "corner", n_trials=50, stop="conv:40 | after:6", options={"share": 0.5})
    assert (made.benchmark, made.optimizer, made.reason) == ("line", "corner", "after 6")
    with pytest.raises(UnknownName, match="did you mean corner"):
        run("branin", "cornr")


def test_a_package_that_cannot_be_loaded_does_not_break_the_others(another_package):
    another_package["hpo_core.optimizers"] = EntryPoint("corner", "nowhere:Search", "hpo_core.optimizers")
    with pytest.warns(UserWarning, match="'corner' of .* is left out, nowhere:Search cannot be loaded"):
        assert "rs" in optimizers()
    assert "corner" not in optimizers()


def test_the_three_listings_are_mappings_with_one_line_each():
    for listing in (benchmarks(), optimizers(), criteria()):
        assert isinstance(listing, dict)
        assert all(isinstance(name, str) and entry.summary for name, entry in listing.items())
    assert "rs" in optimizers() and "conv" in criteria() and "branin" in benchmarks()


# --- the command line ------------------------------------------------------------------------------------------------


def call(folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-P", "-c", "import sys; from hpo_cli.main import main; sys.exit(main())", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_the_current_directory_is_importable_from_the_command_line(tmp_path):
    (tmp_path / "search_of_mine.py").write_text(MODULE)
    done = call(tmp_path, "run", "search_of_mine:line", "search_of_mine:Search", "--trials", "9", "--stop", "conv:50")
    assert (done.returncode, done.stderr) == (0, "")
    again = call(tmp_path, "run", "branin", "search_of_mine:Serch")
    assert again.returncode == 2
    assert "did you mean Search" in again.stderr
