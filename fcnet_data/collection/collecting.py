"""`collect`: measure every item of a `Collectable`, through kills and restarts, and save the result as one file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from fcnet_data.collection.journal import CollectionStopped, Journal, OtherCollection
from fcnet_data.collection.workers import in_threads, on_dask
from hpo_core.cores import usable_cores


class Collectable(Protocol):
    """A collection to be made. It is sent to other machines, so it must be small and picklable.

    settings    everything that determines the numbers, JSON-serializable
    dtype       of the numbers of an item
    shape       of the numbers of an item
    """

    @property
    def settings(self) -> Mapping[str, Any]: ...
    @property
    def dtype(self) -> np.dtype: ...
    @property
    def shape(self) -> tuple[int, ...]: ...

    def expected_costs(self) -> np.ndarray:
        """(n_items,) seconds, or numbers proportional to them, for the estimate of the remaining time."""

    def measure(self, item: int) -> np.ndarray:
        """Numbers of an item: a function of the settings and of the item, apart from measured costs."""

    def save(self, numbers: np.ndarray, path: Path) -> None:
        """Write the numbers (n_items, ...) of all items to a file, which appears when it is complete."""

    def is_saved(self, path: Path) -> bool:
        """Whether a file holds this collection."""


def collect(
    work: Collectable,
    out: Path,
    *,
    engine: str = "threads",
    n_threads: int | None = None,
    address: str | None = None,
    progress: bool = True,
) -> Path:
    """Path of the file with everything measured; continues where an earlier call was stopped.

    Finished items are kept in OUT.journal until the file is written. Only one process may collect into a file at a
    time.

    Parameters
    ----------
    work
        The collection.
    out
        Path of the file to write; if it holds this collection already, nothing is measured.
    engine
        "threads" on this machine or "dask".
    n_threads
        One per core by default.
    address
        Of a Dask scheduler; without it, Dask starts a cluster on this machine.
    progress
        Whether to show a progress bar, if there is a terminal.

    Returns
    -------
    Path
        `out`.
    """
    from filelock import FileLock, Timeout

    out = Path(out)
    if out.is_dir():
        raise OtherCollection(f"--out must name a file, {out} is a directory")
    out.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(out.with_name(out.name + ".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise CollectionStopped(f"another process is collecting into {out}; wait for it or stop it") from None
    with lock:
        if out.exists():
            if not work.is_saved(out):
                raise OtherCollection(f"{out} exists and holds something else; delete it or give another --out")
            return out
        n_threads = n_threads or usable_cores()
        journal = Journal(out.with_name(out.name + ".journal"), work.settings, work.dtype, work.shape)
        try:
            _fill(work, journal, engine, n_threads, address, progress)
            work.save(np.stack([journal.finished[item] for item in range(len(journal.finished))]), out)
        finally:
            journal.close()
        journal.path.unlink()
    return out


def _fill(
    work: Collectable, journal: Journal, engine: str, n_threads: int, address: str | None, progress: bool
) -> None:
    from tqdm import tqdm

    costs = work.expected_costs()
    costs = costs / costs.sum() * 100
    items = [item for item in range(len(costs)) if item not in journal.finished]
    results = on_dask(work.measure, items, address) if engine == "dask" else in_threads(work.measure, items, n_threads)
    form = "{desc} {percentage:3.0f}% |{bar}| {elapsed}, left {remaining}{postfix}"
    done = sum(costs[item] for item in journal.finished)
    disable = None if progress else True
    with tqdm(total=100.0, initial=done, desc="collecting", bar_format=form, disable=disable) as bar:
        for item, numbers in results:
            journal.append(item, numbers)
            bar.set_postfix_str(f"{len(journal.finished)} of {len(costs)}", refresh=False)
            bar.update(min(costs[item], 100.0 - bar.n))  # a sum of shares can be above 100 in the last bit
