"""Spaces and configurations as plain data, for files.

JSON has no tuples, and no hyperparameter has a list as its value: a list in a file stands for a tuple.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from hpo_core.errors import InvalidPrior, InvalidSpace
from hpo_core.space import Condition, Forbidden, ForbiddenRelation, Space
from hpo_core.space.clauses import Clause
from hpo_core.space.hyperparameters import Categorical, Choice, Constant, Float, Hyperparameter, Int, Ordinal, Value
from hpo_core.space.priors.entries import Beta, Entry, Normal, Weights

KINDS: dict[str, Any] = {kind.kind: kind for kind in (Float, Int, Ordinal, Categorical, Constant)}


def value_from_json(value: Any) -> Value:
    """The value of a hyperparameter that a file has as plain data; raises `ValueError` for what cannot be one."""
    if value.__class__ is list:
        return tuple(map(value_from_json, value))
    if isinstance(value, dict):
        raise ValueError("the value of a hyperparameter must be a text, a number, true, false or a list, got an object")
    if isinstance(value, (int, float)) and not abs(value) <= sys.float_info.max:
        raise ValueError("a number as the value of a hyperparameter must be finite, and no larger than a float holds")
    return value


def config_from_json(data: dict[str, Any]) -> dict[str, Value]:
    """The configuration that a file has as plain data; raises `ValueError` for what cannot be one."""
    return {name: value_from_json(value) for name, value in data.items()}


def space_to_json(space: Space, *, listed: bool = True) -> dict[str, Any]:
    """Dicts, lists, strings and numbers that `space_from_json` turns into an equal space.

    Without `listed` the list of configurations is left out, for a file that keeps it as an array.
    """
    described: dict[str, Any] = {
        "name": space.name,
        "hyperparameters": [_describe(h) for h in space],
        "conditions": [[c.child, c.parent, list(c.values)] for c in space.conditions],
    }
    if space.forbidden:
        described["forbidden"] = [_describe_clause(clause) for clause in space.forbidden]
    if listed and space.listed is not None:
        described["listed"] = listed_to_json(space.listed)
    if space.prior is not None:
        described["prior"] = prior_to_json(space.prior.entries)
    return described


def listed_to_json(codes: np.ndarray) -> list[list[float | None]]:
    """Rows of (n, d) codes, with None for NaN, which JSON does not have."""
    return [[None if code != code else code for code in row] for row in codes.tolist()]


def space_from_json(data: dict[str, Any], listed: np.ndarray | None = None) -> Space:
    """The space that `space_to_json` described, with codes of its list where that was left out."""
    try:
        hyperparameters = [_build(dict(h)) for h in data["hyperparameters"]]
        conditions = [Condition(child, parent, value_from_json(values)) for child, parent, values in data["conditions"]]
        forbidden = [_build_clause(clause) for clause in data.get("forbidden", ())]
        codes = data.get("listed") if listed is None else listed
        codes = None if codes is None else np.array(codes, dtype=float)
        space = Space(hyperparameters, conditions, name=data["name"], forbidden=forbidden, listed=codes)
        return space.with_prior(prior_from_json(data["prior"])) if "prior" in data else space
    except (InvalidSpace, InvalidPrior):
        raise
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise InvalidSpace(f"not a description of a space: {error!r:.300}") from None


def prior_to_json(entries: Mapping[str, Entry]) -> dict[str, Any]:
    """Dicts, lists, strings and numbers that `prior_from_json` turns into equal entries."""
    return {name: _describe_entry(entry) for name, entry in entries.items()}


def prior_from_json(data: dict[str, Any]) -> dict[str, Entry]:
    """The entries that `prior_to_json` described; what they say is checked by `Space.with_prior`."""
    return {name: _build_entry(*next(iter(said.items()))) for name, said in data.items()}


def _describe_entry(entry: Entry) -> dict[str, Any]:
    if isinstance(entry, Weights):
        return {"weights": [[value, mass] for value, mass in entry.masses]}
    return {"normal": [entry.centre, entry.std]} if isinstance(entry, Normal) else {"beta": [entry.a, entry.b]}


def _build_entry(kind: str, said: Any) -> Entry:
    if kind == "weights":
        return Weights(tuple((value_from_json(value), mass) for value, mass in said))
    if kind not in ("normal", "beta"):
        raise ValueError(f"the prior of a hyperparameter is normal, beta or weights, got {kind!r:.60}")
    first, second = said
    return Normal(value_from_json(first), second) if kind == "normal" else Beta(first, second)


def _describe_clause(clause: Clause) -> Any:
    if isinstance(clause, ForbiddenRelation):
        return [clause.left, clause.relation, clause.right]
    return {name: list(values) for name, values in clause.terms}


def _build_clause(data: Any) -> Clause:
    return Forbidden(config_from_json(data)) if isinstance(data, dict) else ForbiddenRelation(*data)


def _describe(h: Hyperparameter) -> dict[str, Any]:
    if isinstance(h, Choice):
        described = {"kind": h.kind, "name": h.name, "values": list(h.values), "default": h.default}
        return described if h.weights is None else {**described, "weights": list(h.weights)}
    return {"kind": h.kind, "name": h.name, "low": h.low, "high": h.high, "log": h.log, "default": h.default}


def _build(data: dict[str, Any]) -> Hyperparameter:
    kind = data.pop("kind")
    if kind not in KINDS:
        raise InvalidSpace(f"a hyperparameter is a float, int, ordinal, categorical or constant, got {kind!r}")
    for name in data.keys() & {"values", "default"}:
        data[name] = value_from_json(data[name])
    if kind == Constant.kind:
        return Constant(data["name"], *data["values"])
    return KINDS[kind](**data)
