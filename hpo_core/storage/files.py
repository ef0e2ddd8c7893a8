"""The cache directory, and files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from hpo_core.errors import CacheUnavailable, CannotWrite, DamagedFile, HpoError

T = TypeVar("T")
VARIABLE = "HPO_FOUNDRY_CACHE"


def cache_directory() -> Path:
    """Directory for built and imported tables: $HPO_FOUNDRY_CACHE, or `hpo-foundry` in the user's cache directory."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("hpo-foundry")


def read_limited(path: Path, most: int, what: str) -> bytes:
    """Contents of a file; `DamagedFile` for one of more than `most` bytes, which cannot be `what` it should be."""
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise DamagedFile(f"{path} has more than {most:,} bytes, so it is not {what}; give another file")
    return content


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that replaces it on success and leaves nothing behind on failure.

    The file gets the permissions of any new file, as the umask has them. Whoever reads `path` sees the old contents or
    the new ones. A write that fails raises `CannotWrite`, or `CacheUnavailable` where `path` is in the cache directory.
    """
    temporary = path.with_name(f"{path.name}.{token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.touch(exist_ok=False)
    except OSError as error:
        raise _not_written(path, error) from None
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except HpoError:
        raise
    except (OSError, RuntimeError, SystemError) as error:  # h5py reports a full disk as any of them
        raise _not_written(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text in UTF-8, as `replacing` does."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """A temporary directory beside `path` that becomes it on success and leaves nothing behind on failure.

    What is there already must be an empty directory. Anything else, and a write that fails, raises `CannotWrite`.
    """
    path = path.absolute()
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        kind = "holds files" if path.is_dir() else "is a file"
        raise CannotWrite(f"a new or empty directory is needed, {path} {kind}; remove it, or take another directory")
    temporary = path.with_name(f"{path.name}.{token_hex(4)}.part")
    try:
        temporary.mkdir(parents=True)
        yield temporary
        if path.exists():
            path.rmdir()  # a directory does not replace another one on every system
        temporary.rename(path)
    except HpoError:
        raise
    except OSError as error:
        raise _not_written(path, error) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _not_written(path: Path, error: Exception) -> CannotWrite | CacheUnavailable:
    advice = f"cannot write {path} ({error}); make room or give the directory write permission"
    if path.resolve().is_relative_to(cache_directory().resolve()):
        return CacheUnavailable(f"{advice}, or set {VARIABLE} to another directory")
    return CannotWrite(f"{advice}, or take another directory")


def build_once(path: Path, is_usable: Callable[[], T | None], build: Callable[[], None]) -> T:
    """What `is_usable` finds at `path`, after `build` made it if need be; of many processes only one builds."""
    found = is_usable()
    if found is not None:
        return found
    from filelock import FileLock

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.with_name(path.name + ".lock"))
        lock.acquire()
    except OSError as error:
        raise _not_written(path, error) from None
    try:
        found = is_usable()  # another process may have built it while this one waited
        if found is None:
            for leftover in path.parent.glob(f"{path.name}.*.part"):  # of a process that was killed while it built
                with suppress(OSError):
                    leftover.unlink()
            build()
            found = is_usable()
    finally:
        lock.release()
    if found is None:
        raise CacheUnavailable(f"{path} was built and cannot be read back; delete it and try again")
    return found
