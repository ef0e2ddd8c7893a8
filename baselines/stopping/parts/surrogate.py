"""The Gaussian process behind a criterion, and the configurations that it is asked about.

    n      number of observations that it is fitted to: the best `share` of all, at least `at_least`
    x      (n, width) their features, inputs in [0, 1] and categories one-hot
    y      (n,) their losses, standardised; `std` is their standard deviation

The process is fitted to the better half of the observations only, which gives closer bounds (Makarova et al., 2022,
section 4). Its hyperparameters are searched for from one fixed start, at each check or on a schedule, see
`baselines.stopping.parts.fits`. A start from those of the last check would be faster, but the prior's pole at a noise
of 0 keeps it in whichever mode that one was in: the bound would depend on the way there, and stray from the recorded
ones (on random forests by a median absolute log ratio of .18 instead of .02).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np

from baselines.stopping.parts.usable_trials import UsableTrials, UsableTrialsReader
from hpo_core.errors import InvalidOption
from hpo_core.single_thread import single_threaded
from hpo_models.gp.regression import GP, standardise

Candidates = Literal["random", "all", "refined"]
Fit = Literal["map", "ml", "slice"]
Scorer = Callable[[np.ndarray], np.ndarray]
LARGEST = 500_000  # configurations of a finite space up to which all of them are looked at
N_RANDOM = 2000
ROUNDS, N_BEST, N_AROUND = 6, 5, 40  # of refinement: rounds, configurations to look around, configurations around each
FIRST_RADIUS = 0.2  # of the unit interval; halved from round to round


class FittedPart(NamedTuple):
    """Observations that a process is fitted to, see the module's head; `centre` and `std` undo the standardisation."""

    x: np.ndarray
    y: np.ndarray
    centre: float
    std: float


class Surrogate(NamedTuple):
    """Processes of the better part of the usable trials: one, or several with sampled hyperparameters.

    `searched` is the part that the hyperparameters were found for: `part` itself, or the better part of an earlier
    time.
    """

    processes: list[GP]
    part: FittedPart
    searched: FittedPart

    def predict(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m,) means and (m,) standard deviations of the loss at features (m, width).

        Of several processes they are the moments of the mixture.
        """
        predictions = [process.predict(rows) for process in self.processes]
        if len(predictions) == 1:
            mean, std = predictions[0]
        else:
            means = np.array([mean for mean, _ in predictions])
            variances = np.array([std**2 for _, std in predictions])
            mean = means.mean(axis=0)
            std = np.sqrt(variances.mean(axis=0) + means.var(axis=0))
        return self.part.centre + self.part.std * mean, self.part.std * std


def better_part(losses: np.ndarray, share: float, at_least: int) -> np.ndarray:
    """Indices of the lowest losses: a share of them rounded down, but `at_least` of them if there are as many."""
    n = max(min(at_least, len(losses)), int(share * len(losses)))
    return np.argsort(losses, kind="stable")[:n]


def part_of(usable: UsableTrials, indices: np.ndarray) -> FittedPart:
    """Some of the usable trials, standardised."""
    return FittedPart(usable.x[indices], *standardise(usable.losses[indices]))


class CandidateSet:
    """Configurations over which a criterion looks for an extreme value of the whole space.

    random    2,000 drawn once, with a separate seed, or all of a list that is no longer
    all       every configuration of a finite space
    refined   the random ones, and then, in rounds, more around the best
    """

    def __init__(self, reader: UsableTrialsReader, kind: Candidates, seed: int):
        if kind not in get_args(Candidates):
            raise InvalidOption(f"candidates must be one of {', '.join(get_args(Candidates))}, got {kind!r}")
        self._kind, self._features, self._seed = kind, reader.features, seed
        if kind == "all":
            if not reader.space.finite or reader.space.size > LARGEST:
                raise InvalidOption(
                    f"candidates 'all' need a finite space of at most {LARGEST:,} configurations, this one has "
                    f"{reader.space.size:,}; take 'random' or 'refined'"
                )
            self._rows = reader.encode(list(reader.space.configs()))
        else:
            listed = reader.features.listed
            self._rows = (
                listed.rows
                if listed is not None and len(listed) <= N_RANDOM
                else reader.features.sample_prior(np.random.default_rng(seed), N_RANDOM)
            )

    @single_threaded
    def lowest(self, score: Scorer, evaluated: np.ndarray) -> float:
        """Lowest value of a score over the candidates and the evaluated configurations, (n, width)."""
        rows = np.concatenate([evaluated, self._rows])
        values = score(rows)
        if self._kind != "refined":
            return float(values.min())
        rng = np.random.default_rng((self._seed, 1))
        for round_ in range(ROUNDS):
            best = rows[np.argsort(values, kind="stable")[:N_BEST]]
            around = self._around(best, FIRST_RADIUS / 2**round_, rng)
            rows = np.concatenate([best, around])
            values = score(rows)
        return float(values.min())

    def _around(self, rows: np.ndarray, radius: float, rng: np.random.Generator) -> np.ndarray:
        """Configurations near some rows: numbers moved by normal steps, one category in five replaced."""
        features = self._features
        if features.listed is not None:
            return np.concatenate([features.listed.around(row, N_AROUND) for row in rows])
        repeated = np.repeat(rows, N_AROUND, axis=0)
        numeric = repeated[:, : features.n_numeric]
        moved = np.clip(numeric + radius * rng.standard_normal(numeric.shape), 0.0, 1.0)
        codes = features.codes(repeated)
        fresh = (rng.random(codes.shape) * features.sizes).astype(int)
        codes = np.where(rng.random(codes.shape) < 0.2, fresh, codes)
        return features.candidates(features.join(features.snap(moved), codes))
