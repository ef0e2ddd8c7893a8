"""Workers that compute the items of a collection: threads of this process, or those of a Dask cluster.

Threads suffice on one machine: none of the trainers holds Python's lock, and costs are processor time of one thread.
Results arrive as they are finished, in no fixed order; they do not depend on the worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice
from typing import Any

import numpy as np

from fcnet_data.collection.journal import CollectionStopped
from hpo_core.clusters import FinishedFutures, connected
from hpo_core.cores import usable_cores
from hpo_core.errors import InvalidOption

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
    with connected(address, usable_cores()) as client:
        waiting = iter(items)
        submitted: dict[Any, int] = {}
        finished = FinishedFutures(client)
        while True:
            for item in islice(waiting, max(0, AHEAD * finished.n_threads() - len(submitted))):
                future = client.submit(measure, item, pure=False)
                submitted[future.key] = item
                finished.add(future)
            if not submitted:
                return
            future = finished.take()
            yield submitted.pop(future.key), _result(future)


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
