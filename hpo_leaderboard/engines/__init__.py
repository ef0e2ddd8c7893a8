"""Engines: where the jobs of an experiment are executed. The runs come out the same with each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpo_core.clusters import TlsFiles
from hpo_core.cores import usable_cores
from hpo_core.errors import UnknownName, nearest

if TYPE_CHECKING:
    from hpo_leaderboard.experiments.experiment import Engine

ENGINES = ("serial", "processes", "dask")
TIMEOUT = 3600.0


def make_engine(
    name: str,
    *,
    processes: int | None = None,
    address: str | None = None,
    timeout: float | None = TIMEOUT,
    tls: TlsFiles | None = None,
) -> Engine:
    """Engine by name.

    Parameters
    ----------
    name
        `serial`, in this process; `processes`, on this machine; `dask`, on a Dask cluster.
    processes
        How many at the same time, one per core by default.
    address
        Of a Dask scheduler, such as `tcp://10.0.0.1:8786`; without it, Dask starts a cluster on this machine.
    timeout
        Seconds after which a run is given up, None for never. The serial engine cannot interrupt a run.
    tls
        Certificates for a Dask scheduler at `tls://HOST:PORT`.
    """
    n_processes = processes or usable_cores()
    if name == "serial":
        from hpo_leaderboard.engines.serial import SerialEngine

        return SerialEngine()
    if name == "processes":
        from hpo_leaderboard.engines.processes import ProcessesEngine

        return ProcessesEngine(n_processes, timeout)
    if name == "dask":
        from hpo_leaderboard.engines.dask import DaskEngine

        return DaskEngine(address, n_processes, timeout, tls)
    raise UnknownName(f"no engine {name!r}{nearest(name, ENGINES)}")
