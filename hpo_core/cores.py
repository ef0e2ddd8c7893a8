"""How many cores this process may use."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Number of cores that the process may run on, at least 1.

    Linux tells which cores a process is confined to, by `taskset` or a batch system; elsewhere it is the machine's
    number of cores.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
