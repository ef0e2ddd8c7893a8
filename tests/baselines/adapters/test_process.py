"""Peer processes: their names, and that they propose what the same code proposes here."""

import math
import random
import shutil
import sys
from pathlib import Path

import pytest
from peer_programs import PEERS, SAMPLING, asked

from baselines import optimizer
from baselines.adapters.parts.conversation import PeerFault
from baselines.adapters.parts.peer_names import full_name, is_peer, short_name, started
from hpo_core import (
    Benchmark,
    Categorical,
    Condition,
    Constant,
    Float,
    Forbidden,
    Int,
    Ordinal,
    Space,
    run,
)
from hpo_core.errors import InvalidBudget, InvalidOption, UnknownName, UnsupportedSpace
from hpo_core.names import needs_import
from hpo_core.running.optimizer import InvalidLoss, UnknownProposal

ROOT = Path(__file__).parents[3]
LINE = Space([Float("x", 0.0, 1.0)])
MIXED = Space(
    [
        Float("lr", 1e-5, 1e-1, log=True),
        Int("layers", 1, 4),
        Ordinal("batch", [8, 16, 32]),
        Categorical("kernel", ["rbf", "linear", None]),
        Float("gamma", 0.1, 10.0),
        Constant("k", 7),
    ],
    [Condition("gamma", "kernel", ("rbf",))],
)


# --- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dehb-lib@env", "cmd@./a:b --c", "mine.py@/opt/env/bin/python"])
def test_a_peer_is_found_by_a_name_that_no_file_may_use_by_itself(name):
    assert is_peer(name) and not needs_import(name.replace(":", ""))
    assert needs_import(full_name(name)) and full_name(full_name(name)) == full_name(name)
    assert short_name(full_name(name)) == name


@pytest.mark.parametrize("name", ["tpe", "my_module:Search", "my_module:a@b"])
def test_other_names_are_left_alone(name):
    assert not is_peer(name) and full_name(name) == short_name(name) == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dehb-lib@no-such-environment", "no environment 'no-such-environment'.*python -m venv"),
        ("dehb@env", "no peer process 'dehb'; did you mean dehb-lib"),
        ("missing.py@env", "no file 'missing.py'"),
        ("cmd@./no-such-program --fast", "no program"),
        ("cmd@'", "cannot be split"),
        ("dehb-lib@", "NAME@ENV"),
    ],
)
def test_names_that_start_nothing_are_refused_with_a_way_out(name, words):
    with pytest.raises((UnknownName, InvalidOption), match=words):
        optimizer(name, LINE)


def test_an_environment_is_a_folder_an_interpreter_or_a_name(tmp_path, monkeypatch):
    folder = tmp_path / "named" / "old" / "bin"
    folder.mkdir(parents=True)
    (folder / "python").symlink_to(sys.executable)
    monkeypatch.setenv("HPO_ENVIRONMENTS", str(tmp_path / "named"))
    worker = PEERS / "sampling.py"
    found = {
        started(f"{worker}@{where}").command[0] for where in ("old", tmp_path / "named" / "old", folder / "python")
    }
    assert found == {str(folder / "python")}


def test_a_worker_gets_nothing_of_this_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    worker = tmp_path / "telling.py"
    worker.write_text(
        "import os, sys\nDISTRIBUTIONS = []\n"
        "def build(hyperparameters, budgets, seed, options):\n"
        "    names = ('PYTHONPATH', 'PYTHONHASHSEED', 'OMP_NUM_THREADS')\n"
        "    raise RuntimeError(f\"{[os.environ.get(n) for n in names]} {any('workers' in p for p in sys.path)}\")\n"
    )
    with pytest.raises(PeerFault, match=r"\[None, '0', '1'\] False"):
        optimizer(f"{worker}@{sys.executable}", LINE)


# --- proposals -----------------------------------------------------------------------------------------------------


def test_what_a_peer_proposes_is_what_its_code_proposes_here():
    rng = random.Random(5)
    o = optimizer(SAMPLING, LINE, seed=5)
    assert [p.config["x"] for p in asked(o, 20)] == [rng.uniform(0.0, 1.0) for _ in range(20)]


def test_options_reach_the_worker_and_its_refusal_is_said():
    assert max(p.config["x"] for p in asked(optimizer(SAMPLING, LINE, width=0.01), 20)) <= 0.01
    with pytest.raises(InvalidOption, match="unexpected keyword argument 'wide'"):
        optimizer(SAMPLING, LINE, wide=3)
    with pytest.raises(InvalidOption, match="must be JSON"):
        optimizer(SAMPLING, LINE, width=object())
    with pytest.raises(InvalidOption, match="reply_seconds"):
        optimizer(SAMPLING, LINE, reply_seconds=0)


def test_configurations_leave_out_what_is_switched_off():
    found = [p.config for p in asked(optimizer(SAMPLING, MIXED, seed=0), 30)]
    assert all(MIXED.check(config) == config for config in found)
    assert {"gamma" in config for config in found} == {True, False}
    with pytest.raises(UnsupportedSpace, match="more than one value"):
        optimizer(SAMPLING, Space([Constant("k", 7)]))


def test_forbidden_proposals_are_told_as_failed_and_asked_for_again():
    space = Space([Categorical("a", ["x", "y"]), Categorical("b", ["x", "y"])], forbidden=[Forbidden({"a": ["x"]})])
    assert {p.config["a"] for p in asked(optimizer(SAMPLING, space), 20)} == {"y"}


def test_listed_configurations_are_the_nearest_ones():
    space = Space(LINE, listed=[{"x": 0.25}, {"x": 0.75}])
    assert {p.config["x"] for p in asked(optimizer(SAMPLING, space), 20)} == {0.25, 0.75}


def test_pending_proposals_are_told_in_any_order_and_only_once():
    o = optimizer(SAMPLING, LINE)
    pending = [o.ask() for _ in range(4)]
    for proposal in reversed(pending):
        o.tell(proposal, math.inf, 1.0)
    with pytest.raises(UnknownProposal):
        o.tell(pending[0], 1.0, 1.0)
    last = o.ask()
    with pytest.raises(InvalidLoss):
        o.tell(last, math.nan, 1.0)
    o.tell(last, 0.5, 1.0)


def test_the_version_has_library_and_worker_file(tmp_path):
    worker = tmp_path / "mine.py"
    worker.write_text((PEERS / "sampling.py").read_text().replace("= []", '= ["numpy"]'))
    first = optimizer(f"{worker}@{sys.executable}", LINE).version
    worker.write_text(worker.read_text() + "\n# another file\n")
    second = optimizer(f"{worker}@{sys.executable}", LINE).version
    import numpy

    assert first.startswith(f"numpy {numpy.__version__}, worker ") and first != second


def test_a_library_that_is_not_there_is_named_with_the_command_that_installs_it(tmp_path):
    worker = tmp_path / "mine.py"
    worker.write_text("import no_such_library\n")
    with pytest.raises(InvalidOption, match="No module named 'no_such_library'"):
        optimizer(f"{worker}@{sys.executable}", LINE)
    with pytest.raises(InvalidOption, match=r"-m pip install dehb"):
        optimizer(f"dehb-lib@{sys.executable}", LINE, budgets=(1, 3, 9))


def test_a_worker_that_needs_several_budgets_says_so(tmp_path):
    worker = tmp_path / "mine.py"
    worker.write_text((PEERS / "sampling.py").read_text() + "\nLEAST_BUDGETS = 2\n")
    with pytest.raises(InvalidBudget, match="at least 2 budgets"):
        optimizer(f"{worker}@{sys.executable}", LINE)


def test_nothing_to_propose_is_none(tmp_path):
    worker = tmp_path / "mine.py"
    worker.write_text(
        "DISTRIBUTIONS = []\n"
        "class One:\n"
        "    left = [{'x': 0.5}]\n"
        "    def ask(self):\n"
        "        return (self.left.pop(), None, 0) if self.left else None\n"
        "    def tell(self, handle, loss, cost):\n"
        "        print('printed by the library')\n"
        "def build(*given):\n"
        "    return One()\n"
    )
    done = run(
        Benchmark("forrester"), optimizer(f"{worker}@{sys.executable}", Benchmark("forrester").space), n_trials=9
    )
    assert [trial.config for trial in done.trials] == [{"x": 0.5}]


def test_another_language_takes_part_as_the_page_shows_it():
    source = ROOT / "examples" / "random_search.mjs"
    assert source.read_text() in (ROOT / "docs" / "process_adapter.md").read_text()
    if shutil.which("node") is None:
        pytest.skip("node, which runs JavaScript, is not installed")
    runs = [asked(optimizer(f"cmd@node {source}", MIXED, seed=seed), 20) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2] and len({p.config["batch"] for p in runs[0]}) == 3
