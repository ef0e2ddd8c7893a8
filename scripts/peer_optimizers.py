"""Optimizers of other libraries that `bench_optimizers.py` times and that have no adapter in `baselines.adapters`.

    hpbandster          BOHB of HpBandSter, the authors' code; it gets ordinals as integers, as its documentation asks
    botorch             BoTorch as in the example of its README: `SingleTaskGP`, `LogExpectedImprovement`,
                        `optimize_acqf` with 5 restarts from 20 samples
    syne-tune-botorch   Syne Tune's `BoTorchSearcher`
    syne-tune-bore      Syne Tune's `Bore`, by authors of the paper: boosted trees, scored at 500 configurations
    emukit-mcmc         Emukit's expected improvement averaged over samples of a GPy process' hyperparameters, 10 by HMC
    pybnn-bohamiann     BOHAMIANN of pybnn, the authors' code, trained from scratch for each suggestion as its users do:
                        13,000 steps, of which the first 3,000 are burn-in
    pybnn-dngo          DNGO of the same package: 500 passes of Adam, then 2,000 steps of 20 walkers of emcee, which go
                        on between suggestions

All have their libraries' settings. BoTorch, Emukit and pybnn are models and get what ours get, `Modelled`'s rows of
features and transformed losses; the last two score the 500 points of the adapted random search, as RoBO does, and
nothing else.

Emukit has no settings for the process itself: Matern-5/2 with a lengthscale per column and priors LogNormal(0, 1).

Not here: the package `bore` of the paper's authors pins scipy 1.7.0, which there is not for Python 3.11; RoBO, which
has a Gaussian process with MCMC (the package `robo` of the index is something else).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from baselines.adapters.parts.library import quiet
from baselines.adapters.parts.searched import Searched
from baselines.parts.acquisition_search import Score, random_points
from baselines.parts.modelled import Modelled, log_distances
from hpo_core import Optimizer, Proposal, Space
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter
from hpo_models.acquisition import log_expected_improvement


class HpBandSter:
    """The model of HpBandSter's BOHB, asked for a new configuration each time."""

    def __init__(self, space: Space):
        import ConfigSpace
        from hpbandster.core.dispatcher import Job
        from hpbandster.optimizers.config_generators.bohb import BOHB

        self._space, self._job = space, Job
        self._ordinal = {h.name for h in space if h.kind == "ordinal"}
        converted = ConfigSpace.ConfigurationSpace(seed=0)
        for h, theirs in zip(space, space.to_configspace().values(), strict=True):
            ordinal = h.name in self._ordinal
            converted.add(ConfigSpace.UniformIntegerHyperparameter(h.name, 0, int(h.size) - 1) if ordinal else theirs)
        self._generator = BOHB(converted, random_fraction=0.0, min_bandwidth=0.3)
        self._budgets = cycle([1, 1, 1, 3, 3, 3])  # as our Hyperband's with two budgets, 1 and 3

    def ask(self) -> Proposal:
        budget = next(self._budgets)
        with quiet("hpbandster"):
            self._latest = dict(self._generator.get_config(budget)[0])
        config = {n: self._space[n].value(c) if n in self._ordinal else c for n, c in self._latest.items()}
        return Proposal(self._space.check(config), budget)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        job = self._job((0, 0, 0), config=self._latest, budget=proposal.budget)
        job.result = {"loss": loss}
        with quiet("hpbandster"):
            self._generator.new_result(job)


class SyneTune:
    """A searcher of Syne Tune, by its name there; it asks its model once it has been told `n_initial` losses."""

    def __init__(self, space: Space, seed: int, n_initial: int, searcher: str, initial: str):
        from syne_tune.optimizer.schedulers.searchers.searcher_factory import searcher_cls

        self._searched = Searched(space, searcher)
        domains = {h.name: _domain(h) for h in self._searched.space}
        options = {"points_to_evaluate": [], "random_seed": seed, initial: n_initial}
        self._searcher = searcher_cls(searcher)(domains, **options)
        self._n = 0

    def ask(self) -> Proposal:
        with quiet("syne_tune"), quiet("botorch"):
            self._latest = self._searcher.suggest()
        return Proposal(self._searched.config(self._latest))

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._searcher.on_trial_complete(self._n, self._latest, loss)
        self._n += 1


def _domain(h: Hyperparameter) -> Any:
    """Syne Tune's domain of a hyperparameter: numbers, and codes of choices."""
    from syne_tune.config_space import choice, lograndint, loguniform, randint, uniform

    if isinstance(h, Choice):
        return randint(0, h.size - 1) if h.kind == "ordinal" else choice(list(range(h.size)))
    if isinstance(h, Float):
        return (loguniform if h.log else uniform)(h.low, h.high)
    return (lograndint if h.log else randint)(h.low, h.high)


class BoTorch(Modelled):
    """BoTorch's example: what maximises the acquisition function in the cube of the features, moved into the space."""

    name = "botorch"

    def __init__(self, space: Space, seed: int, n_initial: int):
        import botorch
        import torch

        super().__init__(space, seed=seed, n_initial=n_initial)
        self._botorch, self._torch = botorch, torch

    def _suggest(self) -> np.ndarray:
        from botorch.acquisition import LogExpectedImprovement
        from botorch.models import SingleTaskGP
        from botorch.optim import optimize_acqf
        from gpytorch.mlls import ExactMarginalLogLikelihood

        rows, losses = self._observed()
        x, y = self._torch.tensor(rows), -self._torch.tensor(log_distances(losses))[:, None]
        with quiet("botorch"):
            model = SingleTaskGP(x, y)
            self._botorch.fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            bounds = self._torch.stack([self._torch.zeros(x.shape[1]), self._torch.ones(x.shape[1])]).double()
            score = LogExpectedImprovement(model, best_f=y.max())
            found, _ = optimize_acqf(score, bounds=bounds, q=1, num_restarts=5, raw_samples=20)
        return self._inside(found.detach().numpy()[0])

    def _inside(self, point: np.ndarray) -> np.ndarray:
        features = self._features
        ends = features.n_numeric + np.cumsum(features.sizes)
        codes = [int(np.argmax(point[end - size : end])) for end, size in zip(ends, features.sizes, strict=True)]
        return features.join(features.snap(point[None, : features.n_numeric]), np.array([codes], dtype=int))[0]


class Scored(Modelled):
    """The best new one of 500 points by a score that a library's model gives them."""

    def __init__(self, space: Space, seed: int, n_initial: int):
        super().__init__(space, seed=seed, n_initial=n_initial)
        self._seed = seed
        self._load()

    def _load(self) -> None:
        raise NotImplementedError

    def _fit(self, rows: np.ndarray, values: np.ndarray) -> Score:
        raise NotImplementedError

    def _suggest(self) -> np.ndarray:
        rows, losses = self._observed()
        with quiet("root"):
            score = self._fit(rows.copy(), log_distances(losses))
            points = random_points(self._features, self._rng, self._best_row())
            return self._first_new(points, score(points))


class EmukitMCMC(Scored):
    """Integrated expected improvement of Emukit."""

    name = "emukit-mcmc"

    def _load(self) -> None:
        import emukit.model_wrappers  # noqa: F401  a missing library is noticed before anything is timed
        import GPy  # noqa: F401

    def _fit(self, rows: np.ndarray, values: np.ndarray) -> Score:
        import GPy
        from emukit.bayesian_optimization.acquisitions import ExpectedImprovement
        from emukit.core.acquisition import IntegratedHyperParameterAcquisition
        from emukit.model_wrappers import GPyModelWrapper

        process = GPy.models.GPRegression(rows, values[:, None], GPy.kern.Matern52(rows.shape[1], ARD=True))
        for parameter in (process.kern.variance, process.kern.lengthscale, process.likelihood.variance):
            parameter.set_prior(GPy.priors.LogGaussian(0.0, 1.0), warning=False)
        process.optimize()
        found = IntegratedHyperParameterAcquisition(GPyModelWrapper(process), ExpectedImprovement)
        return lambda points: found.evaluate(points)[:, 0]


class PybnnBohamiann(Scored):
    """pybnn's BOHAMIANN, anew each time."""

    name = "pybnn-bohamiann"

    def _load(self) -> None:
        from pybnn.bohamiann import Bohamiann

        self._model = Bohamiann

    def _fit(self, rows: np.ndarray, values: np.ndarray) -> Score:
        model = self._model()
        model.train(rows, values)
        return _improvement(model, values)


class PybnnDNGO(Scored):
    """pybnn's DNGO, whose chain goes on."""

    name = "pybnn-dngo"

    def _load(self) -> None:
        from pybnn.dngo import DNGO

        self._model = DNGO(rng=np.random.RandomState(self._seed))

    def _fit(self, rows: np.ndarray, values: np.ndarray) -> Score:
        self._model.train(rows, values)
        return _improvement(self._model, values)


def _improvement(model: Any, values: np.ndarray) -> Score:
    def score(points: np.ndarray) -> np.ndarray:
        mean, variance = model.predict(points)
        return log_expected_improvement(mean, np.sqrt(variance), float(values.min()))

    return score


class Peer(NamedTuple):
    """A model-based peer: how it is built, from a space, a seed and a number of random configurations first.

    warm    suggestions by the model before the first that is timed: a chain that goes on has its burn-in there
    window  suggestions that are timed
    """

    build: Callable[[Space, int, int], Optimizer]
    warm: int
    window: int


PEERS = {
    "botorch": Peer(BoTorch, 1, 5),
    "syne-tune-botorch": Peer(partial(SyneTune, searcher="botorch", initial="num_init_random"), 1, 5),
    "syne-tune-bore": Peer(partial(SyneTune, searcher="bore", initial="init_random"), 1, 5),
    "emukit-mcmc": Peer(EmukitMCMC, 0, 2),
    "pybnn-bohamiann": Peer(PybnnBohamiann, 0, 1),
    "pybnn-dngo": Peer(PybnnDNGO, 1, 1),
}
