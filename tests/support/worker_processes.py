"""Which worker processes there are."""

import psutil


def worker_pids(parent):
    """Processes that execute jobs for a process."""
    found = []
    for child in psutil.Process(parent).children():
        try:
            if child.status() != psutil.STATUS_ZOMBIE and "engines.worker" in " ".join(child.cmdline()):
                found.append(child.pid)
        except psutil.Error:  # it ended meanwhile
            continue
    return found
