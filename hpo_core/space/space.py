"""`Space`: the hyperparameters of a benchmark, and the ways to write down a configuration.

    config      mapping of name to value                                {"batch_size": 8, "init_lr": 5e-4}
    codes       (n, d) numbers, one column per hyperparameter         [[0, 0]]     see `hpo_core.space.hyperparameters`
    unit        (n, d) numbers in [0, 1]                                [[.125, .083]]
    index       number in the enumeration of a finite space, 0..size-1        see `hpo_core.space.grid`

A hyperparameter that a condition switches off is absent from the configuration and NaN in codes and unit. What a clause
forbids is not in the space, and a space with a list has no other configurations than those: see
`hpo_core.space.clauses` and `hpo_core.space.listing`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidOption, nearest
from hpo_core.space.activity import active, allowed, complete, parents, switch_off, switches
from hpo_core.space.clauses import Clause, Condition, settled_clauses, settled_conditions
from hpo_core.space.codes import check_codes, check_membership, codes_in_box, each, in_box, listed_codes, to_unit
from hpo_core.space.drawing import draw, draw_many, require_allowed
from hpo_core.space.grid import Grid, count_configs, enumerate_configs, require_finite, require_grid
from hpo_core.space.hyperparameters import Float, Hyperparameter, Value, named, parts_of
from hpo_core.space.listing import ConfigList
from hpo_core.space.neighbourhood import neighbours
from hpo_core.space.suggestion import OptunaTrial, suggest

if TYPE_CHECKING:
    import pandas
    from ConfigSpace import ConfigurationSpace

    from hpo_core.space.priors.prior import UserPrior

Config = Mapping[str, Value]


class Space:
    """Ordered, immutable set of hyperparameters.

    Parameters
    ----------
    hyperparameters
        `Float`, `Int`, `Ordinal`, `Categorical`, `Constant`; or a `ConfigSpace.ConfigurationSpace`.
    conditions
        Several conditions on one child must all hold. A parent comes before its children.
    name
        Shown in files.
    forbidden
        `Forbidden` and `ForbiddenRelation` clauses; what one of them forbids is not in the space.
    listed
        (n, d) codes of the only configurations of the space, or the configurations.

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
        *,
        forbidden: Iterable[Clause] = (),
        listed: np.ndarray | Iterable[Config] | None = None,
    ):
        prior = None
        if hasattr(hyperparameters, "conditional_hyperparameters"):
            from hpo_core.space.configspace import from_configspace

            parts = from_configspace(cast("ConfigurationSpace", hyperparameters))
            prior = parts.prior
            hyperparameters, conditions, name, forbidden, listed, _ = parts.and_also(
                conditions, name, forbidden, listed
            )
        self.hyperparameters: tuple[Hyperparameter, ...] = parts_of(hyperparameters, "hyperparameters")
        self.name = name
        self._by_name = named(self.hyperparameters)
        self.names: tuple[str, ...] = tuple(self._by_name)
        self.conditions: tuple[Condition, ...] = settled_conditions(self._by_name, parts_of(conditions, "conditions"))
        self.forbidden: tuple[Clause, ...] = settled_clauses(self._by_name, parts_of(forbidden, "forbidden clauses"))
        self.switches = switches(self)  # conditions as codes, see `hpo_core.space.activity`
        self._parents = parents(self.conditions)
        self.listed: np.ndarray | None = None
        self._listing: ConfigList | None = None
        if listed is not None:
            self.listed = listed_codes(self, listed)
            self._listing = ConfigList(self, self.listed)
        elif self.forbidden:
            require_allowed(self)
        self.first: dict[str, Value] | None = None  # what optimizers propose before their random configurations
        self.prior: UserPrior | None = None
        if prior:
            self.prior = self.with_prior(prior).prior

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
        if self._key != other._key or self.listed is None or other.listed is None:
            return self._key == other._key
        return np.array_equal(self.listed, other.listed, equal_nan=True)

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Any, ...]:
        n_listed = None if self.listed is None else len(self.listed)
        return self.hyperparameters, self.conditions, self.forbidden, n_listed, self.prior

    def __repr__(self) -> str:
        counted = self.listed is not None or not self.forbidden  # counting what is not forbidden may take long
        held = f"{self.size} configurations" if counted else f"without {'; '.join(map(str, self.forbidden))}"
        return f"Space({', '.join(self.names)}; {held})"

    @cached_property
    def finite(self) -> bool:
        """Whether it has a finite number of configurations: no floats, or a list."""
        return self.listed is not None or not any(isinstance(h, Float) for h in self)

    @property
    def conditional(self) -> bool:
        """Whether it has conditions."""
        return bool(self.conditions)

    @cached_property
    def size(self) -> int | float:
        """Number of configurations, `math.inf` with a float among the hyperparameters and without a list."""
        if not self.finite:
            return math.inf
        return count_configs(self) if self.listed is None else len(self.listed)

    @cached_property
    def sizes(self) -> np.ndarray:
        """(d,) number of values of each hyperparameter, inf for floats."""
        return np.array([h.size for h in self], dtype=float)

    def check(self, config: Config) -> dict[str, Value]:
        """Copy of `config` in the space's own order and types; raises `InvalidConfig` if it is not in the space."""
        return self.config_of(self.codes_of(config))

    def codes_of(self, config: Config) -> list[float]:
        """Codes of one configuration; raises `InvalidConfig` if it is not in the space."""
        codes = codes_in_box(self, config)
        if self.forbidden or self.listed is not None:
            check_membership(self, codes)
        return codes

    def config_of(self, codes: Sequence[float]) -> dict[str, Value]:
        """Configuration of one row of codes, which are not checked."""
        pairs = zip(self.hyperparameters, codes, strict=True)
        if not self.conditions:
            return {h.name: h.value(c) for h, c in pairs}
        return {h.name: h.value(c) for h, c in pairs if c == c}  # NaN: switched off

    def is_active(self, name: str, config: Config) -> bool:
        """Whether the conditions on `name` hold; parents that are missing count as switched off."""
        return all(parent in config and config[parent] in values for parent, values in self._parents.get(name, ()))

    @overload
    def sample(self, rng: np.random.Generator) -> dict[str, Value]: ...
    @overload
    def sample(self, rng: np.random.Generator, n: int) -> list[dict[str, Value]]: ...
    def sample(self, rng: np.random.Generator, n: int | None = None) -> dict[str, Value] | list[dict[str, Value]]:
        """Random configuration, uniform or from the prior, or a list of `n`: the same that `n` calls for one give."""
        if not isinstance(rng, (np.random.Generator, np.random.RandomState)):
            raise InvalidOption(f"rng must be a numpy.random.Generator, got {rng!r:.60}; np.random.default_rng(seed)")
        return draw(self, rng) if n is None else draw_many(self, rng, n)

    def with_prior(self, prior: Mapping[str, Any] | UserPrior | None) -> Space:
        """The same space with a prior, from which its random configurations are drawn; None takes it away.

        Parameters
        ----------
        prior
            For some hyperparameters, by name: `(centre, "normal", std)`, with the standard deviation as a share of the
            range (of the log range on a logarithmic scale); `("beta", a, b)`; or `{value: weight}`, where the values
            without a weight share the rest. See `docs/priors.md`.

        Examples
        --------
        >>> import numpy as np
        >>> from hpo_core import Categorical, Float, Space
        >>> space = Space([Float("lr", 1e-5, 1.0, log=True), Categorical("activation", ["relu", "tanh", "elu"])])
        >>> believed = space.with_prior({"lr": (1e-3, "normal", 0.2), "activation": {"relu": 0.8}})
        >>> believed.prior.mode
        {'lr': 0.001, 'activation': 'relu'}
        >>> drawn = believed.sample(np.random.default_rng(0), 1000)
        >>> round(sum(config["activation"] == "relu" for config in drawn) / 1000, 1)
        0.8
        """
        from hpo_core.space.priors.prior import settled_prior

        changed = copy.copy(self)
        changed.prior = None if prior is None else settled_prior(changed, prior)
        return changed

    def starting_with(self, config: Config | None) -> Space:
        """The same space, on which optimizers propose a configuration before their random ones; None for none."""
        changed = copy.copy(self)
        changed.first = None if config is None else self.check(config)
        return changed

    def encode(self, configs: Config | Iterable[Config] | pandas.DataFrame) -> np.ndarray:
        """(n, d) codes of configurations, integers where every hyperparameter is discrete."""
        rows = [self.codes_of(config) for config in each(self, configs)]
        return np.array(rows, dtype=self.code_type).reshape(len(rows), len(self))

    @cached_property
    def code_type(self) -> type:
        """Number type of the codes."""
        return np.float64 if self.conditional or any(isinstance(h, Float) for h in self) else np.int64

    def decode(self, codes: np.ndarray) -> list[dict[str, Value]]:
        """Configurations that (n, d) codes stand for."""
        return [self.config_of(row) for row in self.check_codes(codes).tolist()]

    def check_codes(self, codes: np.ndarray) -> np.ndarray:
        """(n, d) codes as this space's number type; raises `InvalidConfig` for the first that is not in the space."""
        return check_codes(self, codes)

    def to_unit(self, codes: np.ndarray) -> np.ndarray:
        """(n, d) points of the unit cube that (n, d) codes stand for."""
        return to_unit(self, codes)

    def from_unit(self, unit: np.ndarray) -> np.ndarray:
        """(n, d) codes of the configurations whose cells hold the given points of the unit cube.

        In a space with a list they are the nearest ones of the list. What conditions switch off is NaN, and a number
        given for it is not looked at. They may be forbidden: `allowed` tells.
        """
        codes = switch_off(self, in_box(self, unit))
        if self._listing is None:
            return codes
        return self._listing.codes(self._listing.nearest(np.where(np.isnan(codes), np.nan, unit)))

    def active(self, codes: np.ndarray) -> np.ndarray:
        """(n, d) whether the conditions leave each hyperparameter active, by (n, d) codes."""
        return active(self, np.asarray(codes))

    def allowed(self, codes: np.ndarray) -> np.ndarray:
        """(n,) whether no clause forbids the configurations of (n, d) codes."""
        return allowed(self, np.asarray(codes))

    def nearest(self, config: Config) -> dict[str, Value]:
        """Configuration of the list that is nearest to one; in a space without a list the configuration itself."""
        if self._listing is None:
            return self.check(config)
        return self._listing.config(self._listing.nearest_to_codes(codes_in_box(self, config)))

    def configs(self) -> Iterator[dict[str, Value]]:
        """Every configuration of a finite space, in the order of their indices."""
        require_finite(self, "enumerate its configurations")
        return enumerate_configs(self)

    @cached_property
    def grid(self) -> Grid:
        """Numbering of the configurations of a finite space that has all combinations of its values."""
        require_grid(self)
        return Grid(self)

    @property
    def numbering(self) -> Grid | ConfigList:
        """Numbering of the configurations, of the list if there is one, else of the grid."""
        return self.grid if self._listing is None else self._listing

    def neighbours(self, config: Config, rng: np.random.Generator | None = None) -> list[dict[str, Value]]:
        """Configurations one step away from `config`, see `hpo_core.space.neighbourhood`."""
        return neighbours(self, config, rng)

    def complete(self, config: Config) -> dict[str, Value]:
        """`config` without what the conditions switch off, and with defaults for what they switch on."""
        return complete(self, config)

    def suggest(self, trial: OptunaTrial) -> dict[str, Value]:
        """Configuration that an optuna trial suggests, see `hpo_core.space.suggestion`."""
        return suggest(self, trial)

    def to_configspace(self) -> ConfigurationSpace:
        """The same space as a `ConfigSpace.ConfigurationSpace`; `Space(that)` gives this one back."""
        from hpo_core.space.configspace import to_configspace

        return to_configspace(self)
