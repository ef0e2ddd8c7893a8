"""`WorkerProcess`: a child process that executes jobs, one at a time, and that may be killed at any moment.

The child is a fresh interpreter rather than a copy of this one (`multiprocessing`): the caller's main module is not
imported again, so a script without a guard and a notebook work too, and the limits on library threads are set
before numpy loads. The two talk through a pair of sockets. The child ends when the parent's socket is closed, so it
does not outlive a parent that was killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import SimpleQueue

from hpo_core.errors import HpoError
from hpo_leaderboard.engines.threads import LIMITS
from hpo_leaderboard.experiments.execution import FinishedRun, broken_run, execute
from hpo_leaderboard.experiments.job import Job

READY = "ready"
RETRIES = 3  # how often a job is tried again after its worker died
STARTS = 20  # how often a worker may be killed while it starts
START_SECONDS = 120.0


class WorkerFailed(HpoError, RuntimeError):
    """A worker process that cannot be started."""


class WorkerClosed(Exception):
    """Ends the thread that uses a worker after `close`."""


def worker_environment() -> dict[str, str]:
    """Environment of a fresh process that finds the modules that this one finds, with one thread of numpy."""
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    return {**os.environ, **LIMITS, "PYTHONPATH": path}


class WorkerProcess:
    """A child process, started when it is first needed and again when it died. One thread may use it at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._closed = False
        self._lock = threading.Lock()  # of starting and closing

    def run(self, job: Job, timeout: float | None) -> FinishedRun:
        """The finished run of a job, tried again where the process died; broken if it takes over `timeout` seconds."""
        for _ in range(1 + RETRIES):
            connection = self._started()
            try:
                connection.send(job)
                if not connection.poll(timeout):
                    self._stop(grace=0.0)
                    return broken_run(job, f"TimeOut: the run took more than {timeout:g} s", settled=False)
                return connection.recv()
            except (EOFError, OSError):
                status = self._stop()
        text = f"LostWorker: the process that ran it died {1 + RETRIES} times, the last time {_describe(status)}"
        return broken_run(job, text, settled=False)

    def close(self) -> None:
        """End the process at once; a thread that waits for it gets `WorkerClosed`."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                _kill(self._process)

    def _started(self) -> Connection:
        """Connection to a process that is ready."""
        if self._connection is not None:
            return self._connection
        status = 0
        for _ in range(STARTS):
            connection = self._start()
            try:
                if connection.poll(START_SECONDS) and connection.recv() == READY:
                    return connection
            except (EOFError, OSError):
                pass
            status = self._stop()
            if status >= 0:
                break
        raise WorkerFailed(
            f"a worker process could not be started: it ended {_describe(status)}. Its own message stands above; "
            "`--engine serial` runs without worker processes"
        )

    def _start(self) -> Connection:
        with self._lock:
            if self._closed:
                raise WorkerClosed
            self._connection, child_end = Pipe()
            descriptor = child_end.fileno()
            command = f"from hpo_leaderboard.engines.worker import serve; serve({descriptor})"
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # what an optimizer prints would tear the progress bar
                env=worker_environment(),
                pass_fds=(descriptor,),
                process_group=0,  # Ctrl-C in the terminal is the parent's alone
            )
            child_end.close()
            return self._connection

    def _stop(self, grace: float = 1.0) -> int:
        """End the process, after `grace` seconds in which it may end by itself.

        Returns its exit status, negative for a signal.
        """
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if connection is not None:
            connection.close()
        status = 0
        if process is not None:
            _wait(process, grace)
            status = _kill(process)
        with self._lock:
            if self._closed:
                raise WorkerClosed
        return status


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait until a process has ended, for some seconds; its number stays reserved."""
    deadline = time.monotonic() + seconds
    with suppress(ChildProcessError):  # `close` has waited for it
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() >= deadline:
                return
            time.sleep(0.005)


def _kill(process: subprocess.Popen[bytes]) -> int:
    """Exit status of a process, negative for a signal, after ending it and all that it started, if they still run."""
    if process.returncode is None:  # it was not waited for, so its number is no other group's
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def _describe(status: int) -> str:
    if status >= 0:
        return f"with exit status {status}"
    try:
        return f"by {signal.Signals(-status).name}"
    except ValueError:
        return f"by signal {-status}"


def serve(descriptor: int) -> None:
    """Execute jobs that come through a socket until its other end is closed. Runs in the child."""
    connection = Connection(descriptor)
    jobs: SimpleQueue[Job] = SimpleQueue()
    threading.Thread(target=_receive, args=(connection, jobs), daemon=True).start()
    try:
        connection.send(READY)
        while True:
            connection.send(execute(jobs.get()))
    except BrokenPipeError:  # the parent was killed
        _end()


def _receive(connection: Connection, jobs: SimpleQueue[Job]) -> None:
    """Queue the jobs; ends the process, whatever it is doing, when nobody waits for its results any more."""
    try:
        while True:
            jobs.put(connection.recv())
    except (EOFError, OSError):
        _end()


def _end() -> None:
    """End this process and all that it started. It leads a group of its own."""
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)
