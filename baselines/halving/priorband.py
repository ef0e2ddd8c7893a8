"""PriorBand: Hyperband with configurations from the user's prior, near the incumbent, or random [priorband].

    pi      prior of the space                          U       uniform distribution
    lambda  configurations; lambda^ the incumbent       r       rung that a run of successive halving starts at, from 0

Mallik et al. (2023), section 5: each new configuration comes from one of three distributions, with the probabilities

    p_U = 1 / (1 + eta^r),    p_pi = eta^r / (1 + eta^r)                      before incumbents are used
    p_pi S_pi / (S_pi + S_inc),  p_pi S_inc / (S_pi + S_inc)                  for prior and incumbent, from then on

where S sums over the best 1 / eta of the highest rung with at least eta results, with the weights K, K - 1, ..., 1 from
the best on: S_pi the density of the prior, S_inc that of a distribution of the same form around the incumbent. So the
prior counts where it agrees with what was found good, and a bad one loses its share. Incumbents are used once the
trainings that were told, continued ones counted once, are worth a whole run from the lowest rung, and one of them
reached the full budget.

A configuration near the incumbent changes each hyperparameter with probability 1/2: a number by a normal step of
standard deviation 1/4 of the range, truncated to it, a categorical to one of its other values.

The incumbent is the lowest loss told at any budget, as in NePS, the authors' library. Without a prior the prior is
uniform, as there: what is left is Hyperband with draws near the incumbent.

Departures: a configuration that is forbidden is changed again, up to 100 times, and then random; what a change switches
on takes a random value; in a space with a list the nearest configuration is taken; the mode of the prior is not
evaluated first unless `default_first` says so.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np

from baselines.halving.hyperband import brackets
from baselines.halving.sh import HalvingSchedule, Stages
from baselines.parts.requirements import number
from baselines.parts.rungs import rungs
from baselines.parts.sampling import first_allowed, random_configs, unit_decoder
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Choice, Hyperparameter
from hpo_core.space.priors.densities import TruncatedNormal
from hpo_core.space.priors.prior import UserPrior, around


class PriorBand:
    """Hyperband with a prior, any space; `results` knows the incumbent and the share that the prior has.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; `space.with_prior` states the prior.
    eta, min_budget
        As in `Hyperband`.
    mutation_rate
        Probability that a hyperparameter of the incumbent is changed.
    mutation_std
        Standard deviation of the changes of numbers, as a share of their range.

    Examples
    --------
    >>> from baselines import optimizer
    >>> from hpo_core import Float, Space
    >>> space = Space([Float("lr", 1e-5, 1.0, log=True)]).with_prior({"lr": (1e-3, "normal", 0.1)})
    >>> optimizer("priorband", space, budgets=(1, 3, 9), default_first=True).ask()
    Proposal(config={'lr': 0.001}, budget=1)
    """

    name = "priorband"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        eta: float = 3,
        min_budget: float | None = None,
        mutation_rate: float = 0.5,
        mutation_std: float = 0.25,
    ):
        uniform, believed, self._rng = np.random.default_rng(seed).spawn(3)
        self._uniform = random_configs(space.with_prior(None).starting_with(None), uniform)
        self._believed = random_configs(space, believed)
        self._start = 0 if space.first is None else 1  # draws of the prior that come before all others
        self._eta = eta
        self._mutation = Mutation(
            space,
            number("mutation_rate", mutation_rate, 0.0, 1.0),
            number("mutation_std", mutation_std, 1e-6, 1e6),
        )
        steps = rungs(budgets, eta, min_budget)
        plans = brackets(budgets, eta, min_budget)
        self.results = Results(space, steps, eta, plans[0])
        self._steps, self._rung = steps, 0
        self._schedule = HalvingSchedule(cycle(plans), self._sample, self._prepare)
        self.n_random = 0

    @single_threaded
    def ask(self) -> Proposal:
        return self._schedule.ask()

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._schedule.tell(proposal, loss, cost)
        self.results.add(proposal, loss)

    def _prepare(self, plan: Stages) -> None:
        self._rung = self._steps.index(plan[0][1])

    def _sample(self) -> Config:
        """A new configuration."""
        if self._start:
            self._start = 0
            self.n_random += 1
            return next(self._believed)
        p_uniform, p_prior, _ = weights(self._rung, self._eta, self.results.share_of_prior())
        u = self._rng.random()
        if u >= p_uniform + p_prior and self.results.incumbent is not None:
            return self._mutation.near(self.results.incumbent, self._rng, self._uniform)
        self.n_random += 1
        return next(self._uniform if u < p_uniform else self._believed)


def weights(rung: int, eta: float, share_of_prior: float) -> tuple[float, float, float]:
    """Probabilities of a random configuration, of one from the prior and of one near the incumbent.

    Parameters
    ----------
    rung
        r, that the run starts at.
    eta
        Of Hyperband.
    share_of_prior
        S_pi / (S_pi + S_inc), 1 before incumbents are used.

    Examples
    --------
    >>> from baselines.halving.priorband import weights
    >>> weights(1, 3, 1.0)
    (0.25, 0.75, 0.0)
    """
    p_uniform = 1.0 / (1.0 + float(eta) ** rung)
    p_prior = (1.0 - p_uniform) * share_of_prior
    return p_uniform, p_prior, 1.0 - p_uniform - p_prior


class Results:
    """Losses by rung, and how well the prior agrees with the best of them.

    Parameters
    ----------
    space
        Of the configurations.
    steps
        Budgets of the rungs, ascending.
    eta
        Of Hyperband.
    widest
        Stages of a run from the lowest rung.
    """

    def __init__(self, space: Space, steps: Sequence[float], eta: float, widest: Stages):
        self._space, self._steps, self._eta = space, list(steps), eta
        self._prior = UserPrior(space, {} if space.prior is None else space.prior.entries)
        self._ranked: list[list[tuple[float, int]]] = [
            [] for _ in steps
        ]  # finite losses and row of each rung, ascending
        self._codes: list[list[float]] = []
        self._reached: dict[bytes, float] = {}  # budget up to which each configuration was trained
        self._spent, self._needed = 0.0, _resource(widest)
        self._best = math.inf
        self._share: float | None = 1.0
        self.incumbent: Config | None = None

    def add(self, proposal: Proposal, loss: float) -> None:
        """Note a loss; one that is infinite is worth its training and nothing else."""
        codes = self._space.codes_of(proposal.config)
        key = np.array(codes, dtype=float).tobytes()
        budget = self._steps[-1] if proposal.budget is None else proposal.budget
        self._spent += max(budget - self._reached.get(key, 0.0), 0.0)
        self._reached[key] = max(self._reached.get(key, 0.0), budget)
        if loss < math.inf:
            insort(self._ranked[self._steps.index(budget)], (float(loss), len(self._codes)))
            self._codes.append(codes)
            if loss < self._best:
                self._best, self.incumbent = float(loss), proposal.config
        self._share = None

    def share_of_prior(self) -> float:
        """S_pi / (S_pi + S_inc), 1 before incumbents are used."""
        if self._share is None:
            self._share = self._computed_share()
        return self._share

    def _computed_share(self) -> float:
        wide = [ranked for ranked in self._ranked if len(ranked) >= self._eta]
        if self.incumbent is None or self._spent < self._needed or not self._ranked[-1] or not wide:
            return 1.0
        n_best = int(len(wide[-1]) / self._eta)
        best = np.array([self._codes[index] for _, index in wide[-1][:n_best]], dtype=float)
        near = UserPrior(self._space, around(self._space, self.incumbent))
        log_weights = np.log(np.arange(n_best, 0, -1))
        s_prior, s_incumbent = (np.logaddexp.reduce(log_weights + p.log_density(best)) for p in (self._prior, near))
        if max(s_prior, s_incumbent) == -np.inf:
            return 0.5
        return float(1.0 / (1.0 + np.exp(np.clip(s_incumbent - s_prior, -700.0, 700.0))))


def _resource(plan: Stages) -> float:
    """Budget that a run of successive halving trains for in all, where trainings are continued."""
    below = [0.0, *(budget for _, budget in plan)]
    return sum(n * (budget - low) for (n, budget), low in zip(plan, below, strict=False))


class Mutation:
    """Random configurations near a given one.

    Parameters
    ----------
    space
        Of the configurations.
    rate
        Probability that a hyperparameter is changed.
    std
        Standard deviation of the changes of numbers, as a share of the range.
    """

    def __init__(self, space: Space, rate: float, std: float):
        self._space, self._rate, self._std = space, rate, std
        self._decode = unit_decoder(space)

    def near(self, config: Config, rng: np.random.Generator, uniform: Any) -> Config:
        """A configuration near one; a random one, the next of `uniform`, if all that is found is forbidden."""
        unit = self._space.to_unit(self._space.encode(config))[0]

        def changed() -> tuple[dict[str, Any], None]:
            return self._decode(self._changed(unit, rng)), None

        return first_allowed(self._space, changed, lambda: (next(uniform), None))[0]

    def _changed(self, unit: np.ndarray, rng: np.random.Generator) -> list[float]:
        """Point (d,) near another, where NaN, of what is switched off, becomes a random coordinate."""
        change, u = rng.random(len(unit)) < self._rate, rng.random(len(unit))
        point = np.where(np.isnan(unit), u, unit)
        for j in np.flatnonzero(change & ~np.isnan(unit)):
            point[j] = self._moved(self._space.hyperparameters[j], float(unit[j]), float(u[j]))
        return point.tolist()

    def _moved(self, h: Hyperparameter, point: float, u: float) -> float:
        if isinstance(h, Choice) and h.kind != "ordinal":
            own = int(point * h.size)
            other = int(u * (h.size - 1))
            return ((other + (other >= own) if h.size > 1 else own) + 0.5) / h.size
        return float(TruncatedNormal(point, self._std).quantile(np.array(u)))
