"""Peer processes that go wrong, and how they end: nothing hangs or is left behind."""

import gc
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest
from peer_programs import SAMPLING, asked, misbehaving, running_peers

from baselines import optimizer
from baselines.adapters.parts.conversation import PeerFault, PeerLost
from baselines.adapters.parts.peer_names import started
from hpo_core import (
    Benchmark,
    Categorical,
    Condition,
    Constant,
    Float,
    Int,
    Ordinal,
    Space,
    run,
)
from hpo_core.errors import InvalidBudget, InvalidConfig

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


# --- peers that go wrong -------------------------------------------------------------------------------------------


FAULTS = {
    "garbage": (PeerFault, r"must answer with a JSON object in one line, got 'Traceback: \\\\x1b"),
    "list": (PeerFault, "must answer with a JSON object"),
    "twice": (PeerFault, "answered more than one line"),
    "outside": (InvalidConfig, "not in the space"),
    "text": (InvalidConfig, "not in the space"),
    "none": (InvalidConfig, "not in the space"),
    "more": (InvalidConfig, "not in the space"),
    "nan": (InvalidConfig, "not in the space"),
    "no-config": (PeerFault, "must propose a config"),
    "budget": (PeerFault, "must propose a config and a budget"),
    "error": (PeerFault, "failed with ValueError: singular matrix"),
    "floods": (PeerFault, "wrote more than 1,000,000 bytes"),
    "dies": (PeerLost, "ended with exit status 3; its last words: out of licences"),
    "is-killed": (PeerLost, "ended by SIGKILL; it left no words"),
    "hangs": (PeerLost, "did not answer within 0.5 s; its last words: waiting for a lock"),
}


@pytest.mark.parametrize("how", FAULTS)
def test_a_peer_that_goes_wrong_is_ended_and_its_last_words_are_said(how):
    error, words = FAULTS[how]
    o = optimizer(misbehaving(how), LINE, **({"reply_seconds": 0.5} if how == "hangs" else {}))
    assert len(asked(o, 2)) == 2 and len(running_peers()) == 1
    with pytest.raises(error, match=words):
        o.ask()
    assert running_peers() == []
    with pytest.raises(PeerLost, match="was ended before"):
        o.ask()


def test_a_budget_that_a_benchmark_does_not_have_breaks_the_run():
    o = optimizer(misbehaving("other-budget"), Benchmark("forrester").space)
    with pytest.raises(InvalidBudget):
        run(Benchmark("forrester"), o, n_trials=5)


def test_a_peer_that_floods_its_errors_is_served_on():
    assert len(asked(optimizer(misbehaving("floods-errors"), LINE), 5)) == 5


def test_another_protocol_is_refused():
    with pytest.raises(PeerFault, match="must greet with protocol 1"):
        optimizer(misbehaving("other-protocol"), LINE)


def test_a_program_that_is_no_peer_is_refused():
    with pytest.raises(PeerLost, match="ended with exit status 0"):
        optimizer("cmd@true", LINE)
    with pytest.raises(PeerFault, match="must greet"):
        optimizer("cmd@cat", LINE)


# --- ends ----------------------------------------------------------------------------------------------------------


def test_a_peer_ends_with_its_optimizer():
    o = optimizer(SAMPLING, LINE)
    (child,) = running_peers()
    del o
    gc.collect()
    assert not child.is_running() and running_peers() == []


def test_an_interrupted_ask_ends_the_peer():
    o = optimizer(misbehaving("hangs"), LINE)
    asked(o, 2)
    before = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            o.ask()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert running_peers() == []


def test_a_worker_that_computes_does_not_outlive_a_killed_parent(tmp_path):
    worker = tmp_path / "mine.py"
    worker.write_text(
        "import os, pathlib, time\nDISTRIBUTIONS = []\n"
        "class Busy:\n"
        "    def ask(self):\n"
        "        pathlib.Path(os.environ['BUSY']).write_text(str(os.getpid()))\n"
        "        time.sleep(1000)\n"
        "def build(*given):\n"
        "    return Busy()\n"
    )
    script = textwrap.dedent(f"""
        from baselines import optimizer
        from hpo_core import Float, Space
        optimizer({f"{worker}@{sys.executable}"!r}, Space([Float("x", 0.0, 1.0)])).ask()
    """)
    note = tmp_path / "pid"
    parent = subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "BUSY": str(note)})
    deadline = time.monotonic() + 60
    while not (note.is_file() and note.read_text()):
        assert time.monotonic() < deadline and parent.poll() is None
        time.sleep(0.02)
    child = psutil.Process(int(note.read_text()))
    parent.kill()
    parent.wait()
    assert psutil.wait_procs([child], timeout=30)[1] == []


def test_serve_answers_by_the_protocol_alone():
    serve = started(SAMPLING).command
    messages = [
        {"do": "hello", "protocol": 1},
        {"do": "build", "space": [{"kind": "int", "name": "i", "low": 1, "high": 9, "log": False}], "budgets": [1]},
        {"do": "ask", "number": 0},
        {"do": "tell", "number": 0, "loss": None, "cost": 1.0},
        {"do": "dance"},
    ]
    messages[1].update(seed=3, options={})
    with subprocess.Popen(serve, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        answers = []
        for message in messages:
            child.stdin.write(json.dumps(message).encode() + b"\n")
            child.stdin.flush()
            answers.append(json.loads(child.stdout.readline()))
        child.stdin.close()
        assert child.wait(30) == 0
    assert answers[0]["protocol"] == 1 and answers[2]["config"]["i"] in range(1, 10)
    assert "error" not in answers[3] and "AttributeError" in answers[4]["error"]
    assert all(answer["cpu"] >= 0 for answer in answers[:4])
