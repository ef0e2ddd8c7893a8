"""`Space`: the hyperparameters of a benchmark, and the ways to write down a configuration.

    config      mapping of name to value                                {"batch_size": 8, "init_lr": 5e-4}
    codes       (n, d) numbers, one column per hyperparameter         [[0, 0]]     see `hpo_core.space.hyperparameters`
    unit        (n, d) numbers in [0, 1]                                [[.125, .083]]
    index       number in the enumeration of a finite space, 0..size-1        see `hpo_core.space.grid`

A hyperparameter that a condition switches off is absent from the configuration and NaN in codes and unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast, overload

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidSpace, UnsupportedSpace, nearest
from hpo_core.space.codes import check_codes
from hpo_core.space.grid import Grid, enumerate_configs
from hpo_core.space.hyperparameters import Float, Hyperparameter, Value
from hpo_core.space.neighbourhood import neighbours
from hpo_core.space.suggestion import OptunaTrial, suggest

if TYPE_CHECKING:
    import pandas
    from ConfigSpace import ConfigurationSpace

Config = Mapping[str, Value]


class Condition(NamedTuple):
    """`child` is active only while `parent` is active and has one of `values`."""

    child: str
    parent: str
    values: tuple[Value, ...]


class Space:
    """Ordered, immutable set of hyperparameters.

    Parameters
    ----------
    hyperparameters
        `Float`, `Int`, `Ordinal`, `Categorical`, `Constant`; or a `ConfigSpace.ConfigurationSpace`.
    conditions
        Several conditions on one child must all hold. A parent comes before its children.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_core import Float, Ordinal, Space
    >>> space = Space([Ordinal("batch_size", [8, 16, 32]), Float("lr", 1e-4, 1e-1, log=True)])
    >>> space.check({"lr": 0.01, "batch_size": np.int64(8)})
    {'batch_size': 8, 'lr': 0.01}
    >>> space.encode([{"batch_size": 32, "lr": 0.01}])
    array([[2.  , 0.01]])
    """

    def __init__(
        self,
        hyperparameters: Iterable[Hyperparameter] | ConfigurationSpace,
        conditions: Iterable[Condition] = (),
        name: str | None = None,
    ):
        if hasattr(hyperparameters, "conditional_hyperparameters"):
            from hpo_core.space.configspace import from_configspace

            hyperparameters, conditions, name = from_configspace(cast("ConfigurationSpace", hyperparameters))
        self.hyperparameters: tuple[Hyperparameter, ...] = tuple(hyperparameters)
        self.conditions: tuple[Condition, ...] = tuple(Condition(*c) for c in conditions)
        self.name = name
        self._by_name = _named(self.hyperparameters)
        self.names: tuple[str, ...] = tuple(self._by_name)
        _check_conditions(self._by_name, self.conditions)

    def __len__(self) -> int:
        return len(self.hyperparameters)

    def __iter__(self) -> Iterator[Hyperparameter]:
        return iter(self.hyperparameters)

    def __getitem__(self, name: str) -> Hyperparameter:
        try:
            return self._by_name[name]
        except KeyError:
            raise InvalidConfig(f"no hyperparameter {name!r} in this space{nearest(name, self.names)}") from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space):
            return NotImplemented
        return self.hyperparameters == other.hyperparameters and self.conditions == other.conditions

    def __hash__(self) -> int:
        return hash((self.hyperparameters, self.conditions))

    def __repr__(self) -> str:
        return f"Space({', '.join(self.names)}; {self.size} configurations)"

    @cached_property
    def finite(self) -> bool:
        """Whether it has no floats."""
        return not any(isinstance(h, Float) for h in self)

    @property
    def conditional(self) -> bool:
        """Whether it has conditions."""
        return bool(self.conditions)

    @cached_property
    def size(self) -> int | float:
        """Number of configurations, `math.inf` with a float among the hyperparameters."""
        if not self.finite:
            return math.inf
        if self.conditional:
            return sum(1 for _ in self.configs())
        return math.prod(int(h.size) for h in self)

    @cached_property
    def sizes(self) -> np.ndarray:
        """(d,) number of values of each hyperparameter, inf for floats."""
        return np.array([h.size for h in self], dtype=float)

    def check(self, config: Config) -> dict[str, Value]:
        """Copy of `config` in the space's own order and types; raises `InvalidConfig` if it is not in the space."""
        return self._decode_row(self.codes_of(config))

    def codes_of(self, config: Config) -> list[float]:
        """Codes of one configuration; raises `InvalidConfig` if it is not in the space."""
        if not isinstance(config, Mapping):
            raise InvalidConfig(f"a configuration is a mapping of names to values, got {type(config).__name__}")
        codes: list[float] = []
        for h in self.hyperparameters:
            if self.conditions and not self.is_active(h.name, config):
                if h.name in config:
                    raise InvalidConfig(f"hyperparameter {h.name!r} is switched off here and must be left out")
                codes.append(math.nan)
                continue
            try:
                value = config[h.name]
            except KeyError:
                raise InvalidConfig(f"hyperparameter {h.name!r} is missing; it must be {h.rule}") from None
            codes.append(h.code(value))
        for name in config:
            if name not in self._by_name:
                raise InvalidConfig(f"no hyperparameter {name!r} in this space{nearest(name, self.names)}")
        return codes

    def _decode_row(self, codes: Sequence[float]) -> dict[str, Value]:
        if not self.conditions:
            return {h.name: h.value(c) for h, c in zip(self.hyperparameters, codes, strict=True)}
        pairs = zip(self.hyperparameters, codes, strict=True)
        return {h.name: h.value(c) for h, c in pairs if c == c}  # NaN: switched off

    def is_active(self, name: str, config: Config) -> bool:
        """Whether the conditions on `name` hold; parents that are missing count as switched off."""
        missing = object()
        for child, parent, values in self.conditions:
            if child == name:
                value = config.get(parent, missing)
                if value is missing or not any(value == v for v in values):
                    return False
        return True

    @overload
    def sample(self, rng: np.random.Generator) -> dict[str, Value]: ...
    @overload
    def sample(self, rng: np.random.Generator, n: int) -> list[dict[str, Value]]: ...
    def sample(self, rng: np.random.Generator, n: int | None = None) -> dict[str, Value] | list[dict[str, Value]]:
        """Uniform random configuration, or a list of `n`: the same that `n` calls for one would give."""
        if n is None:
            return self._draw(rng.random(len(self.hyperparameters)).tolist())
        return [self._draw(u) for u in rng.random((n, len(self.hyperparameters))).tolist()]

    def _draw(self, unit: list[float]) -> dict[str, Value]:
        config = {h.name: h.draw(u) for h, u in zip(self.hyperparameters, unit, strict=True)}
        return self.complete(config) if self.conditions else config

    def encode(self, configs: Config | Iterable[Config] | pandas.DataFrame) -> np.ndarray:
        """(n, d) codes of configurations, integers where every hyperparameter is discrete."""
        rows = [self.codes_of(config) for config in _each(configs)]
        return np.array(rows, dtype=self.code_type).reshape(len(rows), len(self))

    @cached_property
    def code_type(self) -> type:
        """Number type of the codes."""
        return np.int64 if self.finite and not self.conditional else np.float64

    def decode(self, codes: np.ndarray) -> list[dict[str, Value]]:
        """Configurations that (n, d) codes stand for."""
        return [self._decode_row(row) for row in self.check_codes(codes).tolist()]

    def check_codes(self, codes: np.ndarray) -> np.ndarray:
        """(n, d) codes as this space's number type; raises `InvalidConfig` for the first that is out of range."""
        return check_codes(self, codes)

    def to_unit(self, codes: np.ndarray) -> np.ndarray:
        """(n, d) points of the unit cube that (n, d) codes stand for."""
        columns = [h.to_unit(np.asarray(c, dtype=float)) for h, c in zip(self, np.asarray(codes).T, strict=True)]
        return np.stack(columns, axis=1)

    def from_unit(self, unit: np.ndarray) -> np.ndarray:
        """(n, d) codes of the configurations whose cells hold the given points of the unit cube."""
        unit = np.clip(np.asarray(unit, dtype=float), 0.0, 1.0)
        columns = [h.from_unit(u) for h, u in zip(self, unit.T, strict=True)]
        return np.stack(columns, axis=1).astype(self.code_type)

    def configs(self) -> Iterator[dict[str, Value]]:
        """Every configuration of a finite space, in the order of their indices."""
        _require_finite(self, "enumerate its configurations")
        return enumerate_configs(self)

    @cached_property
    def grid(self) -> Grid:
        """Numbering of a finite space's configurations."""
        _require_finite(self, "number its configurations")
        if self.conditional:
            raise UnsupportedSpace("a space with conditions has no index; use configs() to enumerate it")
        return Grid(self)

    def neighbours(self, config: Config, rng: np.random.Generator | None = None) -> list[dict[str, Value]]:
        """Configurations one step away from `config`, see `hpo_core.space.neighbourhood`."""
        return neighbours(self, config, rng)

    def complete(self, config: Config) -> dict[str, Value]:
        """`config` without what the conditions switch off, and with defaults for what they switch on."""
        kept: dict[str, Value] = {}
        for h in self.hyperparameters:
            if self.is_active(h.name, kept):
                kept[h.name] = config.get(h.name, h.default)
        return kept

    def suggest(self, trial: OptunaTrial) -> dict[str, Value]:
        """Configuration that an optuna trial suggests, see `hpo_core.space.suggestion`."""
        return suggest(self, trial)

    def to_configspace(self) -> ConfigurationSpace:
        """The same space as a `ConfigSpace.ConfigurationSpace`; `Space(that)` gives this one back."""
        from hpo_core.space.configspace import to_configspace

        return to_configspace(self)


def _named(hyperparameters: tuple[Hyperparameter, ...]) -> dict[str, Hyperparameter]:
    for h in hyperparameters:
        if not isinstance(h, Hyperparameter):
            raise InvalidSpace(f"a space is made of Float, Int, Ordinal, Categorical and Constant, got {h!r}")
        if not isinstance(h.name, str) or not h.name:
            raise InvalidSpace(f"a hyperparameter's name must be a non-empty string, got {h.name!r}")
    by_name = {h.name: h for h in hyperparameters}
    if len(by_name) != len(hyperparameters) or not by_name:
        raise InvalidSpace("a space needs at least one hyperparameter, and each name once")
    return by_name


def _check_conditions(by_name: Mapping[str, Hyperparameter], conditions: tuple[Condition, ...]) -> None:
    index = {name: i for i, name in enumerate(by_name)}
    for child, parent, values in conditions:
        if child not in index or parent not in index or index[parent] >= index[child]:
            raise InvalidSpace(f"condition on {child!r}: its parent {parent!r} must come before it in the space")
        for value in values:
            by_name[parent].code(value)


def _each(configs: Config | Iterable[Config] | pandas.DataFrame) -> Iterable[Config]:
    """Configurations one by one, from one of them, many, or a table with a row each."""
    if isinstance(configs, Mapping):
        return [configs]
    if hasattr(configs, "to_dict") and hasattr(configs, "columns"):
        frame = cast("pandas.DataFrame", configs)
        columns = {name: frame[name].tolist() for name in frame.columns}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if not isinstance(configs, Iterable):
        raise InvalidConfig(f"configurations are mappings, a list of them or a DataFrame, got {configs!r}")
    return configs


def _require_finite(space: Space, action: str) -> None:
    if not space.finite:
        floats = ", ".join(h.name for h in space if isinstance(h, Float))
        raise UnsupportedSpace(f"only a finite space can {action}; these are floats: {floats}")
