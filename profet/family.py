"""Names of sampled tasks, `profet-FAMILY/NUMBER`, for the registry of `hpo_core`; and models by the family's name.

A model is looked for among those that the user trained (`profet/FAMILY.h5` in the cache directory), then among those
that come with the package: `hpo_core.storage.own_files` has the rule. Of a known family without either, one is trained,
once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_core.errors import InvalidOption, UnknownName, nearest
from hpo_core.facts import BenchmarkFacts
from hpo_core.storage.files import build_once, cache_directory
from hpo_core.storage.own_files import OwnFiles
from profet.meta_model import MetaModel
from profet.model_file import read_model, write_model
from profet.sampling import sample_task
from profet.sources import SOURCES, meta_data
from profet.task import Task

if TYPE_CHECKING:
    from hpo_models.networks.chains import Progress

NAME = re.compile(r"profet-([a-z0-9_-]+)/([0-9]{1,18})")
OPTIONS = ("noise", "latent", "built_in")


def train(
    family: str, seed: int = 0, *, mode: str = "fast", progress: Callable[[int], Progress] | None = None
) -> MetaModel:
    """Meta-model of a family that has a name: svm, fcnet, xgboost, mlp or forrester."""
    from profet.learning.training import train_on
    from profet.settings import settings_of

    return train_on(meta_data(family), seed, settings=settings_of(mode), progress=progress)


def shipped_model(family: str) -> Path:
    """Where a model lies that comes with this package."""
    return Path(__file__).parent / "data" / f"profet-{family}.h5"


def built_model(family: str) -> Path:
    """Where the model of a known family lies that was trained on first use."""
    return cache_directory() / "profet-built" / f"{family}.h5"


def trained_model(family: str) -> Path:
    """Where a model lies that the user trained under that name; it takes precedence over a built-in one."""
    return own_models.path(family)


@lru_cache(maxsize=1)
def _shipped() -> frozenset[str]:
    return frozenset(path.stem.removeprefix("profet-") for path in shipped_model("").parent.glob("profet-*.h5"))


def built_in_models() -> set[str]:
    """Families whose models come with the package, or are trained by it on first use."""
    return {*_shipped(), *SOURCES}


own_models = OwnFiles("profet", "meta-model", "profet", built_in_models)


def available() -> list[str]:
    """Families whose models are there already."""
    built = {path.stem for path in built_model("").parent.glob("*.h5")}
    return sorted(_shipped() | built | set(own_models.names()))


def check_model_name(name: str, *, replace: bool = False) -> None:
    """Raise for what cannot name a model of the user's own: `NameTaken` for a built-in one, unless with `replace`."""
    if NAME.fullmatch(f"profet-{name}/0") is None:
        raise InvalidOption(f"a model's name is made of a-z, 0-9, - and _, got {name!r}")
    own_models.check_free(name, replace)


def open_model(family: str, *, built_in: bool = False) -> MetaModel:
    """Model of a family; trained and kept in the cache directory where there is none yet.

    A model that the user trained comes before the built-in one of the same name; with `built_in` it is passed over.
    """
    if own_models.has(family) and not built_in:
        return _open(own_models.path(family))
    if family in _shipped():
        return _open(shipped_model(family))
    if family not in SOURCES:
        known = sorted(built_in_models() if built_in else {*built_in_models(), *available()})
        kind = "built-in meta-model" if built_in else "meta-model"
        raise UnknownName(f"no {kind} {family!r}{nearest(family, known)}; `hpo profet train` makes one")
    path = built_model(family)
    return build_once(path, lambda: _open(path) if path.is_file() else None, lambda: _train_into(family, path))


def _open(path: Path) -> MetaModel:
    stat = path.stat()
    return _load(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=16)
def _load(path: Path, changed: int, size: int) -> MetaModel:
    return read_model(path)


def _train_into(family: str, path: Path) -> None:
    print(f"training the meta-model {family!r}, once, into {path}", file=sys.stderr)
    write_model(train(family, progress=progress_bar), path)


def progress_bar(n_steps: int) -> Progress:
    """Function that moves a bar on the terminal, made for so many steps in all."""
    from tqdm import tqdm

    return tqdm(total=n_steps, unit="step", disable=None, leave=False).update


def listing() -> dict[str, str]:
    """The first task of each model that is there; any other number will do as well."""
    return {f"profet-{name}/0": _summary(name) for name in available()}


def _summary(family: str) -> str:
    task = f"task 0 of {'your own' if own_models.has(family) else 'the'} meta-model {family}; any number instead of 0"
    return f"{task}; covers the built-in one, `hpo profet remove {family}`" if own_models.covers(family) else task


def facts(name: str) -> BenchmarkFacts:
    """Facts about a task; the budgets of a model that is not shipped are known when it is opened."""
    family = NAME.fullmatch(name).group(1)  # type: ignore[union-attr]
    several = family == "curves"
    known = BenchmarkFacts(optimum=False, extra="", group=f"profet-{family}/0..")
    if own_models.has(family) or family not in _shipped():
        return known
    return known._replace(budgets=(1, 100 if several else 1), curves=several)


def make(name: str, **options: Any) -> Task | None:
    """Sampled task of a name `profet-FAMILY/NUMBER`, None for another name."""
    match = NAME.fullmatch(name)
    if match is None:
        return None
    for option in options:
        if option not in OPTIONS:
            raise InvalidOption(f"{name!r} has no option {option!r}{nearest(option, OPTIONS)}")
    for option in ("noise", "built_in"):
        if not isinstance(options.get(option, False), bool):
            raise InvalidOption(f"option {option!r} of {name!r} must be true or false, got {options[option]!r}")
    settings = dict(options)
    built_in = settings.pop("built_in", False)
    family, number = match.groups()
    return sample_task(open_model(family, built_in=built_in), int(number), **settings)
