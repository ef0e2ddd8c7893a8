"""A `Space` as plain data, for files."""

from __future__ import annotations

from typing import Any

from hpo_core.errors import InvalidSpace
from hpo_core.space import Condition, Space
from hpo_core.space.hyperparameters import Categorical, Choice, Constant, Float, Hyperparameter, Int, Ordinal

KINDS: dict[str, Any] = {kind.kind: kind for kind in (Float, Int, Ordinal, Categorical, Constant)}


def space_to_json(space: Space) -> dict[str, Any]:
    """Dicts, lists, strings and numbers that `space_from_json` turns into an equal space."""
    return {
        "name": space.name,
        "hyperparameters": [_describe(h) for h in space],
        "conditions": [[c.child, c.parent, list(c.values)] for c in space.conditions],
    }


def space_from_json(data: dict[str, Any]) -> Space:
    """The space that `space_to_json` described."""
    try:
        hyperparameters = [_build(dict(h)) for h in data["hyperparameters"]]
        conditions = [Condition(child, parent, tuple(values)) for child, parent, values in data["conditions"]]
        return Space(hyperparameters, conditions, name=data["name"])
    except (KeyError, TypeError, IndexError) as error:
        raise InvalidSpace(f"not a description of a space: {error!r}") from None


def _describe(h: Hyperparameter) -> dict[str, Any]:
    if isinstance(h, Choice):
        described = {"kind": h.kind, "name": h.name, "values": list(h.values), "default": h.default}
        return described if h.weights is None else {**described, "weights": list(h.weights)}
    return {"kind": h.kind, "name": h.name, "low": h.low, "high": h.high, "log": h.log, "default": h.default}


def _build(data: dict[str, Any]) -> Hyperparameter:
    kind = data.pop("kind")
    if kind not in KINDS:
        raise InvalidSpace(f"a hyperparameter is a float, int, ordinal, categorical or constant, got {kind!r}")
    if kind == Constant.kind:
        return Constant(data["name"], *data["values"])
    return KINDS[kind](**data)
