"""Optimizers and problems that go wrong on purpose; worker processes find them under `misbehaving:NAME`."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from hpo_core import Float, Proposal, Result, SimpleProblem, Space


class Sampling:
    """Random search that sleeps $MISBEHAVING_SLEEP seconds per run, which leaves its outcome as it is."""

    def __init__(self, space, *, budgets=(1,), seed=0):
        self.space, self.rng, self.n_asked = space, np.random.default_rng(seed), 0

    def ask(self):
        if self.n_asked == 0:
            time.sleep(float(os.environ.get("MISBEHAVING_SLEEP", "0")))
        self.n_asked += 1
        return Proposal(self.space.sample(self.rng))

    def tell(self, proposal, loss, cost):
        pass


class Raising(Sampling):
    def tell(self, proposal, loss, cost):
        if self.n_asked == 3:
            raise ValueError("cannot learn from this")


class Hanging(Sampling):
    def ask(self):
        time.sleep(1000)


class Crashing(Sampling):
    def ask(self):
        os.kill(os.getpid(), signal.SIGKILL)


class Exiting(Sampling):
    def ask(self):
        os._exit(7)


class Leaving(Sampling):
    def ask(self):
        sys.exit(0)


class LeavingAtOnce(Sampling):
    def __init__(self, space, *, budgets=(1,), seed=0):
        sys.exit(0)


class Parent(Sampling):
    """Starts a process that would live for long, and writes its number into the file $MISBEHAVING_CHILD."""

    def ask(self):
        child = subprocess.Popen(["sleep", "1000"])
        Path(os.environ["MISBEHAVING_CHILD"]).write_text(str(child.pid))
        time.sleep(1000)


class OutsideSpace(Sampling):
    def ask(self):
        return Proposal({"x": 1e9})


class NoProposal(Sampling):
    def ask(self):
        return {"x": 0.5}


class NeedsFile(Sampling):
    def ask(self):
        raise FileNotFoundError("no licence file on this machine")


class Threads(Sampling):
    """Proposes how many threads its process gives to a library."""

    def ask(self):
        print("a line on standard output")
        return Proposal({"x": float(os.environ["OMP_NUM_THREADS"]) / 10})


class Unseeded(Sampling):
    def __init__(self, space, *, budgets=(1,), seed=0):
        super().__init__(space, budgets=budgets, seed=None)


def line(cost=1.0):
    """The loss x on [0, 1]."""
    return SimpleProblem("line", Space([Float("x", 0.0, 1.0)]), _line(cost), optimum=0.0, noise_free_is_cheap=True)


def _line(cost):
    def evaluate(config, budget, seed):
        return Result(config["x"] + (0.0 if seed is None else 0.1), cost, budget, {"test_loss": 2 * config["x"]})

    return evaluate


def failing():
    """The loss x on [0, 1], of which every evaluation above 0.5 fails."""

    def evaluate(config, budget, seed):
        if config["x"] > 0.5:
            raise RuntimeError("diverged")
        return Result(config["x"], 1.0, budget, {})

    return SimpleProblem("failing", Space([Float("x", 0.0, 1.0)]), evaluate, optimum=0.0, noise_free_is_cheap=True)


def vanishing(path):
    """The problem `line` while a file is there."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"the table {path} is not there")
    return line()
