"""Cases of an attack, each in a process of its own with limits on time and memory.

A case passes if it ends in an error of ours or in a result, within 10 s of CPU time and 1 GB, writes nothing outside of
its directory, and neither imports the planted module nor starts another program.
"""

import contextlib
import io
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from hpo_core.errors import HpoError

SECONDS, MEGABYTES = 10, 1024
PATIENCE = 300  # seconds on the clock, after which a case that uses no CPU time is taken to hang; a machine may be busy
PLANTED = "planted"  # a module whose import is a failure
ALLOWED = (FileNotFoundError, IsADirectoryError, PermissionError)  # which the command line explains too
FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "subprocess.Popen", "socket.connect")


class Case(NamedTuple):
    """What is tried, in words, and a function that tries it in the current directory."""

    name: str
    action: Callable[[], object]


class Outcome(NamedTuple):
    """`passed`, or why a case fell short; its seconds, megabytes and the traceback."""

    verdict: str
    seconds: float
    megabytes: float
    words: str


def attempt(case: Case, folder: Path) -> Outcome:
    """Outcome of a case, tried in a new directory inside of `folder`, which has to be empty but for that afterwards."""
    inside = folder / "inside"
    inside.mkdir(parents=True, exist_ok=True)
    log = folder.with_name(folder.name + ".log")
    child = os.fork()
    if child == 0:
        _child(case, inside, log)
    status, usage = _waited(child)
    seconds, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    words = log.read_text(errors="replace") if log.exists() else ""
    log.unlink(missing_ok=True)
    verdict = _verdict(status, seconds, words)
    if verdict == "passed" and megabytes > MEGABYTES:
        verdict = f"memory: {megabytes:.0f} MB"
    strays = [path.name for path in folder.iterdir() if path != inside]
    if verdict == "passed" and strays:
        verdict = f"wrote outside: {strays}"
    return Outcome(verdict, seconds, megabytes, words)


def _waited(child: int) -> tuple[int, resource.struct_rusage]:
    """Exit status and usage of a child, which is killed when it hangs."""
    end = time.monotonic() + PATIENCE
    while True:
        pid, status, usage = os.wait4(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status), usage
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.002)


def _verdict(status: int, seconds: float, words: str) -> str:
    if seconds > SECONDS or status in (-signal.SIGKILL, -signal.SIGXCPU):
        return f"time: {seconds:.1f} s"
    if status == 0:
        return "passed"
    return words.strip().splitlines()[-1][:200] if words.strip() else f"status {status}"


def _child(case: Case, inside: Path, log: Path) -> None:
    """Try a case and end the process: status 0 for an error of ours or a result, 1 for anything else."""
    status = 0
    os.chdir(inside)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS + 2, SECONDS + 2))
    sys.addaudithook(_forbid)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            case.action()
        if "\x1b" in printed.getvalue():
            raise ValueError("control characters were printed")
        if PLANTED in sys.modules:
            raise ImportError("the planted module was imported")
    except (HpoError, SystemExit, *ALLOWED):
        pass
    except BaseException:
        log.write_text(traceback.format_exc(), errors="replace")
        status = 1
    os._exit(status)


def _forbid(event: str, _: tuple) -> None:
    if event in FORBIDDEN:
        raise RuntimeError(f"{event} was called")
