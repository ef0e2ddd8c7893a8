"""Values of hyperparameters: what every kind of hyperparameter does to check them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidSpace

Value = Any  # str, int, float, bool or None
BOOLEANS = frozenset({bool, np.bool_})


class Checked(Protocol):
    """A hyperparameter as far as its default is concerned."""

    @property
    def default(self) -> Value: ...
    def code(self, value: Value) -> float: ...


def settle_default(hyperparameter: Checked, fallback: Value) -> None:
    """Check the default, or set it to the fallback if it is None; always explicit, so that a conversion keeps it."""
    if hyperparameter.default is None:
        object.__setattr__(hyperparameter, "default", fallback)
    try:
        hyperparameter.code(hyperparameter.default)
    except InvalidConfig as error:
        raise InvalidSpace(f"default of {error}") from None
