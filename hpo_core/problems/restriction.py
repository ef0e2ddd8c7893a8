"""What is left of a space when some of its hyperparameters are held at one value or restricted to several.

A hyperparameter that is held leaves the space; so does one whose conditions can no longer hold. Where a parent is held,
its children depend on what the parent itself depended on. Clauses lose what is settled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hpo_core.errors import InvalidOption, InvalidSpace
from hpo_core.space import Condition, Config, Forbidden, Space
from hpo_core.space.clauses import RELATIONS, Clause, ForbiddenRelation
from hpo_core.space.grid import values_of
from hpo_core.space.hyperparameters import Categorical, Float, Hyperparameter, Ordinal, Value

Needs = list[tuple[str, tuple[Value, ...]]]  # parents and values, all of which must hold
SEVERAL = (list, tuple, set, frozenset, range)


class Restriction:
    """A space with some hyperparameters held or restricted.

    space    what is left
    held     the values of those that are held
    """

    def __init__(self, space: Space, values: Mapping[str, Any]):
        self._whole = space
        self.held: dict[str, Value] = {}
        self._kept: dict[str, Hyperparameter] = {}
        self._needs: dict[str, Needs] = {}  # what each hyperparameter that can be active needs, held ones too
        for name in values:
            space[name]
        for h in space:
            needs = self._needs_of(h.name)
            if needs is not None:
                self._needs[h.name] = needs
                self._settle(h, values)
        if not self._kept:
            raise InvalidOption("a subset must leave at least one hyperparameter free")
        self.space = self._left()

    def full(self, config: Config) -> dict[str, Value]:
        """Configuration of the whole space from one of what is left."""
        full = {**config, **self.held}
        return (
            self._whole.complete(full) if self._whole.conditional else {name: full[name] for name in self._whole.names}
        )

    def _needs_of(self, name: str) -> Needs | None:
        """What a hyperparameter needs of those that are kept, None if that can never be."""
        needs: Needs = []
        for child, parent, wanted in self._whole.conditions:
            if child != name:
                continue
            if parent not in self._needs:
                return None
            if parent in self.held:
                if self.held[parent] not in wanted:
                    return None
                needs += self._needs[parent]
            else:
                left = self._left_of(parent, wanted)
                if not left:
                    return None
                needs.append((parent, left))
        return list(dict.fromkeys(needs))

    def _settle(self, h: Hyperparameter, values: Mapping[str, Any]) -> None:
        if h.name not in values:
            self._kept[h.name] = h
        elif isinstance(values[h.name], SEVERAL):
            self._kept[h.name] = _restricted(h, values[h.name])
        else:
            self.held[h.name] = h.value(h.code(values[h.name]))

    def _left_of(self, name: str, wanted: tuple[Value, ...]) -> tuple[Value, ...]:
        h = self._kept[name]
        return wanted if h == self._whole[name] else tuple(v for v in wanted if v in values_of(h))

    def _left(self) -> Space:
        conditions = [Condition(name, *need) for name in self._kept for need in self._needs[name]]
        clauses = [clause for old in self._whole.forbidden for clause in self._clauses(old)]
        listed = None if self._whole.listed is None else [*self._listed()]
        try:
            return Space(self._kept.values(), conditions, forbidden=clauses, listed=listed)
        except InvalidSpace as error:
            raise InvalidOption(f"a subset must leave a configuration: {error}") from None

    def _listed(self) -> Iterator[Config]:
        for config in self._whole.configs():
            if all(name not in config or config[name] == value for name, value in self.held.items()):
                left = {name: value for name, value in config.items() if name in self._kept}
                if all(self._left_of(name, (value,)) for name, value in left.items()):
                    yield left

    def _clauses(self, clause: Clause) -> Iterator[Clause]:
        """What is left of a clause: nothing if it can never hold."""
        if isinstance(clause, Forbidden):
            terms: Needs | None = list(clause.terms)
        elif {clause.left, clause.right} <= self._kept.keys():
            yield clause
            return
        else:
            terms = self._relation_terms(clause)
        left = None if terms is None else self._terms(terms)
        if left is not None:
            if not left:
                raise InvalidOption(f"a subset must leave a configuration, and this one is forbidden: {clause}")
            yield Forbidden(left)

    def _terms(self, terms: Needs) -> dict[str, tuple[Value, ...]] | None:
        """Values of kept hyperparameters that make all terms hold, None if there are none."""
        left: dict[str, tuple[Value, ...]] = {}
        for name, wanted in terms:
            if name not in self._needs or (name in self.held and self.held[name] not in wanted):
                return None
            for other, values in self._needs[name] if name in self.held else [(name, self._left_of(name, wanted))]:
                left[other] = tuple(v for v in left[other] if v in values) if other in left else values
        return left if all(left.values()) else None

    def _relation_terms(self, clause: ForbiddenRelation) -> Needs | None:
        """A relation of which a side is held, as terms; None if it can never hold."""
        if not {clause.left, clause.right} <= self._needs.keys():
            return None
        sides: list[tuple[str, tuple[Value, ...]]] = []
        for name in (clause.left, clause.right):
            if name in self._kept and isinstance(self._kept[name], Float):
                raise InvalidOption(f"of the forbidden {clause} both must be held or none: {name!r} is a float")
            sides.append((name, (self.held[name],) if name in self.held else tuple(values_of(self._kept[name]))))
        compare, (left, right) = RELATIONS[clause.relation], sides
        lefts = tuple(a for a in left[1] if any(compare(a, b) for b in right[1]))
        rights = tuple(b for b in right[1] if any(compare(a, b) for a in left[1]))
        return [(left[0], lefts), (right[0], rights)] if lefts else None


def _restricted(h: Hyperparameter, values: Any) -> Hyperparameter:
    codes = sorted({h.code(value) for value in values})
    chosen = [h.value(code) for code in codes]
    if not isinstance(h, Categorical):
        return Ordinal(h.name, chosen)
    weights = None if h.weights is None else [h.weights[int(code)] for code in codes]
    return Categorical(h.name, chosen, weights=weights if weights and sum(weights) > 0 else None)
