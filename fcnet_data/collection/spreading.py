"""Where the items of a collection are computed: threads of this process, or the workers of a Dask cluster.

Threads do for one machine: training holds Python's lock in none of the trainers, and costs are processor time of the
thread alone. Results come as they are finished, in no fixed order; what they are does not depend on where.
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
AHEAD = 2  # items per worker that are under way, so that none waits


def in_threads(measure: Measure, items: Iterable[int], n_threads: int) -> Iterator[tuple[int, np.ndarray]]:
    """Items with their numbers, `n_threads` at a time."""
    if n_threads < 1:
        raise InvalidOption(f"the number of threads must be at least 1, got {n_threads}")
    waiting = iter(items)
    with ThreadPoolExecutor(n_threads) as pool:
        try:
            under_way = {pool.submit(measure, item): item for item in islice(waiting, AHEAD * n_threads)}
            while under_way:
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    yield under_way.pop(future), future.result()
                    for item in islice(waiting, 1):
                        under_way[pool.submit(measure, item)] = item
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
        under_way: dict[Any, int] = {}
        completed = as_completed()
        while True:
            for item in islice(waiting, max(0, AHEAD * _n_threads(client) - len(under_way))):
                future = client.submit(measure, item, pure=False)
                under_way[future.key] = item
                completed.add(future)
            if not under_way:
                return
            future = next(completed)
            yield under_way.pop(future.key), _result(future)


def _n_threads(client: Client) -> int:
    return max(1, sum(client.nthreads().values()))


def _result(future: Any) -> np.ndarray:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    try:
        return future.result()
    except (CancelledError, KilledWorker, OSError) as error:
        raise CollectionStopped(
            f"the Dask cluster lost an item ({type(error).__name__}); what is finished is kept, the same command "
            "goes on once the cluster is back"
        ) from None
