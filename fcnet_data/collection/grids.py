"""Grids of FC-Net configurations: parts of Table 7.2 of Klein (2020)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from fcnet_data.fcnet.recipes import REGRESSION_SPACE
from hpo_core.errors import InvalidOption, UnknownName, nearest
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Choice, Value

# Of several reduced grids, B preserves the quantiles of the real tables best: 3,456 of 62,208 configurations.
GRIDS: dict[str, dict[str, list[Value]]] = {
    "full": {},
    "B": {
        "n_units_1": [16, 64, 256],
        "n_units_2": [16, 64, 256],
        "batch_size": [8, 32],
        "dropout_1": [0.0, 0.6],
        "dropout_2": [0.0, 0.6],
    },
}


def fcnet_grid(parts: Sequence[str]) -> Space:
    """Space of a grid, given by a name, by values of some hyperparameters, or both; later parts take precedence.

    Examples
    --------
    >>> from fcnet_data.collection.grids import fcnet_grid
    >>> fcnet_grid(["B"]).size, fcnet_grid(["B", "init_lr=0.001,0.01", "batch_size=8"]).size
    (3456, 576)
    """
    values: dict[str, list[Value]] = {}
    for part in parts:
        name, equals, texts = part.partition("=")
        if equals:
            values[name] = _values(name, texts.split(","))
        elif name in GRIDS:
            values.update(GRIDS[name])
        else:
            raise UnknownName(f"a grid is one of {', '.join(GRIDS)} or hyperparameter=value,value..., got {part!r}")
    return _restricted(values)


def _values(name: str, texts: Sequence[str]) -> list[Value]:
    known = _hyperparameter(name).values
    chosen = [value for text in texts for value in known if _reads(text, value)]
    if len(chosen) != len(texts):
        raise InvalidOption(f"{name} must be some of {', '.join(map(str, known))}, got {', '.join(texts)}")
    return chosen


def _reads(text: str, value: Value) -> bool:
    """Whether a text means a value: 0.001 and 1e-3 are one number."""
    if isinstance(value, str):
        return text == value
    try:
        return float(text) == value
    except ValueError:
        return False


def _hyperparameter(name: str) -> Choice:
    names = [h.name for h in REGRESSION_SPACE]
    if name not in names:
        raise UnknownName(f"FC-Net has no hyperparameter {name!r}{nearest(name, names)}")
    return cast(Choice, REGRESSION_SPACE[name])


def _restricted(values: Mapping[str, Sequence[Value]]) -> Space:
    """The space of Table 7.2 with some hyperparameters restricted to the given values, in the table's order."""
    kept = []
    for h in (_hyperparameter(h.name) for h in REGRESSION_SPACE):
        kept.append(replace(h, values=tuple(v for v in h.values if v in values.get(h.name, h.values)), default=None))
    return Space(kept, name=REGRESSION_SPACE.name)
