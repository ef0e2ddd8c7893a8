"""The commands that run a store's experiment again, with what has to be installed first."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from baselines.adapters.parts.peer_names import is_peer, short_name
from hpo_core import benchmarks
from hpo_core.facts import facts_of
from hpo_core.names import needs_import, optimizers

EXTRAS = {"cmaes": "cmaes"}  # of optimizers that need a library
RELEASE = re.compile(r"[0-9A-Za-z.+!_-]{1,60}")  # of a package: notes of a store are anybody's text
ADAPTERS, PEERS = "baselines.adapters.", "peers"
ALLOW = "and add --allow-import to the commands below, which without it refuse to import or start anything"


def recipe(
    store: str,
    about: Mapping[str, str],
    suites: Collection[str],
    descriptions: Iterable[Mapping[str, Any]],
    digest: str,
) -> list[str]:
    """Lines for a shell, to be typed in a directory in which the suites lie.

    Nothing that a store says is part of a command but the name of its file. Where it names code to import, the commands
    are left without the permission to do so, and a comment says what to look at first.

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
    python, ours = (about.get(name, "") for name in ("python", "hpo-foundry"))
    release = f"=={ours}" if RELEASE.fullmatch(ours) else ""
    lines = [f"# with Python {python}"] if RELEASE.fullmatch(python) else []
    lines += [f'pip install "hpo-foundry[{extras}]{release}"']
    lines += [_comment(text) for text in _own_code({*names[0], *names[1]})]
    lines += [f"# save {', '.join(suites)} into this directory"]
    file_name = shlex.quote(store)
    lines += [f"hpo leaderboard {file} --store {file_name} --out report" for file in suites]
    return [*lines, f"hpo store info {file_name}   # digest {digest[:16]}..."]


def _own_code(names: Collection[str]) -> list[str]:
    """Lines about names that are imported: whose code it is, and what has to be said to run it."""
    processes = sorted(short_name(name) for name in names if is_peer(name))
    lines = [f"the runs used processes of their own, see docs/process_adapter.md: {', '.join(processes)}"]
    own = sorted(name for name in names if needs_import(name) and not is_peer(name))
    if not own:
        return [*lines, ALLOW] if processes else []
    modules = ", ".join(sorted({name.partition(":")[0] for name in own}))
    return [
        *(lines if processes else []),
        f"the runs used code that is no part of hpo-foundry: {', '.join(own)}",
        f"look at it before you run it; then put its modules into this directory, or on PYTHONPATH: {modules}",
        ALLOW,
    ]


def _comment(text: str) -> str:
    """A text as one line of comment, whatever it holds."""
    return "# " + "".join(character if character.isprintable() else "?" for character in text)


def _benchmark_extras(names: Collection[str]) -> set[str]:
    listed = benchmarks()
    extras = {facts_of(listed[name].family, name).extra for name in names if name in listed}
    return {extra for extra in extras if extra}


def _optimizer_extras(names: Collection[str]) -> set[str]:
    known = optimizers()
    peers = {name for name in names if name in known and str(getattr(known[name], "target", "")).startswith(ADAPTERS)}
    return {EXTRAS[name] for name in names if name in EXTRAS} | ({PEERS} if peers else set())
