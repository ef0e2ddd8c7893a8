"""Dask clusters: how one is reached, and what is said while nothing comes back from it.

A cluster on this machine consists of threads of this process, for what is expensive runs in processes that these
start, or in libraries that let go of Python's lock. So nothing listens on the network but the dashboard, which only
this machine can see, and a script needs no guard around its main part.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from hpo_core.errors import HpoError, InvalidOption, MissingExtra

if TYPE_CHECKING:
    from distributed import Client, Future, Security

ADDRESS = re.compile(r"(?:(tcp|tls|ws|wss|ucx)://)?(\[[0-9a-fA-F:.%]+\]|[^\[\]/:@\s]+):([0-9]{1,5})")
ENCRYPTED = ("tls", "wss")
CONNECTING = 20.0  # seconds in which a scheduler must answer
SAY_AGAIN = 30.0  # seconds between two lines about a cluster without workers
PATIENCE = 900.0  # seconds that a cluster may have no worker while there is work
LOOK = 2.0  # seconds between two looks at a cluster that has finished nothing
HERE = "127.0.0.1"


class ClusterLost(HpoError, ConnectionError):
    """A Dask scheduler that cannot be reached, at the start or any more, or that has no workers."""


class TlsFiles(NamedTuple):
    """Files in PEM format: the authority that signed the certificates, and the own certificate and key."""

    authority: Path
    certificate: Path
    key: Path


def check_address(address: str, tls: TlsFiles | None = None) -> None:
    """Raise `InvalidOption` for what is no address of a scheduler, and for files that are not there."""
    match = ADDRESS.fullmatch(address)
    if match is None or not 1 <= int(match.group(3)) <= 65535:
        raise InvalidOption(
            "the address of a Dask scheduler is HOST:PORT or tcp://HOST:PORT (tls:// with encryption), such as "
            f"tcp://10.0.0.1:8786, got {address!r}; `dask scheduler` prints its own"
        )
    if tls is not None and match.group(1) not in ENCRYPTED:
        raise InvalidOption(f"files for encryption go with an address tls://HOST:PORT, got {address!r}")
    for file in tls or ():
        if not file.is_file():
            raise InvalidOption(f"encryption needs the files of authority, certificate and key, there is no {file}")


@contextmanager
def connected(address: str | None, n_threads: int, tls: TlsFiles | None = None) -> Iterator[Client]:
    """Client of the scheduler at an address, or of a new cluster with so many threads on this machine."""
    try:
        from distributed import Client, LocalCluster, Security
    except ImportError:
        raise MissingExtra("distributed", "dask") from None
    if address is not None:
        check_address(address, tls)
    with ExitStack() as stack:
        where: Any = address
        if where is None:
            local = {"n_workers": 1, "threads_per_worker": n_threads, "processes": False}
            seen = {"dashboard_address": f"{HERE}:8787", "worker_dashboard_address": f"{HERE}:0"}
            where = stack.enter_context(LocalCluster(**local, **seen))
        try:
            security = Security()  # as Dask's own settings have it
            if tls is not None:
                names = ("tls_ca_file", "tls_client_cert", "tls_client_key")
                security = Security(require_encryption=True, **dict(zip(names, map(str, tls), strict=True)))
            if address is not None:
                import asyncio
                from concurrent.futures import ThreadPoolExecutor

                with ThreadPoolExecutor(1) as pool:  # a notebook's own thread has a loop already
                    pool.submit(asyncio.run, _knock(address, security)).result()
            client = stack.enter_context(Client(where, timeout=CONNECTING, security=security))
        except Exception as error:  # whatever answers at a port that is no scheduler's
            raise ClusterLost(_unreachable(where, error)) from None
        yield client


def dashboard(client: Client, address: str | None) -> str:
    """Where a cluster is watched; that of a cluster on this machine is seen from here alone."""
    link = str(client.dashboard_link)
    return link if address is not None else re.sub(r"//[^/:]+:", f"//{HERE}:", link)


async def _knock(address: str, security: Security) -> None:
    """Raise if no scheduler answers: a client would wait for ever at a port that takes the call and says nothing."""
    import asyncio

    from distributed import rpc

    async with rpc(address, connection_args=security.get_connection_args("client")) as scheduler:
        await asyncio.wait_for(scheduler.identity(), CONNECTING)


def _unreachable(where: object, error: Exception) -> str:
    why = f"{type(error).__name__}: {error}" if str(error) else f"nothing within {CONNECTING:g} s"
    hint = ""
    if str(where).startswith("tls://"):
        hint = "; with tls:// it needs the certificates that it was started with (--tls-ca, --tls-cert, --tls-key)"
    return (
        f"no Dask scheduler answers at {where} ({why}); start one with `dask scheduler`, and "
        f"give the address that it prints{hint}"
    )


class FinishedFutures:
    """Futures of a cluster in the order in which they are finished, with a word whenever the cluster has no workers."""

    def __init__(self, client: Client):
        self._client = client
        self._finished: SimpleQueue[Future] = SimpleQueue()
        self._n_threads = 1
        self._asked = -SAY_AGAIN
        self._lonely_since: float | None = None
        self._said = -SAY_AGAIN

    def add(self, future: Future) -> None:
        future.add_done_callback(self._finished.put)

    def take(self) -> Future:
        """The next one that is finished; raises `ClusterLost` if there has been no worker for a long time."""
        while True:
            try:
                return self._finished.get(timeout=LOOK)
            except Empty:
                self.n_threads()

    def n_threads(self) -> int:
        """Number of threads of the cluster, which may grow and shrink, some seconds ago; at least 1."""
        now = time.monotonic()
        if now - self._asked < LOOK:
            return self._n_threads
        try:
            n_threads = sum(self._client.nthreads().values())
        except (OSError, TimeoutError, RuntimeError, ValueError):
            return self._n_threads  # it is gone, or coming back: the futures will say so
        self._asked, self._n_threads = now, max(n_threads, 1)
        self._lonely_since = None if n_threads else now if self._lonely_since is None else self._lonely_since
        if self._lonely_since is not None:
            self._complain(now, now - self._lonely_since)
        return self._n_threads

    def _complain(self, now: float, seconds: float) -> None:
        where = self._client.scheduler.address if self._client.scheduler else "its address"
        if seconds > PATIENCE:
            raise ClusterLost(
                f"the Dask scheduler at {where} has had no workers for {seconds:.0f} s; start some with `dask worker "
                f"{where}`, then give the same command again: it goes on from there"
            )
        if now - self._said >= SAY_AGAIN:
            self._said = now
            print(
                f"the Dask scheduler at {where} has no workers: waiting for some (`dask worker {where}` starts one)",
                file=sys.stderr,
            )
