"""Workers that compute the items of a collection: threads of this process, or those of a Dask cluster.

Threads suffice on one machine: none of the trainers holds Python's lock, and costs are processor time of one thread.
Results arrive as they are finished, in no fixed order; they do not depend on the worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from fcnet_data.collection.journal import CollectionStopped
from hpo_core.errors import InvalidOption, MissingExtra

if TYPE_CHECKING:
    from distributed import Client

Measure = Callable[[int], np.ndarray]
AHEAD = 2  # items per worker that are submitted, so that no worker waits


def in_threads(measure: Measure, items: Iterable[int], n_threads: int) -> Iterator[tuple[int, np.ndarray]]:
    """Items with their numbers, `n_threads` at a time."""
    if n_threads < 1:
        raise InvalidOption(f"the number of threads must be at least 1, got {n_threads}")
    waiting = iter(items)
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            submitted = {pool.submit(measure, item): item for item in islice(waiting, AHEAD * n_threads)}
            while submitted:
                for future in wait(submitted, return_when=FIRST_COMPLETED).done:
                    yield submitted.pop(future), future.result()
                    for item in islice(waiting, 1):
                        submitted[pool.submit(measure, item)] = item
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def on_dask(measure: Measure, items: Iterable[int], address: str | None) -> Iterator[tuple[int, np.ndarray]]:
    """Items with their numbers from the cluster of the scheduler at `address`, or from a new one on this machine.

    The cluster needs hpo-foundry[collect], and the file where the dataset is one, on every worker.
    """
    try:
        from distributed import Client, LocalCluster, as_completed
    except ImportError:
        raise MissingExtra("distributed", "dask") from None
    with ExitStack() as stack:
        where: Any = address or stack.enter_context(LocalCluster(threads_per_worker=1))
        try:
            client = stack.enter_context(Client(where))
        except (OSError, TimeoutError) as error:
            raise CollectionStopped(
                f"no Dask scheduler answers at {where} ({error}); start one with `dask scheduler`"
            ) from None
        waiting = iter(items)
        submitted: dict[Any, int] = {}
        completed = as_completed()
        while True:
            for item in islice(waiting, max(0, AHEAD * _n_threads(client) - len(submitted))):
                future = client.submit(measure, item, pure=False)
                submitted[future.key] = item
                completed.add(future)
            if not submitted:
                return
            future = next(completed)
            yield submitted.pop(future.key), _result(future)


def _n_threads(client: Client) -> int:
    return max(1, sum(client.nthreads().values()))


def _result(future: Any) -> np.ndarray:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    try:
        return future.result()
    except (CancelledError, KilledWorker, OSError) as error:
        raise CollectionStopped(
            f"the Dask cluster lost an item ({type(error).__name__}); finished items are kept: give the same command "
            "again once the cluster is back"
        ) from None
