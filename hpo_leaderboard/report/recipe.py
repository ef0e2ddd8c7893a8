"""The commands that run a store's experiment again, with what has to be installed first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from hpo_core import benchmarks
from hpo_core.facts import facts_of
from hpo_core.names import optimizers

EXTRAS = {"cmaes": "cmaes"}  # of optimizers that need a library
ADAPTERS, PEERS = "baselines.adapters.", "peers"


def recipe(
    store: str,
    about: Mapping[str, str],
    suites: Collection[str],
    descriptions: Iterable[Mapping[str, Any]],
    digest: str,
) -> list[str]:
    """Lines for a shell, to be typed in a directory in which the suites lie.

    Parameters
    ----------
    store
        Name of the store's file.
    about
        Notes of the store: versions of what ran it.
    suites
        Names of the suites' files.
    descriptions
        Of the runs (`Job.description`): they name what was run.
    digest
        Of the store.
    """
    said = list(descriptions)
    names = [{each[kind]["name"] for each in said} for kind in ("benchmark", "optimizer")]
    extras = ",".join(sorted({"report", *_benchmark_extras(names[0]), *_optimizer_extras(names[1])}))
    release = f"=={about['hpo-foundry']}" if "hpo-foundry" in about else ""
    lines = [f"# with Python {about['python']}"] if "python" in about else []
    lines += [f'pip install "hpo-foundry[{extras}]{release}"']
    own = sorted({name.partition(":")[0] for name in {*names[0], *names[1]} if ":" in name})
    if own:
        lines += [f"# put your own modules into this directory, or on PYTHONPATH: {', '.join(own)}"]
    lines += [f"# save {', '.join(suites)} into this directory"]
    lines += [f"hpo leaderboard {file} --store {store} --out report" for file in suites]
    return [*lines, f"hpo store info {store}   # digest {digest[:16]}..."]


def _benchmark_extras(names: Collection[str]) -> set[str]:
    listed = benchmarks()
    extras = {facts_of(listed[name].family, name).extra for name in names if name in listed}
    return {extra for extra in extras if extra}


def _optimizer_extras(names: Collection[str]) -> set[str]:
    known = optimizers()
    peers = {name for name in names if name in known and str(getattr(known[name], "target", "")).startswith(ADAPTERS)}
    return {EXTRAS[name] for name in names if name in EXTRAS} | ({PEERS} if peers else set())
