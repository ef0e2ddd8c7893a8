"""What `tpe-univariate` proposes, from the densities of each hyperparameter.

In a box each hyperparameter is suggested for itself, parents before children, and only what is active: the tree of
Bergstra et al. (2011, section 4). A configuration that is forbidden is drawn again, now from l alone, whose single
draws differ more than the best of many; should a hundred be forbidden, from the prior.

Among listed configurations one hyperparameter at a time would seldom end at one of them. So there the densities of what
a configuration has are multiplied: candidates are drawn from the product of the l among the configurations that are
new, and the one with the highest product of l / g is proposed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from baselines.parts.sampling import decoder
from baselines.tpe.parts.univariate import LOWEST, Choices, GoodAndBad, Number
from hpo_core.errors import InvalidSpace
from hpo_core.space import Space
from hpo_core.space.drawing import TRIES
from hpo_core.space.hyperparameters import Choice
from hpo_models.densities.listed_draws import IndexDraws
from hpo_models.densities.parzen import Mixture, adaptive_mixture

FROM_L = 100  # draws from l before the prior is used, where configurations are forbidden

Suggestion = tuple[dict[str, Any], np.ndarray]  # configuration, row (width,) of the history
Draw = Callable[[np.random.Generator, GoodAndBad], Suggestion]


class Columns:
    """The densities of a space's hyperparameters and their columns in a row of the history.

    choices     all choices, ordinals first
    indices     their indices in the space
    numbers     index in the space and density of each number
    width       of a row
    """

    def __init__(self, space: Space):
        choices = [(j, h) for j, h in enumerate(space) if isinstance(h, Choice)]
        choices.sort(key=lambda choice: choice[1].kind != "ordinal")
        self.indices = [j for j, _ in choices]
        self.choices = Choices([h for _, h in choices], space.conditional)
        numbers = [(j, h) for j, h in enumerate(space) if not isinstance(h, Choice)]
        first = self.choices.width
        self.numbers = [(j, Number(h, column, space.conditional)) for column, (j, h) in enumerate(numbers, first)]
        self.width = first + len(numbers)

    def rows_of(self, space: Space, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows (n, width) of codes (n, d), and the columns of the values of their choices, -1 if switched off."""
        rows, unit = np.zeros((len(codes), self.width)), space.to_unit(codes)
        for j, number in self.numbers:
            rows[:, number.column] = unit[:, j]
        values = codes[:, self.indices]
        columns = np.where(np.isnan(values), -1.0, values + self.choices.starts).astype(int)
        for row, own in zip(rows, columns, strict=True):
            row[own[own >= 0]] = 1.0
        return rows, columns


class BoxSuggestions:
    """Suggestions of one hyperparameter after another; `width` is that of a row."""

    def __init__(self, space: Space):
        self._space, self._columns = space, Columns(space)
        self.width = self._columns.width
        self._hyperparameters, self._forbidden = space.hyperparameters, space.forbidden
        self._conditional, self._decode = space.conditional, decoder(space)
        self._codes: list[Any] = [0] * len(space)
        self._parents: list[list[tuple[int, set[float]]]] = [[] for _ in space]
        for child, parent, values in space.conditions:
            codes = {space[parent].code(value) for value in values}
            self._parents[space.names.index(child)].append((space.names.index(parent), codes))

    def suggest(self, rng: np.random.Generator, split: GoodAndBad) -> Suggestion:
        """Configuration to evaluate next, and its row."""
        draw = self._draw_active if self._conditional else self._draw_everything
        config, row = self._until_allowed(draw, rng, split) if self._forbidden else draw(rng, split)
        self._columns.choices.note(row)
        return config, row

    def enter(self, config: dict[str, Any]) -> np.ndarray:
        """Row (width,) of a configuration that comes from elsewhere, as if it had been suggested."""
        row = self._columns.rows_of(self._space, self._space.encode(config).astype(float))[0][0]
        self._columns.choices.note(row)
        return row

    def _until_allowed(self, draw: Draw, rng: np.random.Generator, split: GoodAndBad) -> Suggestion:
        config, row = draw(rng, split)
        for tried in range(TRIES):
            if not any(clause.forbids(config) for clause in self._forbidden):
                return config, row
            good = split.good if tried < FROM_L else []
            config, row = draw(rng, split._replace(good=good, n_candidates=1))
        raise InvalidSpace(f"forbidden clauses must leave something, {TRIES:,} random draws were all forbidden")

    def _draw_everything(self, rng: np.random.Generator, split: GoodAndBad) -> Suggestion:
        """Values of all hyperparameters, where none can be switched off."""
        choices, codes, row = self._columns.choices, self._codes, np.zeros(self.width)
        taken = choices.suggest(rng, split)
        row[taken] = 1.0
        for j, code in zip(self._columns.indices, (taken - choices.starts).tolist(), strict=True):
            codes[j] = code
        for j, number in self._columns.numbers:
            codes[j] = number.suggest(rng, split)
            row[number.column] = number.to_unit(codes[j])
        return self._decode(codes), row

    def _draw_active(self, rng: np.random.Generator, split: GoodAndBad) -> Suggestion:
        """Values of what is active; in the row a number that is not is NaN, and a choice that is not has no 1."""
        choices, numbers, row = self._columns.choices, dict(self._columns.numbers), np.zeros(self.width)
        taken = dict(zip(self._columns.indices, choices.suggest(rng, split), strict=True))
        starts = dict(zip(self._columns.indices, choices.starts, strict=True))
        codes: dict[int, float] = {}
        for j in range(len(self._hyperparameters)):
            active = all(codes.get(parent) in wanted for parent, wanted in self._parents[j])
            if j in numbers:
                if active:
                    codes[j] = numbers[j].suggest(rng, split)
                row[numbers[j].column] = numbers[j].to_unit(codes.get(j, np.nan))
            elif active:
                codes[j] = int(taken[j] - starts[j])
                row[taken[j]] = 1.0
        return {self._hyperparameters[j].name: self._hyperparameters[j].value(code) for j, code in codes.items()}, row


class ListedSuggestions:
    """Suggestions among the configurations of a list; `width` is that of a row."""

    def __init__(self, space: Space):
        self._space, self._columns = space, Columns(space)
        self.width = self._columns.width
        self._codes = np.asarray(space.listed, dtype=float)
        self._rows, self._places = self._columns.rows_of(space, self._codes)
        self._draws = IndexDraws(len(self._codes))
        self._prior = adaptive_mixture(np.empty(0), np.empty(0))
        self._good: list[int] = []
        believed = None if space.prior is None else np.maximum(space.prior.listed_probabilities, 1e-300)
        self._log_weights = np.zeros(len(self._codes)) if believed is None else np.log(believed)

    def suggest(self, rng: np.random.Generator, split: GoodAndBad) -> Suggestion:
        """Configuration to evaluate next, and its row; it is not suggested again while there are others."""
        if split.good != self._good:
            self._weigh(split)
        drawn = self._draws.draw(rng, split.n_candidates, self._log_weights)
        index = int(drawn[0] if split.n_candidates == 1 else drawn[np.argmax(self._log_ratios(split, drawn))])
        self._draws.note(index)
        self._columns.choices.note(self._rows[index])
        return self._space.numbering.config(index), self._rows[index]

    def enter(self, config: dict[str, Any]) -> np.ndarray:
        """Row (width,) of a configuration that comes from elsewhere, as if it had been suggested."""
        index = self._space.numbering.index(config)
        self._draws.note(index)
        self._columns.choices.note(self._rows[index])
        return self._rows[index]

    def _weigh(self, split: GoodAndBad) -> None:
        """Note the weights of the list, which seldom change: the product of l relative to that of the prior."""
        choices, everything = self._columns.choices, np.arange(len(self._codes))
        self._good, self._log_weights = split.good, self._of_choices(choices.good(split), choices.prior, everything)
        for j, number in self._columns.numbers:
            self._log_weights += self._of_number(j, number, number.good(split), self._prior, everything)

    def _log_ratios(self, split: GoodAndBad, indices: np.ndarray) -> np.ndarray:
        """(m,) logarithms of the product of l / g of configurations given by index."""
        choices = self._columns.choices
        found = self._of_choices(choices.good(split), choices.bad(split), indices)
        for j, number in self._columns.numbers:
            found += self._of_number(j, number, number.good(split), number.bad(split), indices)
        return found

    def _of_choices(self, first: np.ndarray, second: np.ndarray, indices: np.ndarray) -> np.ndarray:
        """Logarithms of the ratio of two products of probabilities (d, K); what is switched off has no factor."""
        ratios = np.log(np.maximum(first, LOWEST) / np.maximum(second, LOWEST))
        return np.append(ratios, 0.0)[self._places[indices]].sum(axis=1)

    def _of_number(self, j: int, number: Number, first: Mixture, second: Mixture, indices: np.ndarray) -> np.ndarray:
        codes = self._codes[indices, j]
        ratios, has = np.zeros(len(codes)), ~np.isnan(codes)
        ratios[has] = number.log_ratios(first, second, codes[has])
        return ratios
