"""Other people's libraries: imported when needed, and kept quiet."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from typing import Any

from hpo_core.errors import MissingExtra


def required(module: str, extra: str) -> Any:
    """The module; raises `MissingExtra` if it, or something that it needs itself, is not installed."""
    with quiet(module):
        try:
            return import_module(module)
        except ImportError as error:
            raise MissingExtra(error.name or module, extra) from error


def versions(*distributions: str) -> str:
    """Names and versions of installed packages, such as 'optuna 5.0.0, cmaes 0.13.1'."""
    return ", ".join(f"{distribution} {version(distribution)}" for distribution in distributions)


@contextmanager
def quiet(name: str) -> Iterator[None]:
    """Keep back warnings, and what the named logger says below an error, for as long as the block runs."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
