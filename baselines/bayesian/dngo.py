"""DNGO: deep networks for global optimization (Snoek et al., 2015) [dngo].

Expected improvement under Bayesian linear regression on the last hidden layer of a network
(`hpo_models.networks.dngo`), averaged over draws of the regression's hyperparameters.

Where this leaves the paper: losses enter as for `gp`, by the logarithm of their distance to the lowest; the maximum is
sought as for `gp`. What the model leaves out stands at the head of its file. The network is trained anew for each
proposal: one that went on from the last weights stayed with what it believed, and the search near one place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.acquisition_search import random_points
from baselines.parts.modelled import Modelled, log_distances
from baselines.parts.network_inputs import network_inputs
from baselines.parts.requirements import count
from hpo_core.space import Space
from hpo_models.acquisition import log_expected_improvement
from hpo_models.networks.dngo import fit_dngo

N_STARTS = 3  # local searches


class DeepNetworks(Modelled):
    """Expected improvement under Bayesian linear regression on a network's features.

    Parameters
    ----------
    n_initial
        Random configurations before the network is asked.
    n_units
        Of each of the three layers.
    n_passes
        Of Adam over the observations, for each proposal.
    n_samples
        Draws of the regression's hyperparameters.
    """

    name = "dngo"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        n_initial: int = 5,
        n_units: int = 50,
        n_passes: int = 50,
        n_samples: int = 10,
    ):
        super().__init__(space, seed=seed, n_initial=n_initial)
        self.n_units = count("n_units", n_units)
        self.n_passes = count("n_passes", n_passes)
        self.n_samples = count("n_samples", n_samples)

    def _suggest(self) -> np.ndarray:
        if not self._features.width:  # a space of one point
            return self._random_row()
        rows, losses = self._observed()
        values = log_distances(losses)
        model = fit_dngo(
            network_inputs(rows),
            values,
            self._rng,
            units=(self.n_units,) * 3,
            n_passes=self.n_passes,
            n_samples=self.n_samples,
        )
        best = model.predict(network_inputs(rows))[0].min(axis=1, keepdims=True)

        def score(candidates: np.ndarray) -> np.ndarray:
            means, variances = model.predict(network_inputs(candidates))
            found = log_expected_improvement(means, np.sqrt(variances), best)
            return np.logaddexp.reduce(found, axis=0)

        place = rows[int(np.argmin(values))]
        return self._maximise(score, random_points(self._features, self._rng, place), place[None], N_STARTS)
