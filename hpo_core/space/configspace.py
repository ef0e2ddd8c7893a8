"""Conversion between `Space` and `ConfigSpace.ConfigurationSpace`, both ways without loss.

What a `Space` cannot hold (normal and beta distributions, forbidden clauses, conditions other than "parent has one of
these values" and their conjunctions) is refused rather than approximated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hpo_core.errors import UnsupportedSpace
from hpo_core.space.hyperparameters import Categorical, Choice, Constant, Float, Hyperparameter, Int, Ordinal

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

    from hpo_core.space import Condition, Space

EXACT = "hpo-foundry"  # meta entry for what ConfigSpace alters: the order of names, digits of floats


def from_configspace(space: ConfigurationSpace) -> tuple[list[Hyperparameter], list[Condition], str | None]:
    """Hyperparameters, conditions and name of a ConfigSpace, parents before children."""
    if space.forbidden_clauses:
        raise UnsupportedSpace(f"forbidden clauses cannot be held: {space.forbidden_clauses[0]}")
    conditions = [part for condition in space.conditions for part in _read_condition(condition)]
    return _restored([_read(h) for h in space.values()], (space.meta or {}).get(EXACT)), conditions, space.name


def _restored(hyperparameters: list[Hyperparameter], exact: Any) -> list[Hyperparameter]:
    """The hyperparameters that `to_configspace` received, if they are still the ones it wrote."""
    if exact is None:
        return hyperparameters
    from hpo_core.space.plain_data import space_from_json

    original = space_from_json(exact)
    written = {h.name: _read(_write(h)) for h in original}
    return list(original) if written == {h.name: h for h in hyperparameters} else hyperparameters


def _read(h: Any) -> Hyperparameter:
    import ConfigSpace as cs

    if isinstance(h, cs.UniformFloatHyperparameter):
        return Float(h.name, float(h.lower), float(h.upper), log=h.log, default=float(h.default_value))
    if isinstance(h, cs.UniformIntegerHyperparameter):
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
        "a Space holds uniform floats and integers, ordinals, categoricals and constants"
    )


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _read_condition(condition: Any) -> Iterator[Condition]:
    import ConfigSpace as cs

    from hpo_core.space import Condition

    if isinstance(condition, cs.AndConjunction):
        for part in condition.components:
            yield from _read_condition(part)
    elif isinstance(condition, cs.EqualsCondition):
        yield Condition(condition.child.name, condition.parent.name, (_plain(condition.value),))
    elif isinstance(condition, cs.InCondition):
        yield Condition(condition.child.name, condition.parent.name, tuple(map(_plain, condition.values)))
    else:
        raise UnsupportedSpace(f"only conditions on equality can be held, got: {condition}")


def to_configspace(space: Space) -> ConfigurationSpace:
    """`ConfigSpace.ConfigurationSpace` with the same hyperparameters, defaults, weights and conditions."""
    import ConfigSpace as cs

    from hpo_core.space import Space
    from hpo_core.space.plain_data import space_to_json

    result = cs.ConfigurationSpace(name=space.name)
    result.add([_write(h) for h in space])
    if [_read(h) for h in result.values()] != list(space):
        result.meta = {EXACT: space_to_json(Space(space.hyperparameters))}
    grouped: dict[str, list[Any]] = {}
    for child, parent, values in space.conditions:
        if len(values) == 1:
            condition: Any = cs.EqualsCondition(result[child], result[parent], values[0])
        else:
            condition = cs.InCondition(result[child], result[parent], list(values))
        grouped.setdefault(child, []).append(condition)
    result.add([parts[0] if len(parts) == 1 else cs.AndConjunction(*parts) for parts in grouped.values()])
    return result


def _write(h: Hyperparameter) -> Any:
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
