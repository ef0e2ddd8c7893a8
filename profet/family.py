"""Names of sampled tasks, `profet-FAMILY/NUMBER`, for the registry of `hpo_core`; and models by the family's name.

A model is looked for among those that come with the package, then among those that were trained on this machine
(`profet/FAMILY.h5` in the cache directory). Of a known family without either, one is trained, once.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_core.errors import InvalidOption, UnknownName, nearest
from hpo_core.storage.files import build_once, cache_directory
from profet.meta_model import MetaModel
from profet.model_file import load, save
from profet.sampling import sample_task
from profet.sources import SOURCES, meta_data
from profet.task import Task

if TYPE_CHECKING:
    from hpo_models.networks.bnn import Progress

NAME = re.compile(r"profet-([a-z0-9_-]+)/([0-9]{1,18})")
OPTIONS = ("noise", "latent")


def train(
    family: str, seed: int = 0, *, mode: str = "fast", progress: Callable[[int], Progress] | None = None
) -> MetaModel:
    """Meta-model of a family that has a name: svm, fcnet, xgboost, mlp or forrester."""
    from profet.settings import settings_of
    from profet.training import train_on

    return train_on(meta_data(family), seed, settings=settings_of(mode), progress=progress)


def shipped_model(family: str) -> Path:
    """Where a model lies that comes with this package."""
    return Path(__file__).parent / "data" / f"profet-{family}.h5"


def trained_model(family: str) -> Path:
    """Where a model lies that was trained on this machine."""
    return cache_directory() / "profet" / f"{family}.h5"


def available() -> list[str]:
    """Families whose models are there already."""
    shipped = {path.stem.removeprefix("profet-") for path in shipped_model("").parent.glob("profet-*.h5")}
    folder = trained_model("").parent
    return sorted(shipped | ({path.stem for path in folder.glob("*.h5")} if folder.is_dir() else set()))


def open_model(family: str) -> MetaModel:
    """Model of a family; trained and kept in the cache directory where there is none yet."""
    path = shipped_model(family) if shipped_model(family).is_file() else trained_model(family)
    if not path.is_file() and family not in SOURCES:
        known = sorted({*SOURCES, *available()})
        raise UnknownName(f"no meta-model {family!r}{nearest(family, known)}; `hpo profet train` makes one")
    return build_once(path, lambda: _open(path) if path.is_file() else None, lambda: _train_into(family, path))


@lru_cache(maxsize=16)
def _open(path: Path) -> MetaModel:
    return load(path)


def _train_into(family: str, path: Path) -> None:
    print(f"training the meta-model {family!r}, once, into {path}", file=sys.stderr)
    save(train(family, progress=progress_bar), path)


def progress_bar(n_steps: int) -> Progress:
    """Function that moves a bar on the terminal, made for so many steps in all."""
    from tqdm import tqdm

    return tqdm(total=n_steps, unit="step", disable=None, leave=False).update


def listing() -> dict[str, str]:
    """The first task of each model that is there; any other number will do as well."""
    return {f"profet-{name}/0": f"task 0 of the meta-model {name}; any number instead of 0" for name in available()}


def make(name: str, **options: Any) -> Task | None:
    """Sampled task of a name `profet-FAMILY/NUMBER`, None for another name."""
    match = NAME.fullmatch(name)
    if match is None:
        return None
    for option in options:
        if option not in OPTIONS:
            raise InvalidOption(f"{name!r} has no option {option!r}{nearest(option, OPTIONS)}")
    if not isinstance(options.get("noise", False), bool):
        raise InvalidOption(f"option 'noise' of {name!r} must be true or false, got {options['noise']!r}")
    family, number = match.groups()
    return sample_task(open_model(family), int(number), **options)
