"""A worker file behind the protocol of docs/process_adapter.md: `python serve.py WORKER.py`.

Messages come in lines on standard input and are answered in lines on standard output. What a library prints goes to
standard error, also where it is printed by C code. When the input ends, whatever is being computed, the process ends.
"""

from __future__ import annotations

import sys

if sys.path and sys.path[0] == __file__.rpartition("/")[0]:
    del sys.path[0]  # worker files are named after libraries

import json
import os
import random
import select
import signal
import threading
import time
import traceback
from importlib import util
from importlib.metadata import version
from typing import Any

PROTOCOL = 1


class Served:
    """A worker file and what it built, behind messages."""

    def __init__(self, path: str):
        self._path = path
        self._worker: Any = None
        self._peer: Any = None
        self._handles: dict[int, Any] = {}  # of the library's proposals, by number

    def answer(self, message: dict) -> dict:
        """Answer to a message, of which `do` says what is asked for."""
        start = time.process_time()
        try:
            answered = getattr(self, "_" + message["do"])(message)
        except Exception as error:
            traceback.print_exc()
            return {"error": f"{type(error).__name__}: {error}", "kind": self._kind(message, error)}
        answered["cpu"] = time.process_time() - start
        return answered

    @staticmethod
    def _kind(message: dict, error: Exception) -> str:
        if isinstance(error, ImportError):
            return "missing"
        return "option" if message["do"] == "build" and message["options"] else "failure"

    def _hello(self, message: dict) -> dict:
        spec = util.spec_from_file_location("worker", self._path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{self._path} is no file of Python")
        self._worker = util.module_from_spec(spec)
        spec.loader.exec_module(self._worker)
        stated = ", ".join(f"{name} {version(name)}" for name in self._worker.DISTRIBUTIONS)
        return {"protocol": PROTOCOL, "version": stated}

    def _build(self, message: dict) -> dict:
        budgets, least = message["budgets"], getattr(self._worker, "LEAST_BUDGETS", 1)
        if len(budgets) < least:
            return {"error": f"it needs at least {least} budgets, got {budgets}", "kind": "budgets"}
        random.seed(message["seed"])
        self._peer = self._worker.build(message["space"], budgets, message["seed"], message["options"])
        return {}

    def _ask(self, message: dict) -> dict:
        proposed = self._peer.ask()
        if proposed is None:
            return {"config": None}
        config, budget, self._handles[message["number"]] = proposed
        return {"config": config, "budget": budget}

    def _tell(self, message: dict) -> dict:
        self._peer.tell(self._handles.pop(message["number"]), message["loss"], message["cost"])
        return {}


def end_with_input() -> None:
    """End the process as soon as nobody can write to its input any more. Runs in a thread."""
    ended = select.poll()
    ended.register(0, 0)  # nothing but the end is waited for
    ended.poll()
    os._exit(0)


def main(path: str) -> None:
    """Answer until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks is interrupted, and ends this process if need be
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    threading.Thread(target=end_with_input, daemon=True).start()
    served = Served(path)
    for line in sys.stdin.buffer:
        answer = served.answer(json.loads(line))
        answers.write(json.dumps(answer, default=lambda number: number.item()).encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
