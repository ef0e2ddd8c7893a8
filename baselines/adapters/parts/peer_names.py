"""Names of peer processes: what is started for `dehb-lib@ENV`, `./mine.py@ENV` and `cmd@COMMAND`.

    NAME@ENV        one of `PEERS`, a library behind a worker file of ours, in an environment of its own
    FILE.py@ENV     a worker file of yours, in the same form
    cmd@COMMAND     a program of yours that speaks the protocol itself; no shell reads the command

ENV is an environment's directory (`python -m venv ENV`), the path of an interpreter, or the name of an environment in
the folder of `environments_folder`. A name of a peer process is resolved through `module:attribute`
(`baselines.adapters.process`), so that all that keeps code of a stranger's file from being imported keeps a stranger's
file from starting processes, too.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from pathlib import Path
from typing import NamedTuple

from hpo_core.errors import InvalidOption, UnknownName, nearest

MODULE = "baselines.adapters.process"
COMMAND = "cmd"
WORKERS = Path(__file__).parents[1] / "workers"
SERVE = WORKERS / "serve.py"
MOST_PROGRAM = 1_000_000  # bytes; larger files of a command are interpreters rather than what they run
INTERPRETERS = ("bin/python", "Scripts/python.exe")


class Peer(NamedTuple):
    """One line about a library that runs in an environment of its own, and its paper.

    worker          the worker file
    install         what to install into the environment
    multi_fidelity  whether it needs several budgets
    fixed           options that tell one method of the file from another
    """

    summary: str
    paper: str
    worker: str
    install: str
    multi_fidelity: bool = False
    fixed: tuple[tuple[str, str], ...] = ()


PEERS = {
    "dehb-lib": Peer("DEHB as its authors' library has it", "Awad et al. (2021)", "dehb_lib.py", "dehb", True),
    "ax": Peer(
        "Ax: Gaussian processes of BoTorch",
        "Olson et al. (2025); Balandat et al. (2020)",
        "ax_platform.py",
        "ax-platform",
    ),
    "syne-tune-bore": Peer(
        "Syne Tune's BORE",
        "Tiao et al. (2021)",
        "syne_tune.py",
        "syne-tune huggingface_hub",
        fixed=(("searcher", "bore"),),
    ),
    "syne-tune-cqr": Peer(
        "Syne Tune's conformalised quantile regression",
        "Salinas et al. (2023)",
        "syne_tune.py",
        "syne-tune huggingface_hub",
        fixed=(("searcher", "cqr"),),
    ),
}


class Started(NamedTuple):
    """Command of a peer process, and a digest of the files that make its proposals beside the library."""

    command: list[str]
    digest: str


def is_peer(name: str) -> bool:
    """Whether a name is that of a peer process, written short or in full.

    >>> [is_peer(name) for name in ("dehb-lib@env", "cmd@./mine --fast", "my_module:Search", "tpe")]
    [True, True, False, False]
    """
    return "@" in name and ":" not in name.removeprefix(f"{MODULE}:").partition("@")[0]


def full_name(name: str) -> str:
    """The name under which `hpo_core.names` finds a peer process; any other name as it is.

    >>> full_name("dehb-lib@env"), full_name("tpe")
    ('baselines.adapters.process:dehb-lib@env', 'tpe')
    """
    return f"{MODULE}:{name}" if is_peer(name) and not name.startswith(f"{MODULE}:") else name


def short_name(name: str) -> str:
    """The name of a peer process as a user writes it; any other name as it is."""
    return name.removeprefix(f"{MODULE}:") if is_peer(name) else name


def peer_of(name: str) -> Peer | None:
    """What is known about the library of a peer process; None for a program or worker file of the user's."""
    return PEERS.get(short_name(name).partition("@")[0])


def started(name: str) -> Started:
    """What is started for a short name; raises `UnknownName` or `InvalidOption` for one that starts nothing."""
    who, _, where = name.partition("@")
    if not where:
        raise InvalidOption(f"a peer process is NAME@ENV, FILE.py@ENV or {COMMAND}@COMMAND, got {name!r}")
    if who == COMMAND:
        return _program(where)
    if who in PEERS:
        worker = WORKERS / PEERS[who].worker
    elif who.endswith(".py"):
        worker = Path(who).expanduser()
        if not worker.is_file():
            raise UnknownName(f"no file {who!r}, which {name!r} names as its worker")
    else:
        known = [*PEERS, COMMAND]
        raise UnknownName(f"no peer process {who!r}{nearest(who, known)}; a worker file of your own is FILE.py@ENV")
    command = [str(interpreter(where)), str(SERVE), str(worker.absolute())]
    return Started(command, _digest([SERVE, worker]))


def _program(text: str) -> Started:
    try:
        command = shlex.split(text)
    except ValueError as error:
        raise InvalidOption(f"the command {text!r} cannot be split into words: {error}") from None
    found = shutil.which(command[0]) if command else None
    if found is None:
        raise UnknownName(f"no program {command[:1]}, which {COMMAND}@{text} starts; give its path")
    files = [path for path in map(Path, (found, *command[1:])) if path.is_file()]
    return Started([found, *command[1:]], _digest([path for path in files if path.stat().st_size <= MOST_PROGRAM]))


def _digest(files: list[Path]) -> str:
    total = hashlib.sha256()
    for path in files:
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:12]


def environments_folder() -> Path:
    """Folder of the environments that have a name: $HPO_ENVIRONMENTS, or else one in the user's data directory."""
    given = os.environ.get("HPO_ENVIRONMENTS")
    if given:
        return Path(given).expanduser()
    from platformdirs import user_data_path

    return user_data_path("hpo-foundry", appauthor=False) / "environments"


def interpreter(environment: str) -> Path:
    """Python of an environment: that of the folder of environments if it has the name, or else of the path."""
    folder = environments_folder()
    for place in (folder / environment, Path(environment).expanduser()):
        candidates = [place, *(place / python for python in INTERPRETERS)]
        for python in candidates:
            if python.is_file() and os.access(python, os.X_OK):
                return python.absolute()
    named = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
    raise UnknownName(
        f"no environment {environment!r}{nearest(environment, named) if named else ''}; give the path of an "
        f"interpreter or of an environment's directory, or make one: python -m venv {folder / environment!s}"
    )
