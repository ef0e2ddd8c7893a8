"""Conversion between `Space` and `ConfigSpace.ConfigurationSpace`, both ways without loss.

What a `Space` cannot hold is refused rather than approximated: conditions other than "parent has one of these values"
and their conjunctions, and forbidden clauses that compare a float with a number or put a relation into a conjunction.
Normal and beta distributions are the prior of a `Space`, see `hpo_core.space.priors`. ConfigSpace has no list of
configurations: there, a space with a list has all that its hyperparameters allow, and the list is kept in `meta` for
the way back. It refuses defaults that are forbidden, so these become an allowed configuration there, and the original
ones are kept in `meta` too. ConfigSpace's own files leave out `meta`, and with it the list.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hpo_core.errors import HpoError, UnsupportedSpace
from hpo_core.space.clauses import Clause, Condition, Forbidden, ForbiddenRelation, settled_clauses
from hpo_core.space.hyperparameters import Categorical, Choice, Constant, Float, Hyperparameter, Int, Ordinal, Value
from hpo_core.space.priors.distributions import read_distribution, written_distribution
from hpo_core.space.priors.entries import Entry

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

    from hpo_core.space import Space

LISTED = "hpo-foundry-listed"  # meta entry for the codes of listed configurations
EXACT = "hpo-foundry"  # meta entry for what ConfigSpace alters: orders, digits of floats, defaults


class SpaceParts(NamedTuple):
    """What a `Space` is made of, in the order of its arguments."""

    hyperparameters: list[Hyperparameter]
    conditions: list[Condition]
    name: str | None
    forbidden: list[Clause]
    listed: np.ndarray | Iterable[Mapping[str, Value]] | None = None
    prior: Mapping[str, Entry] | None = None

    def and_also(
        self,
        conditions: Iterable[Condition],
        name: str | None,
        forbidden: Iterable[Clause],
        listed: np.ndarray | Iterable[Mapping[str, Value]] | None,
    ) -> SpaceParts:
        """Parts with more conditions and clauses, and with another name and list if these are given."""
        listed = self.listed if listed is None else listed
        more = [*self.conditions, *conditions], name or self.name, [*self.forbidden, *forbidden]
        return SpaceParts(self.hyperparameters, *more, listed, self.prior)

    def unordered(self) -> tuple[Any, ...]:
        """What two spaces have in common that differ in the order of their parts only."""
        conditions = {(child, parent, frozenset(values)) for child, parent, values in self.conditions}
        return {h.name: h for h in self.hyperparameters}, conditions, set(self.forbidden), dict(self.prior or {})


def from_configspace(space: ConfigurationSpace) -> SpaceParts:
    """SpaceParts of the space that a ConfigSpace stands for, parents before children."""
    meta = space.meta or {}
    parts = _restored(_read_parts(space), meta.get(EXACT))
    return parts if LISTED not in meta else parts._replace(listed=np.array(meta[LISTED], dtype=float))


def _read_parts(space: ConfigurationSpace) -> SpaceParts:
    hyperparameters = [_read(h) for h in space.values()]
    conditions = [part for condition in space.conditions for part in _read_condition(condition)]
    forbidden = [part for clause in space.forbidden_clauses for part in _read_clauses(clause)]
    own = settled_clauses({h.name: h for h in hyperparameters}, forbidden)
    pairs = zip(hyperparameters, space.values(), strict=True)
    prior = {h.name: entry for h, given in pairs if (entry := read_distribution(h, given)) is not None}
    return SpaceParts(hyperparameters, conditions, space.name, list(own), prior=prior or None)


def _restored(parts: SpaceParts, exact: Any) -> SpaceParts:
    """The parts that `to_configspace` received, if they are still the ones it wrote."""
    if exact is None:
        return parts
    from hpo_core.space.plain_data import space_from_json

    original = space_from_json(exact)
    if _read_parts(_written(original)).unordered() != parts.unordered():
        return parts
    prior = None if original.prior is None else original.prior.entries
    return SpaceParts(list(original), list(original.conditions), parts.name, list(original.forbidden), prior=prior)


def _read(h: Any) -> Hyperparameter:
    import ConfigSpace as cs

    if isinstance(h, (cs.UniformFloatHyperparameter, cs.NormalFloatHyperparameter, cs.BetaFloatHyperparameter)):
        return Float(h.name, float(h.lower), float(h.upper), log=h.log, default=float(h.default_value))
    if isinstance(h, (cs.UniformIntegerHyperparameter, cs.NormalIntegerHyperparameter, cs.BetaIntegerHyperparameter)):
        return Int(h.name, int(h.lower), int(h.upper), log=h.log, default=int(h.default_value))
    if isinstance(h, cs.OrdinalHyperparameter):
        return Ordinal(h.name, tuple(map(_plain, h.sequence)), default=_plain(h.default_value))
    if isinstance(h, cs.CategoricalHyperparameter):
        weights = None if h.weights is None else tuple(h.weights)
        return Categorical(h.name, tuple(map(_plain, h.choices)), default=_plain(h.default_value), weights=weights)
    if isinstance(h, cs.Constant):
        return Constant(h.name, _plain(h.value))
    raise UnsupportedSpace(
        f"hyperparameter {h.name!r} is a {type(h).__name__}; "
        "a Space holds floats and integers, ordinals, categoricals and constants"
    )


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _read_condition(condition: Any) -> Iterator[Condition]:
    import ConfigSpace as cs

    if isinstance(condition, cs.AndConjunction):
        for part in condition.components:
            yield from _read_condition(part)
    elif isinstance(condition, cs.EqualsCondition):
        yield Condition(condition.child.name, condition.parent.name, (_plain(condition.value),))
    elif isinstance(condition, cs.InCondition):
        yield Condition(condition.child.name, condition.parent.name, tuple(map(_plain, condition.values)))
    else:
        raise UnsupportedSpace(f"only conditions on equality can be held, got: {condition}")


def _read_clauses(clause: Any) -> Iterator[Clause]:
    import ConfigSpace as cs

    relations = {
        cs.ForbiddenLessThanRelation: "<",
        cs.ForbiddenGreaterThanRelation: ">",
        cs.ForbiddenEqualsRelation: "==",
    }
    if isinstance(clause, cs.ForbiddenOrConjunction):
        for part in clause.components:
            yield from _read_clauses(part)
    elif type(clause) in relations:
        yield ForbiddenRelation(clause.left.name, relations[type(clause)], clause.right.name)
    else:
        terms: dict[str, tuple[Any, ...]] = {}
        for name, values in _read_terms(clause):
            terms[name] = tuple(v for v in terms[name] if v in values) if name in terms else values
        if all(terms.values()):  # else a contradiction, which forbids nothing
            yield Forbidden(terms)


def _read_terms(clause: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Names and forbidden values of a clause, which all hold at once."""
    import ConfigSpace as cs

    if isinstance(clause, cs.ForbiddenAndConjunction):
        for part in clause.components:
            yield from _read_terms(part)
    elif isinstance(clause, cs.ForbiddenEqualsClause):
        yield clause.hyperparameter.name, (_plain(clause.value),)
    elif isinstance(clause, cs.ForbiddenInClause):
        yield clause.hyperparameter.name, tuple(map(_plain, clause.values))
    else:
        yield _read_comparison(clause)


def _read_comparison(clause: Any) -> tuple[str, tuple[Any, ...]]:
    import ConfigSpace as cs

    compare: Any = {
        cs.ForbiddenLessThanClause: operator.lt,
        cs.ForbiddenLessThanEqualsClause: operator.le,
        cs.ForbiddenGreaterThanClause: operator.gt,
        cs.ForbiddenGreaterThanEqualsClause: operator.ge,
    }.get(type(clause))
    h = None if compare is None else _read(clause.hyperparameter)
    if h is None or isinstance(h, Float):
        raise UnsupportedSpace(
            "only forbidden values, their conjunctions, and relations on their own can be held, and comparisons of "
            f"what is no float, got: {clause}"
        )
    bound = h.code(_plain(clause.value))
    return h.name, tuple(h.value(code) for code in range(int(h.size)) if compare(code, bound))


def _write_clause(clause: Clause, space: ConfigurationSpace) -> Any:
    import ConfigSpace as cs

    if isinstance(clause, ForbiddenRelation):
        kinds: dict[str, Any] = {
            "<": cs.ForbiddenLessThanRelation,
            ">": cs.ForbiddenGreaterThanRelation,
            "==": cs.ForbiddenEqualsRelation,
        }
        return kinds[clause.relation](space[clause.left], space[clause.right])
    parts = [
        cs.ForbiddenEqualsClause(space[name], values[0])
        if len(values) == 1
        else cs.ForbiddenInClause(space[name], list(values))
        for name, values in clause.terms
    ]
    return parts[0] if len(parts) == 1 else cs.ForbiddenAndConjunction(*parts)


def to_configspace(space: Space) -> ConfigurationSpace:
    """`ConfigSpace.ConfigurationSpace` with the same hyperparameters, defaults, weights, conditions and clauses."""
    from hpo_core.space import Space
    from hpo_core.space.plain_data import listed_to_json, space_to_json

    box = Space(space.hyperparameters, space.conditions, space.name, forbidden=space.forbidden).with_prior(
        None if space.prior is None else space.prior.entries
    )
    result = _written(box)
    meta: dict[str, Any] = {} if Space(result) == box else {EXACT: space_to_json(box)}
    if space.listed is not None:
        meta[LISTED] = listed_to_json(space.listed)
    result.meta = meta or None
    return result


def _written(space: Space) -> ConfigurationSpace:
    import ConfigSpace as cs

    result = cs.ConfigurationSpace(name=space.name)
    entries = {} if space.prior is None else space.prior.entries
    result.add([_write(h, entries.get(h.name)) for h in _with_allowed_defaults(space)])
    grouped: dict[str, list[Any]] = {}
    for child, parent, values in space.conditions:
        if len(values) == 1:
            condition: Any = cs.EqualsCondition(result[child], result[parent], values[0])
        else:
            condition = cs.InCondition(result[child], result[parent], list(values))
        grouped.setdefault(child, []).append(condition)
    result.add([parts[0] if len(parts) == 1 else cs.AndConjunction(*parts) for parts in grouped.values()])
    result.add([_write_clause(clause, result) for clause in space.forbidden])
    return result


def _with_allowed_defaults(space: Space) -> list[Hyperparameter]:
    defaults = space.complete({})
    if not any(clause.forbids(defaults) for clause in space.forbidden):
        return list(space)
    config = space.sample(np.random.default_rng(0))
    return [replace(h, default=config[h.name]) if h.name in config and h.size > 1 else h for h in space]


def _write(h: Hyperparameter, entry: Entry | None = None) -> Any:
    try:
        written = None if entry is None else written_distribution(h, entry)
        return _write_hyperparameter(h) if written is None else written
    except (ValueError, OverflowError) as error:
        if isinstance(error, HpoError):
            raise
        raise UnsupportedSpace(f"ConfigSpace does not take {h.name!r}, {h.rule:.60}: {error}") from None


def _write_hyperparameter(h: Hyperparameter) -> Any:
    import ConfigSpace as cs

    if isinstance(h, Float):
        return cs.UniformFloatHyperparameter(h.name, h.low, h.high, log=h.log, default_value=h.default)
    if isinstance(h, Int):
        if h.low == h.high:
            raise UnsupportedSpace(f"ConfigSpace has no integer of one value; make {h.name!r} a Constant")
        return cs.UniformIntegerHyperparameter(h.name, h.low, h.high, log=h.log, default_value=h.default)
    return _write_choice(h)


def _write_choice(h: Choice) -> Any:
    import ConfigSpace as cs

    default = {} if h.default is None else {"default_value": h.default}
    if isinstance(h, Ordinal):
        return cs.OrdinalHyperparameter(h.name, list(h.values), **default)
    if isinstance(h, Constant):
        return cs.Constant(h.name, h.values[0])
    return cs.CategoricalHyperparameter(h.name, list(h.values), weights=h.weights, **default)
