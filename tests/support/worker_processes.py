"""Which worker processes there are, from /proc."""

from pathlib import Path


def worker_pids(parent):
    """Processes that execute jobs for a process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if int(state[1]) == parent and state[0] != "Z" and b"engines.worker" in words:
            found.append(int(folder.name))
    return found
