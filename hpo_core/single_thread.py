"""One thread in the numerical libraries, for as long as model code runs.

A sum that is split between threads comes out differently in its last bits, and an optimizer that looks for the highest
of many numbers makes first ones of them: with two threads `gp` proposes something else from its sixth trial on. On
matrices as small as those of an optimizer several threads are slower, too, and on a busy machine much slower.

    single_thread       a block:      with single_thread: ...
    single_threaded     a function:   @single_threaded

Blocks may lie in each other and may be entered by several threads of Python: the libraries get their numbers of threads
back when the last block ends. Inside of another block one costs less than a microsecond. Where all libraries have one
thread, as under `OPENBLAS_NUM_THREADS=1`, nothing is changed. The limit of OpenMP libraries is that of the thread of
Python that enters first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from itertools import product
from threading import Lock
from typing import Any, NamedTuple, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")
VERBS = ("get", "set")


class _Threads(NamedTuple):
    """Functions that read and set the number of threads of a library."""

    n_threads: Callable[[], int | None]
    set_count: Callable[[int], Any]


class _SingleThread:
    """The block. Libraries are looked for again, which takes milliseconds, once modules were imported since."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._depth = 0
        self._libraries: list[_Threads] = []
        self._n_modules = -1
        self._limited: list[tuple[_Threads, int]] = []  # libraries with the numbers of threads that they had

    def __enter__(self) -> None:
        with self._lock:
            self._depth += 1
            if self._depth == 1 or len(sys.modules) != self._n_modules:
                self._limit()

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                for library, n_threads in self._limited:
                    library.set_count(n_threads)
                self._limited = []

    def _limit(self) -> None:
        if len(sys.modules) != self._n_modules:
            from threadpoolctl import ThreadpoolController

            self._libraries = [_threads(library) for library in ThreadpoolController().lib_controllers]
            self._n_modules = len(sys.modules)
        for library in self._libraries:
            n_threads = library.n_threads()
            if n_threads is not None and n_threads > 1:
                self._limited.append((library, n_threads))
                library.set_count(1)


def _threads(library: Any) -> _Threads:
    """Functions of a library that threadpoolctl found.

    OpenBLAS' own are called directly: newer versions of threadpoolctl let one thread of Python alone set them, and
    here the last block may end in another thread than the first one began in.
    """
    if library.internal_api == "openblas" and library.threading_layer != "openmp":
        for prefix, suffix in product(("", "scipy_"), ("", "64_", "_64")):
            found = [getattr(library.dynlib, f"{prefix}openblas_{verb}_num_threads{suffix}", None) for verb in VERBS]
            if found[0] is not None and found[1] is not None:
                return _Threads(found[0], found[1])
    return _Threads(library.get_num_threads, library.set_num_threads)


single_thread = _SingleThread()


def single_threaded(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """The function, with one thread in the numerical libraries while it runs."""

    @wraps(function)
    def limited(*arguments: Arguments.args, **options: Arguments.kwargs) -> Returned:
        with single_thread:
            return function(*arguments, **options)

    return limited
