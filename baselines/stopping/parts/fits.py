"""`Fits`: surrogates of the better part of a run, and the searches for their hyperparameters, which are remembered.

A search takes some fifty factorisations, and a trial more among many hardly changes its result. So a criterion may
search on a schedule (`scheduled_parts`): at n usable trials it takes the hyperparameters that a search from the fixed
start finds for the better part of the first s(n) <= n of them, and conditions the process on the better part of all n.
s(n) is a function of n alone. So the bound is one of the trials alone, whichever checks were made before.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from baselines.parts.search_schedule import last_search
from baselines.stopping.parts.surrogate import Fit, FittedPart, Surrogate, better_part, part_of
from baselines.stopping.parts.usable_trials import UsableTrials, UsableTrialsReader
from hpo_models.gp.fit import Fitting, Hyperparameters, modes, most_probable, posterior_samples
from hpo_models.gp.kernels import matern52
from hpo_models.gp.priors import MAP, MARGINAL_LIKELIHOOD, SAMPLING, Priors
from hpo_models.gp.regression import condition

N_STARTS = 6  # searches for other modes, the usual one among them
NEAR = 2.0  # nats below the most probable mode
REMEMBERED = 10_000  # searches, some 5 MB
PRIORS: dict[Fit, Priors] = {"map": MAP, "ml": MARGINAL_LIKELIHOOD, "slice": SAMPLING}


def scheduled_parts(losses: np.ndarray, share: float, at_least: int, refit: float) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the better part of all losses, and of the part that hyperparameters are searched for on.

    Parameters
    ----------
    losses
        (n,) in their order of completion.
    share, at_least
        As for `better_part`.
    refit
        Share by which n must grow until hyperparameters are searched for again; 0 searches at every n.

    Returns
    -------
    tuple of np.ndarray and np.ndarray
        The second is that of the first s(n) losses, or the first again where these are all equal and tell nothing.
    """
    current = better_part(losses, share, at_least)
    searched = better_part(losses[: last_search(len(losses), refit)], share, at_least)
    return current, searched if losses[searched].max() > losses[searched].min() else current


class Fits:
    """Surrogates of runs on a space: functions of the trials, which remember the last searches.

    Parameters
    ----------
    reader
        What reads the trials: it knows which features share a lengthscale.
    how
        How hyperparameters are found: "map", "ml" or "slice".
    seed
        Of slice sampling and of the search for other modes.
    """

    def __init__(self, reader: UsableTrialsReader, how: Fit, seed: int):
        self.how = how
        self._groups, self._seed = reader.groups, seed
        self._found: dict[bytes, list[Hyperparameters]] = {}

    def __call__(self, usable: UsableTrials, indices: np.ndarray, searched: np.ndarray) -> Surrogate | None:
        """Surrogate of some of the usable trials, None if their losses are all equal.

        Parameters
        ----------
        usable
            Usable trials of a run.
        indices
            Which of them the process is conditioned on.
        searched
            Which of them its hyperparameters are found for; not all of equal loss, unless all of `indices` are.
        """
        losses = usable.losses[indices]
        if losses.max() <= losses.min():
            return None
        return self._surrogate(part_of(usable, indices), part_of(usable, searched), "found")

    def other_modes(self, surrogate: Surrogate) -> list[Surrogate]:
        """Surrogates of the same observations at all modes that are nearly as probable as the best one found.

        The modes are those of the part that the surrogate's hyperparameters were found for.
        """
        return [
            surrogate._replace(processes=[process])
            for process in self._surrogate(surrogate.part, surrogate.searched, "modes").processes
        ]

    def _surrogate(self, part: FittedPart, searched: FittedPart, what: str) -> Surrogate:
        key = blake2b(searched.x.tobytes() + searched.y.tobytes() + what.encode(), digest_size=16).digest()
        if key not in self._found:
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            self._found[key] = self._near_modes(searched) if what == "modes" else self._search(searched)
        variance = PRIORS[self.how].mean_variance
        processes = [
            condition(part.x, part.y, found, groups=self._groups, mean_variance=variance) for found in self._found[key]
        ]
        return Surrogate(processes, part, searched)

    def _search(self, part: FittedPart) -> list[Hyperparameters]:
        """The most probable hyperparameters, or ten samples."""
        priors = PRIORS[self.how]
        best = most_probable(part.x, part.y, self._groups, matern52, priors)
        if self.how != "slice":
            return [best]
        rng = np.random.default_rng(self._seed)
        return posterior_samples(part.x, part.y, self._groups, matern52, priors, rng, best)

    def _near_modes(self, part: FittedPart) -> list[Hyperparameters]:
        rng = np.random.default_rng(self._seed)
        found = modes(part.x, part.y, self._groups, matern52, MAP, Fitting(n_starts=N_STARTS), rng=rng)
        return [mode.hyperparameters for mode in found if mode.log_density > found[0].log_density - NEAR]
