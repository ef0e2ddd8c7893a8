"""Names of surrogates, for the registry of `hpo_core`: those of the user, files by their path, and shipped ones."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from hpo_core.errors import DamagedFile, InvalidOption, NameTaken, UnknownName, nearest
from hpo_core.facts import BenchmarkFacts
from hpo_core.names import taken_names
from hpo_core.storage.own_files import OwnFiles
from tabular.instances import unknown_instance
from tabular.recorded.catalogue import TEXT_TASKS
from tabular.surrogates.problem import SurrogateProblem
from tabular.surrogates.surrogate import TrainedSurrogate
from tabular.surrogates.surrogate_file import is_surrogate, read_surrogate, write_surrogate

NAME = re.compile(r"[A-Za-z0-9_-]+")
TASKSET = "taskset-surrogate"


def shipped_path(instance: str) -> Path:
    """Where a surrogate of TaskSet lies that comes with this package."""
    return Path(__file__).parent.parent / "data" / "surrogates" / f"{TASKSET}-{instance}.h5"


def shipped_surrogates() -> list[str]:
    """Names of the surrogates that come with the package."""
    return [f"{TASKSET}/{i}" for i in range(len(TEXT_TASKS)) if shipped_path(str(i)).is_file()]


own_surrogates = OwnFiles("surrogates", "surrogate", "surrogate", shipped_surrogates)


def open_surrogate(name: str) -> TrainedSurrogate:
    """Surrogate by the name of its benchmark, or by the path of a file."""
    if own_surrogates.has(name):
        try:
            return read_surrogate(own_surrogates.path(name))
        except DamagedFile as error:
            raise DamagedFile(f"{error}; train it again, or `hpo surrogate remove {name}`") from None
    if name in shipped_surrogates():
        return read_surrogate(shipped_path(name.partition("/")[2]))
    if os.path.isfile(name):
        return read_surrogate(Path(name))
    known = [*own_surrogates.names(), *shipped_surrogates()]
    raise UnknownName(
        f"no surrogate {name!r}, neither a name nor a file{nearest(name, known)}; see `hpo surrogate list`"
    )


def check_surrogate_name(name: str) -> None:
    """Raise for what cannot name a surrogate of the user's own: `NameTaken` for the name of another benchmark."""
    if not NAME.fullmatch(name):
        raise InvalidOption(f"name of a surrogate must be of letters, digits, - and _, got {name!r}; give another name")
    if name in taken_names() - set(own_surrogates.names()):
        raise NameTaken(
            f"{name!r} is the name of a benchmark or family that is no surrogate of yours; give another name"
        )


def register(surrogate: TrainedSurrogate, name: str | None = None) -> str:
    """Name under which a surrogate became a benchmark on this machine: the given one, or its own."""
    named = surrogate if name is None else replace(surrogate, name=name)
    check_surrogate_name(named.name)
    write_surrogate(named, own_surrogates.path(named.name))
    return named.name


def _problem(name: str, options: dict[str, Any]) -> SurrogateProblem:
    if options:
        raise InvalidOption(f"a surrogate has no options, {name!r} was given {', '.join(options)}")
    return SurrogateProblem(open_surrogate(name))


class OwnSurrogates:
    """Surrogates that the user trained or imported, and files by their path."""

    def listing(self) -> dict[str, str]:
        return dict.fromkeys(own_surrogates.names(), "your own surrogate of recorded evaluations, on this machine")

    def facts(self, name: str) -> BenchmarkFacts:
        """That the surrogate has an optimum; the rest is known when it is opened."""
        return BenchmarkFacts(optimum=True, extra="")

    def make(self, name: str, **options: Any) -> SurrogateProblem | None:
        path = Path(name)
        if own_surrogates.has(name) or (path.suffix == ".h5" and path.is_file() and is_surrogate(path)):
            return _problem(name, options)
        return None


class TasksetSurrogates:
    """Surrogates of the text RNN tasks of TaskSet; they come with the package."""

    def listing(self) -> dict[str, str]:
        line = "surrogate of Adam on an RNN for IMDB reviews, {}: 8 floats, 51 evaluations"
        return {name: line.format(TEXT_TASKS[int(name.partition("/")[2])]) for name in shipped_surrogates()}

    def facts(self, name: str) -> BenchmarkFacts:
        """Facts about a surrogate, which hold for all of them."""
        return BenchmarkFacts((1, 51), optimum=True, curves=True, extra="", group=f"{TASKSET}/*")

    def make(self, name: str, **options: Any) -> SurrogateProblem | None:
        family, _, instance = name.partition("/")
        if family != TASKSET:
            return None
        known = [listed.partition("/")[2] for listed in shipped_surrogates()]
        if instance not in known:
            raise unknown_instance(TASKSET, instance, known)
        return _problem(name, options)


own = OwnSurrogates()
taskset = TasksetSurrogates()
