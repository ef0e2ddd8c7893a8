"""Optimizers of other libraries that `bench_optimizers.py` times and that have no adapter in `baselines.adapters`.

    hpbandster          BOHB of HpBandSter, the authors' code; it gets ordinals as integers, as its documentation says
    botorch             BoTorch as in the example of its README: `SingleTaskGP`, `LogExpectedImprovement`,
                        `optimize_acqf` with 5 restarts from 20 samples
    syne-tune-botorch   Syne Tune's `BoTorchSearcher`
    syne-tune-bore      Syne Tune's `Bore`, by authors of the paper: boosted trees, scored at 500 configurations
    emukit-mcmc         Emukit's expected improvement averaged over samples of a GPy process' hyperparameters, 10 by HMC
    pybnn-bohamiann     BOHAMIANN of pybnn, the authors' code, trained from scratch for each suggestion as its users do:
                        13,000 steps, of which the first 3,000 are burn-in
    pybnn-dngo          DNGO of the same package: 500 passes of Adam, then 2,000 steps of 20 walkers of emcee, which
                        continue between suggestions

All have their libraries' settings. BoTorch, Emukit and pybnn are models and get the same inputs as the models here: the
rows of features and transformed losses of a `BayesianOptimizer`. The last two score only the 500 points of the adapted
random search, as RoBO does.

Emukit has no settings for the process itself: Matern-5/2 with a lengthscale per column and priors LogNormal(0, 1).

Not included: the package `bore` of the paper's authors, which pins scipy 1.7.0, a version without a wheel for Python
3.11; RoBO, which has a Gaussian process with MCMC (the package `robo` on PyPI is another one).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from baselines.adapters.parts.library import quiet
from baselines.adapters.parts.searched import Searched
from baselines.parts.bayesian_optimizer import BayesianOptimizer
from baselines.parts.history import Snapshot
from baselines.parts.loss_transforms import log_distances
from baselines.parts.search.maximum import Score, best_new_row, random_points
from hpo_core import Optimizer, Proposal, Space
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter
from hpo_models.acquisition import log_expected_improvement
from hpo_models.features import Features

Fit = Callable[[np.ndarray, np.ndarray], Score]


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
    """A searcher of Syne Tune; it uses its model after `n_initial` losses.

    Parameters
    ----------
    space, seed, n_initial
        Of the optimizer.
    searcher
        Name of the searcher in Syne Tune.
    initial
        Name of its option for the number of initial configurations.
    """

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


def botorch(space: Space, seed: int, n_initial: int) -> BayesianOptimizer:
    """BoTorch's example: the maximiser of the acquisition function in the cube of the features, in the space."""
    import botorch  # noqa: F401  a missing library is noticed before anything is timed

    return BayesianOptimizer(space, propose_by_botorch, n_initial, seed, name="botorch")


def propose_by_botorch(snapshot: Snapshot, rng: np.random.Generator) -> np.ndarray:
    """Row (width,) to evaluate next."""
    import torch
    from botorch import fit_gpytorch_mll
    from botorch.acquisition import LogExpectedImprovement
    from botorch.models import SingleTaskGP
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    x, y = torch.tensor(snapshot.rows.copy()), -torch.tensor(log_distances(snapshot.losses))[:, None]
    with quiet("botorch"):
        model = SingleTaskGP(x, y)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        bounds = torch.stack([torch.zeros(x.shape[1]), torch.ones(x.shape[1])]).double()
        score = LogExpectedImprovement(model, best_f=y.max())
        found, _ = optimize_acqf(score, bounds=bounds, q=1, num_restarts=5, raw_samples=20)
    return _inside(found.detach().numpy()[0], snapshot.features)


def _inside(point: np.ndarray, features: Features) -> np.ndarray:
    ends = features.n_numeric + np.cumsum(features.sizes)
    codes = [int(np.argmax(point[end - size : end])) for end, size in zip(ends, features.sizes, strict=True)]
    return features.join(features.snap(point[None, : features.n_numeric]), np.array([codes], dtype=int))[0]


def scored(name: str, load: Callable[[int], Fit], space: Space, seed: int, n_initial: int) -> BayesianOptimizer:
    """The best new one of 500 points by a score that a library's model gives them.

    Parameters
    ----------
    name
        Of the peer.
    load
        `load(seed)` imports the library and returns a function of rows (n, width) and values (n,) that returns the
        score.
    space, seed, n_initial
        As in `BayesianOptimizer`.

    Returns
    -------
    BayesianOptimizer
        That proposes the best of the points.
    """
    fit = load(seed)

    def propose(snapshot: Snapshot, rng: np.random.Generator) -> np.ndarray:
        with quiet("root"):
            score = fit(snapshot.rows.copy(), log_distances(snapshot.losses))
            points = random_points(snapshot.features, rng, snapshot.best)
            return best_new_row(snapshot, points, score(points), rng)

    return BayesianOptimizer(space, propose, n_initial, seed, name=name)


def emukit_mcmc(seed: int) -> Fit:
    """Integrated expected improvement of Emukit."""
    import GPy
    from emukit.bayesian_optimization.acquisitions import ExpectedImprovement
    from emukit.core.acquisition import IntegratedHyperParameterAcquisition
    from emukit.model_wrappers import GPyModelWrapper

    def fit(rows: np.ndarray, values: np.ndarray) -> Score:
        process = GPy.models.GPRegression(rows, values[:, None], GPy.kern.Matern52(rows.shape[1], ARD=True))
        for parameter in (process.kern.variance, process.kern.lengthscale, process.likelihood.variance):
            parameter.set_prior(GPy.priors.LogGaussian(0.0, 1.0), warning=False)
        process.optimize()
        found = IntegratedHyperParameterAcquisition(GPyModelWrapper(process), ExpectedImprovement)
        return lambda points: found.evaluate(points)[:, 0]

    return fit


def pybnn_bohamiann(seed: int) -> Fit:
    """pybnn's BOHAMIANN, trained from scratch each time."""
    from pybnn.bohamiann import Bohamiann

    def fit(rows: np.ndarray, values: np.ndarray) -> Score:
        model = Bohamiann()
        model.train(rows, values)
        return _improvement(model, values)

    return fit


def pybnn_dngo(seed: int) -> Fit:
    """pybnn's DNGO, whose chain continues between suggestions."""
    from pybnn.dngo import DNGO

    model = DNGO(rng=np.random.RandomState(seed))

    def fit(rows: np.ndarray, values: np.ndarray) -> Score:
        model.train(rows, values)
        return _improvement(model, values)

    return fit


def _improvement(model: Any, values: np.ndarray) -> Score:
    def score(points: np.ndarray) -> np.ndarray:
        mean, variance = model.predict(points)
        return log_expected_improvement(mean, np.sqrt(variance), float(values.min()))

    return score


class Peer(NamedTuple):
    """A model-based peer: how it is built, from a space, a seed and a number of random configurations first.

    warm    suggestions by the model before the first that is timed, with the burn-in of a chain that continues
    window  suggestions that are timed
    """

    build: Callable[[Space, int, int], Optimizer]
    warm: int
    window: int


PEERS = {
    "botorch": Peer(botorch, 1, 5),
    "syne-tune-botorch": Peer(partial(SyneTune, searcher="botorch", initial="num_init_random"), 1, 5),
    "syne-tune-bore": Peer(partial(SyneTune, searcher="bore", initial="init_random"), 1, 5),
    "emukit-mcmc": Peer(partial(scored, "emukit-mcmc", emukit_mcmc), 0, 2),
    "pybnn-bohamiann": Peer(partial(scored, "pybnn-bohamiann", pybnn_bohamiann), 0, 1),
    "pybnn-dngo": Peer(partial(scored, "pybnn-dngo", pybnn_dngo), 1, 1),
}
