"""`Conversation`: a child process that is asked and answers, a line of JSON each way, and that may do anything.

It may die, hang, print garbage or print without end: each of these raises `PeerLost` or `PeerFault` with the last that
it wrote to its standard error, and the process is ended. No thread is used: while an answer is waited for, all three
pipes are served, so that a peer that fills one of them never waits for us while we wait for it.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from hpo_core.errors import HpoError
from hpo_core.shown_text import visible

MOST_LINE = 1_000_000  # bytes of an answer
LAST_WORDS = 1200  # bytes of standard error that are kept
CHUNK = 65536
GRACE = 1.0  # seconds that a peer has to end by itself once its input is closed


class PeerLost(HpoError, OSError):
    """A peer process that ended or did not answer; another time it may, so that a leaderboard tries the run again."""


class PeerFault(HpoError, RuntimeError):
    """A peer process that answered with what cannot be used, or with an error of its own."""


class Conversation:
    """The process of a command.

    Parameters
    ----------
    who
        What the peer is called in errors.
    command
        Program and arguments; no shell reads them.
    environment
        The whole environment of the process.
    patience
        Seconds that an answer may take.
    """

    def __init__(self, who: str, command: Sequence[str], environment: Mapping[str, str], patience: float):
        self._who, self._patience = who, patience
        self._unread = b""
        self._said = b""
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=dict(environment),
            )
        except OSError as error:
            raise PeerLost(f"{who} cannot be started: {error}") from error
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes if pipe is not None)
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._listening = select.poll()
        for descriptor in (self._out, self._err):
            self._listening.register(descriptor, select.POLLIN)
        self.close = weakref.finalize(self, _end, self._process)

    def exchange(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a message, a JSON object."""
        if not self.close.alive:
            raise PeerLost(f"{self._who} was ended before")
        try:
            return self._object(self._answer(json.dumps(message, allow_nan=False).encode() + b"\n"))
        except BaseException:  # an interrupted exchange leaves an answer behind that nobody expects
            self.close()
            raise

    def fail(self, fault: str) -> NoReturn:
        """End the process and raise `PeerFault` with its last words."""
        self._hear_words()
        self.close()
        raise PeerFault(f"{self._who} {fault}{self._last_words()}")

    def _answer(self, line: bytes) -> bytes:
        """The line that the peer answers with."""
        deadline = time.monotonic() + self._patience
        self._hear(0.0)
        if self._unread:
            self.fail(f"spoke without being asked: {_shown(self._unread)}")
        while b"\n" not in self._unread:
            line = self._written(line)
            left = deadline - time.monotonic()
            if left <= 0:
                self._process.kill()
                raise PeerLost(f"{self._who} did not answer within {self._patience:g} s{self._last_words()}")
            self._hear(left if not line else min(left, 0.01))
        answer, _, rest = self._unread.partition(b"\n")
        self._unread = rest
        if rest:
            self.fail(f"answered more than one line: {_shown(rest)}")
        return answer

    def _written(self, line: bytes) -> bytes:
        """What is left of a line after as much of it was written as the pipe takes."""
        try:
            return line[os.write(self._in, line) :] if line else line
        except BlockingIOError:
            return line
        except BrokenPipeError:
            self._lost()

    def _hear(self, seconds: float) -> None:
        """Read what the peer has written, waiting for it for some seconds if there is nothing."""
        for descriptor, _ in self._listening.poll(seconds * 1000):
            heard = os.read(descriptor, CHUNK)
            if descriptor == self._err:
                self._said = (self._said + heard)[-LAST_WORDS:]
                if not heard:
                    self._listening.unregister(descriptor)
            elif heard:
                self._unread += heard
                if len(self._unread) > MOST_LINE and b"\n" not in self._unread:
                    self.fail(f"wrote more than {MOST_LINE:,} bytes that are no line: {_shown(self._unread)}")
            else:
                self._lost()

    def _hear_words(self) -> None:
        """Read what waits on the peer's standard error, up to what a pipe holds."""
        with suppress(BlockingIOError):
            self._said = (self._said + os.read(self._err, CHUNK))[-LAST_WORDS:]

    def _lost(self) -> NoReturn:
        """Raise `PeerLost` for a peer that closed its output."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        status = self._process.poll()
        self._hear_words()
        how = "closed its output" if status is None else f"ended {_described(status)}"
        raise PeerLost(f"{self._who} {how}{self._last_words()}")

    def _object(self, line: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            self.fail(f"must answer with a JSON object in one line, got {_shown(line)}")
        return answer

    def _last_words(self) -> str:
        words = visible(self._said.decode(errors="replace").strip(), keep="\n")
        return f"; its last words: {words}" if words else "; it left no words on its standard error"


def _shown(line: bytes) -> str:
    return repr(visible(line[:200].decode(errors="replace")))


def _described(status: int) -> str:
    if status >= 0:
        return f"with exit status {status}"
    with suppress(ValueError):
        return f"by {signal.Signals(-status).name}"
    return f"by signal {-status}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the pipes of a process and wait for its end, which is forced where it takes more than `GRACE` seconds."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
