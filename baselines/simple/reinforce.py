"""REINFORCE (Williams, 1992) on one categorical distribution per hyperparameter [reinforce].

    theta_jk     logit of value k of hyperparameter j, all 0 at first; p_j = softmax(theta_j)
    r            reward, minus the loss
    b            baseline: exponential moving average of the rewards, this one included, corrected for its start at 0
    theta_jk += lr * (r - b) * (1[k = x_j] - p_jk)

The reward is minus the loss itself, as in Klein (2020, section 7.4 and app. D.3), so the size of a step depends on the
unit of the loss: where losses are around 1e-4, as on `naval`, the distributions hardly move within hundreds of trials.
A trial that failed gets the lowest reward seen so far, and is left out before the first reward.

Every hyperparameter has its distribution and is drawn, but what the conditions of a space switch off is left out, and
a reward changes the distributions of those that were active only. What is forbidden is drawn again, up to 100 times,
and then replaced by a random configuration that is allowed; the gradient is that of the distribution before such a
rejection. In a space with a list the nearest configuration of the list is evaluated, and its reward is the draw's.

The gradient is taken at the current distributions, although a pending proposal was drawn from earlier ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.parts.requirements import number
from baselines.parts.sampling import decoder, first_allowed, random_codes
from hpo_core.errors import UnsupportedSpace
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_core.space.activity import switch_off

Drawn = tuple[np.ndarray, np.ndarray]  # (k,) columns of the active hyperparameters and (k,) their codes
MOST_VALUES = 10_000  # of one hyperparameter; a distribution over more would hardly be visited


class Reinforce:
    """Policy gradient at the full budget, on spaces without floats.

    `probabilities` (d, n) are the current distributions, one row for each hyperparameter.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    lr
        Learning rate.
    momentum
        Of the baseline's moving average.
    """

    name = "reinforce"

    def __init__(
        self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, lr: float = 0.1, momentum: float = 0.9
    ):
        _check_discrete(space)
        self._lr = number("lr", lr, 0.0, math.inf)
        self._momentum = number("momentum", momentum, 0.0, 1.0)
        self._rng = np.random.default_rng(seed)
        self._space = space
        self._plain = not space.conditions and not space.forbidden and space.listed is None
        self._random = random_codes(space, *self._rng.spawn(1))
        self._decode = decoder(space)
        self._logits = np.full((len(space), int(space.sizes.max())), -np.inf)  # -inf where there is no value
        for row, h in zip(self._logits, space, strict=True):
            row[: int(h.size)] = 0.0
        self._sizes = space.sizes.astype(np.int64)
        self._rows = np.arange(len(space))
        self.probabilities = softmax(self._logits)
        self._pending: Pending[Drawn] = Pending()
        self._average, self._weight = 0.0, 0.0
        self._lowest_reward = math.inf

    def ask(self) -> Proposal:
        drawn = self._drawn() if self._plain else first_allowed(self._space, self._shaped, self._redrawn)
        return self._pending.add(Proposal(drawn[0]), drawn[1])

    def _drawn(self) -> tuple[dict[str, Any], Drawn]:
        below = self.probabilities.cumsum(axis=1) <= self._rng.random((len(self._rows), 1))
        codes = np.minimum(below.sum(axis=1), self._sizes - 1)
        return self._decode(codes.tolist()), (self._rows, codes)

    def _shaped(self) -> tuple[dict[str, Any], Drawn]:
        """A draw from a space with conditions, clauses or a list."""
        codes = switch_off(self._space, self._drawn()[1][1][None])
        listed = codes if self._space.listed is None else self._space.from_unit(self._space.to_unit(codes))
        return self._decode(listed[0].tolist()), _active(codes[0])

    def _redrawn(self) -> tuple[dict[str, Any], Drawn]:
        codes = next(self._random)
        return self._decode(codes), _active(np.array(codes))

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        rows, codes = self._pending.take(proposal, loss)
        reward = -loss if loss < math.inf else self._lowest_reward
        if reward == math.inf:
            return
        self._lowest_reward = min(self._lowest_reward, reward)
        self._average = self._momentum * self._average + (1 - self._momentum) * reward
        self._weight = self._momentum * self._weight + (1 - self._momentum)
        step = self._lr * (reward - (self._average / self._weight if self._weight else 0.0))
        if len(rows) == len(self._rows):
            self._logits -= step * self.probabilities
        else:
            self._logits[rows] -= step * self.probabilities[rows]
        self._logits[rows, codes] += step
        self.probabilities = softmax(self._logits)


def softmax(logits: np.ndarray) -> np.ndarray:
    """(d, n) probabilities, each row's sum 1; a logit of -inf has probability 0."""
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def _active(codes: np.ndarray) -> Drawn:
    rows = np.flatnonzero(~np.isnan(codes))
    return rows, codes[rows].astype(np.int64)


def _check_discrete(space: Space) -> None:
    refused = [h.name for h in space if h.size > MOST_VALUES]
    if refused:
        raise UnsupportedSpace(
            f"'reinforce' keeps a probability for every value of a hyperparameter and takes at most {MOST_VALUES:,} of "
            f"them; these have more, or are floats: {', '.join(refused)}. Replace them by an Ordinal of some values"
        )
