"""Clauses that shape a space: conditions, which switch hyperparameters off, and what is forbidden.

    Condition("gamma", "kernel", ("rbf",))               gamma is part of a configuration only where kernel is rbf
    Forbidden({"solver": ["lbfgs"], "penalty": ["l1"]})  no configuration has both
    ForbiddenRelation("min_leaf", ">", "min_split")      no configuration has more of the one than of the other

A clause on a hyperparameter that is switched off forbids nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from hpo_core.errors import InvalidConfig, InvalidSpace, nearest
from hpo_core.space.hyperparameters import BOOLEANS, Choice, Hyperparameter, Value

RELATIONS: dict[str, Callable[[Any, Any], Any]] = {"<": operator.lt, ">": operator.gt, "==": operator.eq}


class Condition(NamedTuple):
    """`child` is active only while `parent` is active and has one of `values`."""

    child: str
    parent: str
    values: tuple[Value, ...]


@dataclass(frozen=True, init=False)
class Forbidden:
    """Configurations in which every named hyperparameter has one of the values given for it.

    `terms` has a pair for each hyperparameter: its name and the values. In a space they are in the space's order.
    """

    terms: tuple[tuple[str, tuple[Value, ...]], ...]

    def __init__(self, terms: Mapping[str, Iterable[Value]]):
        if not isinstance(terms, Mapping) or not terms:
            raise InvalidSpace(f"a forbidden clause needs a mapping of names to values, got {terms!r}")
        pairs = ((name, _several(values, f"forbidden clause on {name!r}")) for name, values in terms.items())
        object.__setattr__(self, "terms", tuple(pairs))

    def __str__(self) -> str:
        return " and ".join(f"{name} in {list(values)!r}" for name, values in self.terms)

    def forbids(self, config: Mapping[str, Value]) -> bool:
        """Whether a configuration, of the space's own types, is one of them."""
        return all(name in config and config[name] in values for name, values in self.terms)


@dataclass(frozen=True)
class ForbiddenRelation:
    """Configurations in which the value of `left` is `<`, `>` or `==` that of `right`."""

    left: str
    relation: str
    right: str

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"

    def forbids(self, config: Mapping[str, Value]) -> bool:
        """Whether a configuration, of the space's own types, is one of them."""
        both = self.left in config and self.right in config
        return both and bool(RELATIONS[self.relation](config[self.left], config[self.right]))


Clause = Forbidden | ForbiddenRelation


def settled_conditions(by_name: Mapping[str, Hyperparameter], conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Conditions with values of the space's own types; raises `InvalidSpace` for one that cannot be."""
    index = {name: i for i, name in enumerate(by_name)}
    result = []
    for condition in conditions:
        try:
            child, parent, values = condition
        except (TypeError, ValueError):
            raise InvalidSpace(f"a condition is Condition(child, parent, values), got {condition!r}") from None
        if not (isinstance(child, str) and isinstance(parent, str)):
            raise InvalidSpace(f"a condition names its child and its parent, got {child!r:.60} and {parent!r:.60}")
        if child not in index or parent not in index or index[parent] >= index[child]:
            raise InvalidSpace(f"condition on {child!r}: its parent {parent!r} must come before it in the space")
        where = f"condition on {child!r}"
        result.append(Condition(child, parent, _own(by_name[parent], _several(values, where), where)))
    return tuple(result)


def settled_clauses(by_name: Mapping[str, Hyperparameter], clauses: Iterable[Clause]) -> tuple[Clause, ...]:
    """Forbidden clauses with values of the space's own types and in its order; raises `InvalidSpace`."""
    result: list[Clause] = []
    for clause in clauses:
        if isinstance(clause, Forbidden):
            result.append(_settled_terms(by_name, clause))
        elif isinstance(clause, ForbiddenRelation):
            _check_relation(by_name, clause)
            result.append(clause)
        else:
            raise InvalidSpace(f"forbidden clauses are Forbidden or ForbiddenRelation, got {clause!r}")
    return tuple(result)


def _settled_terms(by_name: Mapping[str, Hyperparameter], clause: Forbidden) -> Forbidden:
    index = {name: i for i, name in enumerate(by_name)}
    terms: dict[str, tuple[Value, ...]] = {}
    for name, values in sorted(clause.terms, key=lambda term: index.get(term[0], -1)):  # an unknown name comes first
        h = _known(by_name, name)
        own = _own(h, values, f"forbidden clause {clause}")
        terms[name] = tuple(sorted(dict.fromkeys(own), key=h.code))
    return Forbidden(terms)


def _check_relation(by_name: Mapping[str, Hyperparameter], clause: ForbiddenRelation) -> None:
    if not (isinstance(clause.left, str) and isinstance(clause.right, str)):
        raise InvalidSpace(f"a forbidden relation names two hyperparameters, got {clause!r:.120}")
    if not isinstance(clause.relation, str) or clause.relation not in RELATIONS:
        raise InvalidSpace(f"relation of a forbidden clause must be <, > or ==, got {clause.relation!r}")
    if clause.left == clause.right:
        raise InvalidSpace(f"a forbidden relation needs two hyperparameters, got {clause.left!r} twice")
    for h in (_known(by_name, clause.left), _known(by_name, clause.right)):
        if clause.relation != "==" and not has_numbers(h):
            raise InvalidSpace(f"forbidden clause {clause}: only numbers are < or >, and {h.name!r} is {h.rule}")


def has_numbers(h: Hyperparameter) -> bool:
    """Whether all values are numbers; bools are none."""
    if not isinstance(h, Choice):
        return True
    return all(isinstance(value, (int, float)) and value.__class__ not in BOOLEANS for value in h.values)


def _several(values: Any, where: str) -> tuple[Value, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidSpace(f"{where}: values are given as a list or tuple, got {values!r}")
    several = tuple(values)
    if not several:
        raise InvalidSpace(f"{where}: at least one value is needed, got none")
    return several


def _known(by_name: Mapping[str, Hyperparameter], name: str) -> Hyperparameter:
    if name not in by_name:
        raise InvalidSpace(f"forbidden clause on {name!r}: no such hyperparameter{nearest(str(name), by_name)}")
    return by_name[name]


def _own(h: Hyperparameter, values: tuple[Value, ...], where: str) -> tuple[Value, ...]:
    """The values in the hyperparameter's own types, such as 16 for np.float32(16)."""
    try:
        return tuple(h.value(h.code(value)) for value in values)
    except InvalidConfig as error:
        raise InvalidSpace(f"{where}: {error}") from None
