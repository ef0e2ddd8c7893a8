"""Where built tables lie, and how a file comes to be there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from hpo_core.errors import CacheUnavailable, HpoError

T = TypeVar("T")
VARIABLE = "HPO_FOUNDRY_CACHE"


def cache_directory() -> Path:
    """Directory for built and imported tables: $HPO_FOUNDRY_CACHE, or `hpo-foundry` in the user's cache directory."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("hpo-foundry")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place on success and leaves nothing behind on failure."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=path.name + ".", suffix=".part", dir=path.parent)
        os.close(descriptor)
    except OSError as error:
        raise _unavailable(path, error) from None
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except HpoError:
        raise
    except (OSError, RuntimeError, SystemError) as error:  # h5py reports a full disk as any of them
        raise _unavailable(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _unavailable(path: Path, error: Exception) -> CacheUnavailable:
    return CacheUnavailable(
        f"cannot write {path} ({error}); make room or give the directory write permission, "
        f"or set {VARIABLE} to another directory"
    )


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
        raise _unavailable(path, error) from None
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
