"""`UserPrior`: entries for some hyperparameters of a space, and the distribution of configurations that they make.

Hyperparameters are independent of each other, and one without an entry is drawn as in a space without a prior. What a
condition switches off counts for nothing; what a clause forbids is drawn again. On a list each configuration has a
probability in proportion to its density.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import InvalidPrior, nearest
from hpo_core.space.activity import active, allowed, complete
from hpo_core.space.drawing import TRIES, codes_at
from hpo_core.space.hyperparameters import Choice, Hyperparameter, Value
from hpo_core.space.priors.densities import ColumnDensity, WeightedValues, density_of
from hpo_core.space.priors.entries import Entry, Normal, Weights, settled_entry

if TYPE_CHECKING:
    from hpo_core.space import Config, Space

STD, ODDS = 0.25, 4.0  # of a prior around a configuration: medium confidence in Mallik et al. (2023)


class UserPrior:
    """A prior on a space; equal entries make equal priors.

    Parameters
    ----------
    space
        Its space. What the prior says of it is not checked, see `settled_prior`.
    entries
        By name, of some of the hyperparameters.
    """

    def __init__(self, space: Space, entries: Mapping[str, Entry]):
        self.entries = {name: entries[name] for name in space.names if name in entries}
        self._space = space
        self._columns: list[tuple[int, ColumnDensity]] = [
            (j, density_of(h, self.entries[h.name])) for j, h in enumerate(space) if h.name in self.entries
        ]
        own = [(j, h) for j, h in enumerate(space) if isinstance(h, Choice) and h.weights is not None]
        self._own_weights: list[tuple[int, ColumnDensity]] = [
            (j, WeightedValues(h, np.array(h.weights))) for j, h in own if h.name not in self.entries
        ]

    def __eq__(self, other: object) -> bool:
        return self.entries == other.entries if isinstance(other, UserPrior) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.entries.items()))

    def __repr__(self) -> str:
        return f"UserPrior({', '.join(f'{name}: {entry}' for name, entry in self.entries.items())})"

    def quantiles(self, unit: np.ndarray) -> np.ndarray:
        """(n, d) points of the unit cube that (n, d) uniform random numbers stand for, before conditions."""
        points = np.array(unit, dtype=float)
        for j, density in (*self._columns, *self._own_weights):
            points[:, j] = density.quantile(points[:, j])
        return points

    def log_density(self, codes: np.ndarray) -> np.ndarray:
        """(n,) logarithms of the densities of configurations, by (n, d) codes, relative to a uniform draw.

        0 everywhere for a prior that says nothing. A hyperparameter that is switched off adds 0.
        """
        codes = np.asarray(codes, dtype=float)
        present = active(self._space, codes)
        total = np.zeros(len(codes))
        for j, density in (*self._columns, *self._own_weights):
            on = present[:, j]
            total[on] += density.log_density(codes[on, j])
        return total

    @cached_property
    def listed_probabilities(self) -> np.ndarray:
        """(n,) probabilities of the configurations of a space with a list."""
        logs = self.log_density(self._space.listed)  # type: ignore[arg-type]
        masses = np.exp(logs - np.max(logs)) if np.isfinite(logs).any() else np.zeros(len(logs))
        return masses / max(masses.sum(), 1e-300)

    def listed_at(self, u: np.ndarray) -> np.ndarray:
        """(n,) indices in the list that (n,) uniform random numbers stand for."""
        found = np.searchsorted(np.cumsum(self.listed_probabilities), u, side="right")
        return np.minimum(found, np.flatnonzero(self.listed_probabilities)[-1])

    @cached_property
    def mode(self) -> dict[str, Value]:
        """The configuration of the highest density; what has no entry is at its default.

        Where it is forbidden, the allowed one of 10,000 draws whose density is highest; of a list the first of these.
        """
        space = self._space
        if space.listed is not None:
            return space.config_of(space.listed[int(np.argmax(self.log_density(space.listed)))].tolist())
        top = complete(space, {space.names[j]: density.mode for j, density in self._columns})
        if not any(clause.forbids(top) for clause in space.forbidden):
            return top
        codes = _allowed_draws(space, self)
        return space.config_of(codes[int(np.argmax(self.log_density(codes)))].tolist())


def settled_prior(space: Space, given: Any) -> UserPrior:
    """The prior that a user wrote for a space; raises `InvalidPrior`."""
    if isinstance(given, UserPrior):
        given = given.entries
    if not isinstance(given, Mapping):
        raise InvalidPrior(f"a prior is a mapping of names to what is believed about each, got {given!r:.80}")
    if not given:
        raise InvalidPrior("a prior must say something about a hyperparameter, got none; None takes a prior away")
    for name in given:
        if name not in space.names:
            raise InvalidPrior(f"no hyperparameter {name!r} for a prior in this space{nearest(name, space.names)}")
    prior = UserPrior(space, {name: settled_entry(space[name], entry) for name, entry in given.items()})
    _check_activity(space, prior)
    if space.listed is not None and not prior.listed_probabilities.any():
        raise InvalidPrior("a prior must leave some mass to the listed configurations, got none; spread its weights")
    if space.forbidden and space.listed is None and not len(_allowed_draws(space, prior)):
        clauses = "; ".join(map(str, space.forbidden))
        raise InvalidPrior(
            f"a prior must leave some mass to what is allowed, {TRIES:,} draws were all forbidden: {clauses}; spread "
            "its weights, or widen it"
        )
    return prior


def _allowed_draws(space: Space, prior: UserPrior) -> np.ndarray:
    """(n, d) codes of those of 10,000 draws that no clause forbids."""
    codes = codes_at(space, np.random.default_rng(0).random((TRIES, len(space))), prior)
    return codes[allowed(space, codes)]


def _check_activity(space: Space, prior: UserPrior) -> None:
    """Raise for an entry of a hyperparameter that the prior never switches on."""
    reachable: dict[str, bool] = {}
    for h, needed in zip(space, space.switches, strict=True):
        reachable[h.name] = all(
            reachable[space.names[j]] and any(_has_mass(space.hyperparameters[j], prior, code) for code in wanted)
            for j, wanted in needed
        )
        if h.name in prior.entries and not reachable[h.name]:
            parents = ", ".join(space.names[j] for j, _ in needed)
            raise InvalidPrior(
                f"the prior says something of {h.name!r} and leaves no mass to what switches it on: {parents}; spread "
                f"the weights there, or leave {h.name!r} out"
            )


def _has_mass(h: Hyperparameter, prior: UserPrior, code: float) -> bool:
    entry = prior.entries.get(h.name)
    if not isinstance(entry, Weights):
        return True
    return bool(np.isfinite(density_of(h, entry).log_density(np.array([code]))[0]))


def around(space: Space, config: Config, std: float = STD, odds: float = ODDS) -> dict[str, Entry]:
    """Entries of a prior that is centred on a configuration.

    Parameters
    ----------
    space
        Where the configuration lies.
    config
        The centre; what is switched off in it gets no entry.
    std
        Standard deviation of floats, ints and ordinals, as a share of their range.
    odds
        How many times as likely as any other value of a categorical the configuration's is.

    Returns
    -------
    dict
        For `Space.with_prior`.

    Examples
    --------
    >>> from hpo_core import Categorical, Float, Space
    >>> from hpo_core.space.priors.prior import around
    >>> space = Space([Float("lr", 1e-4, 1e-1, log=True), Categorical("activation", ["relu", "tanh"])])
    >>> around(space, {"lr": 0.001, "activation": "tanh"})
    {'lr': Normal(centre=0.001, std=0.25), 'activation': Weights(masses=(('tanh', 0.8),))}
    """
    entries: dict[str, Entry] = {}
    for h in space:
        if h.name not in config or h.size == 1:
            continue
        value = config[h.name]
        by_value = isinstance(h, Choice) and h.kind != "ordinal"
        entries[h.name] = Weights(((value, odds / (odds + h.size - 1)),)) if by_value else Normal(value, std)
    return entries


def default_of(space: Space) -> dict[str, Value]:
    """The configuration to start with: the mode of the prior, or without one that of the defaults, if it is allowed."""
    if space.prior is not None:
        return space.prior.mode
    defaults = space.nearest(complete(space, {})) if space.listed is not None else complete(space, {})
    for clause in space.forbidden:
        if clause.forbids(defaults):
            raise InvalidPrior(
                f"the first proposal must be allowed, and the defaults of this space are not: {clause}; state a prior "
                "(space.with_prior), or other defaults"
            )
    return defaults
