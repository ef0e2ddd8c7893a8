"""`OwnFiles`: files that a user gave names to, and the one rule for names that come with the package.

A file of the user's own is found before the built-in one of the same name. It gets such a name only on demand
(`replace=True`), so that no built-in is covered unnoticed; removing the file uncovers the built-in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from hpo_core.errors import InvalidOption, NameTaken, UnknownName, nearest
from hpo_core.storage.files import cache_directory
from hpo_core.storage.stamps import stamp_path

MOST_NAME = 200


def is_plain_name(name: str) -> bool:
    """Whether a name is one part of a path: a file of that name lies in the directory that it is meant to lie in."""
    if not isinstance(name, str):
        return False
    return len(name.encode(errors="replace")) <= MOST_NAME and name not in (".", "..") and not set(name) & set("/\\\0")


@dataclass(frozen=True)
class OwnFiles:
    """The files of one kind, NAME.h5 in a folder of the cache directory.

    folder      its name
    noun        what a file holds, such as "table"
    command     words of the command line that the kind has, such as "table"
    built_in    names that come with the package
    """

    folder: str
    noun: str
    command: str
    built_in: Callable[[], Collection[str]]

    def path(self, name: str) -> Path:
        """Where the file of a name lies, or would; raises `InvalidOption` for a name that would lie elsewhere."""
        if not is_plain_name(name):
            raise InvalidOption(
                f"the name of a {self.noun} must be at most {MOST_NAME} characters without slashes, got {name[:80]!r}"
            )
        return cache_directory() / self.folder / f"{name}.h5"

    def has(self, name: str) -> bool:
        """Whether there is a file of that name."""
        return is_plain_name(name) and self.path(name).is_file()

    def names(self) -> list[str]:
        """Names of the files that are there."""
        return sorted(path.stem for path in self.path("").parent.glob("*.h5"))

    def covers(self, name: str) -> bool:
        """Whether there is a file of that name and it hides a built-in one."""
        return self.has(name) and name in self.built_in()

    def check_free(self, name: str, replace: bool) -> None:
        """Raise `NameTaken` for the name of a built-in, unless it is to be covered."""
        if name in self.built_in() and not replace:
            raise NameTaken(
                f"{name!r} is the name of a built-in {self.noun}, which yours would cover on this machine; choose "
                f"another name, or say --replace (replace=True); `hpo {self.command} remove {name}` uncovers it again"
            )

    def remove(self, name: str) -> Path:
        """Path of the user's own file of that name, which is deleted."""
        own = self.names()
        if name not in own:
            why = f"{name!r} is built in" if name in self.built_in() else f"there is no {self.noun} {name!r}"
            raise UnknownName(
                f"only a {self.noun} of your own can be removed, and {why}"
                + (nearest(name, own) if own else "; you have none")
            )
        path = self.path(name)
        path.unlink()
        stamp_path(path).unlink(missing_ok=True)
        return path
