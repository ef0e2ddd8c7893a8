"""Names of small peer processes, and which of them run."""

import sys
from pathlib import Path

import psutil

PEERS = Path(__file__).parent / "peers"
SAMPLING = f"{PEERS / 'sampling.py'}@{sys.executable}"


def misbehaving(how):
    """The program that goes wrong at its third `ask`, in the way that is named."""
    return f"cmd@{sys.executable} {PEERS / 'misbehaving_peer.py'} {how}"


def running_peers():
    """Peer processes that this process, or one that it started, has started and not ended."""
    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            words = " ".join(child.cmdline())
        except psutil.Error:  # it ended meanwhile
            continue
        if "misbehaving_peer.py" in words or "serve.py" in words:
            found.append(child)
    return found


def asked(o, n):
    """n proposals of an optimizer, each told at once."""
    found = []
    for _ in range(n):
        proposal = o.ask()
        found.append(proposal)
        o.tell(proposal, 1.0, 1.0)
    return found
