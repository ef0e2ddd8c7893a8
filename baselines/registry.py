"""Names of the optimizers, what to say about each, and how to build one.

A factory is called as `factory(space, budgets=..., seed=..., **options)` and returns an object with the members of
`hpo_core.Optimizer`; its keyword arguments beyond these three are the optimizer's options.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from baselines.adapters.parts.peer_names import full_name
from hpo_core.benchmark import check_seed
from hpo_core.errors import InvalidOption
from hpo_core.names import make_optimizer
from hpo_core.plugins import imported
from hpo_core.running.optimizer import Optimizer
from hpo_core.space import Space

Factory = Callable[..., Optimizer]


class OptimizerEntry(NamedTuple):
    """One line about an optimizer, the paper it follows, and where it is.

    `target` is the factory, or `module:attribute` so that nothing is imported before it is needed.
    """

    summary: str
    paper: str
    target: str | Factory
    multi_fidelity: bool = False

    def load(self) -> Factory:
        """The factory."""
        if not isinstance(self.target, str):
            return self.target
        return imported(self.target)


_ENTRIES: dict[str, OptimizerEntry] = {
    "rs": OptimizerEntry("random search", "Bergstra and Bengio (2012)", "baselines.simple.rs:RandomSearch"),
    "grid": OptimizerEntry("grid search, every configuration once", "", "baselines.simple.grid:GridSearch"),
    "sobol": OptimizerEntry(
        "quasi-random search, a scrambled Sobol sequence",
        "Sobol' (1967); Owen (1998)",
        "baselines.simple.sobol:sobol_search",
    ),
    "lhs": OptimizerEntry("Latin hypercubes, one after another", "McKay et al. (1979)", "baselines.simple.lhs:lhs"),
    "local-search": OptimizerEntry(
        "the best neighbour until none is better, then from another start",
        "White et al. (2021)",
        "baselines.simple.local_search:LocalSearch",
    ),
    "re": OptimizerEntry(
        "regularized evolution: tournaments, mutation, the oldest dies",
        "Real et al. (2019)",
        "baselines.evolution.re:RegularizedEvolution",
    ),
    "reinforce": OptimizerEntry(
        "policy gradient on one categorical distribution per hyperparameter",
        "Williams (1992)",
        "baselines.simple.reinforce:Reinforce",
    ),
    "de": OptimizerEntry(
        "differential evolution, rand/1/bin",
        "Storn and Price (1997)",
        "baselines.evolution.de:DifferentialEvolution",
    ),
    "cmaes": OptimizerEntry(
        "covariance matrix adaptation (the cma library)", "Hansen (2006)", "baselines.evolution.cmaes:CMAES"
    ),
    "tpe": OptimizerEntry(
        "tree Parzen estimator, one density over all hyperparameters",
        "Bergstra et al. (2011); Falkner et al. (2018)",
        "baselines.tpe.tpe:TPE",
    ),
    "tpe-univariate": OptimizerEntry(
        "tree Parzen estimator, one density per hyperparameter",
        "Bergstra et al. (2011)",
        "baselines.tpe.tpe_univariate:UnivariateTPE",
    ),
    "sh": OptimizerEntry(
        "successive halving, one run after another",
        "Jamieson and Talwalkar (2016)",
        "baselines.halving.sh:SuccessiveHalving",
        True,
    ),
    "hyperband": OptimizerEntry(
        "successive halving from several starting budgets",
        "Li et al. (2017)",
        "baselines.halving.hyperband:Hyperband",
        True,
    ),
    "priorband": OptimizerEntry(
        "Hyperband with configurations from the user's prior and near the incumbent",
        "Mallik et al. (2023)",
        "baselines.halving.priorband:PriorBand",
        True,
    ),
    "bohb": OptimizerEntry(
        "Hyperband with configurations from a kernel density estimate",
        "Falkner et al. (2018)",
        "baselines.halving.bohb:BOHB",
        True,
    ),
    "dehb": OptimizerEntry(
        "Hyperband with configurations from differential evolution",
        "Awad et al. (2021)",
        "baselines.halving.dehb:DEHB",
        True,
    ),
    "lcnet-hb": OptimizerEntry(
        "Hyperband with configurations from LC-Net's learning curves",
        "Klein et al. (2017); Klein (2020), section 5.4.4",
        "baselines.curves.lcnet_hb:LCNetHyperband",
        True,
    ),
    "lc-gp": OptimizerEntry(
        "gp-ucb that stops a training by its predicted learning curve",
        "Domhan et al. (2015)",
        "baselines.curves.lc_gp:LCGP",
        True,
    ),
    "bo-bos": OptimizerEntry(
        "gp-ucb over epochs that stops a training optimally", "Dai et al. (2019)", "baselines.curves.bo_bos:BOBOS", True
    ),
    "asha": OptimizerEntry("asynchronous successive halving", "Li et al. (2018)", "baselines.halving.asha:ASHA", True),
    "asha-stop": OptimizerEntry(
        "asynchronous successive halving that stops trainings and never takes them up again",
        "Li et al. (2018)",
        "baselines.halving.asha_stop:StoppingASHA",
        True,
    ),
    "pasha": OptimizerEntry(
        "asynchronous successive halving whose highest budget grows while rankings change",
        "Bohdal et al. (2023)",
        "baselines.halving.pasha:PASHA",
        True,
    ),
    "mobster": OptimizerEntry(
        "asynchronous successive halving with configurations from a Gaussian process across budgets",
        "Klein et al. (2020)",
        "baselines.halving.mobster:MOBSTER",
        True,
    ),
    "gp": OptimizerEntry(
        "expected improvement under a Gaussian process",
        "Snoek et al. (2012); Klein (2020), app. E.5",
        "baselines.bayesian.gp:gp",
    ),
    "gp-ucb": OptimizerEntry(
        "confidence bound under a Gaussian process",
        "Srinivas et al. (2010)",
        "baselines.bayesian.gp_ucb:gp_ucb",
    ),
    "gp-acquisition": OptimizerEntry(
        "Thompson sampling, probability or expectation of improvement under a Gaussian process",
        "Thompson (1933); Kushner (1964); Wilson et al. (2020)",
        "baselines.bayesian.gp_acquisition:gp_acquisition",
    ),
    "gp-warped": OptimizerEntry(
        "Pareto front of three acquisition functions under a Gaussian process of warped inputs, as HEBO",
        "Cowen-Rivers et al. (2022)",
        "baselines.bayesian.gp_warped:gp_warped",
    ),
    "turbo": OptimizerEntry(
        "Thompson sampling under a Gaussian process, in a trust region",
        "Eriksson et al. (2019)",
        "baselines.bayesian.turbo:turbo",
    ),
    "es": OptimizerEntry(
        "entropy search under a Gaussian process",
        "Hennig and Schuler (2012); Klein (2020), section 4.1",
        "baselines.bayesian.es:es",
    ),
    "mtbo": OptimizerEntry(
        "multi-task Gaussian process: earlier runs, and a smaller budget as auxiliary task",
        "Swersky et al. (2013); Klein (2020), section 4.3.1",
        "baselines.budgets.mtbo:mtbo",
    ),
    "fabolas": OptimizerEntry(
        "information per cost under Gaussian processes of loss and cost across budgets",
        "Klein et al. (2017); Klein (2020), section 4.4",
        "baselines.budgets.fabolas:fabolas",
        True,
    ),
    "boca": OptimizerEntry(
        "confidence bound under a Gaussian process over budgets, and the cheapest budget that says enough",
        "Kandasamy et al. (2017)",
        "baselines.budgets.boca:boca",
        True,
    ),
    "smac": OptimizerEntry(
        "expected improvement under a random forest",
        "Hutter et al. (2011); Klein (2020), app. D.3",
        "baselines.bayesian.smac:smac",
    ),
    "bohamiann": OptimizerEntry(
        "expected improvement under a Bayesian neural network",
        "Springenberg et al. (2016); Klein (2020), chapter 3",
        "baselines.bayesian.bohamiann:bohamiann",
    ),
    "mt-bohamiann": OptimizerEntry(
        "Bayesian neural network of this task and of earlier runs",
        "Springenberg et al. (2016); Klein (2020), section 3.1",
        "baselines.bayesian.mt_bohamiann:mt_bohamiann",
    ),
    "dngo": OptimizerEntry(
        "expected improvement under linear regression on a network's features",
        "Snoek et al. (2015)",
        "baselines.bayesian.dngo:dngo",
    ),
    "bore": OptimizerEntry(
        "classification of good configurations by a forest", "Tiao et al. (2021)", "baselines.bayesian.bore:bore"
    ),
    "cqr": OptimizerEntry(
        "Thompson sampling from conformalised quantiles of a forest",
        "Salinas et al. (2023)",
        "baselines.bayesian.cqr:cqr",
    ),
    "optuna-tpe": OptimizerEntry("optuna's TPE", "Akiba et al. (2019)", "baselines.adapters.optuna:optuna_tpe"),
    "optuna-gp": OptimizerEntry(
        "optuna's Gaussian process", "Akiba et al. (2019)", "baselines.adapters.optuna:optuna_gp"
    ),
    "optuna-cmaes": OptimizerEntry("optuna's CMA-ES", "Akiba et al. (2019)", "baselines.adapters.optuna:optuna_cmaes"),
    "optuna-hyperband": OptimizerEntry(
        "optuna's TPE with its Hyperband pruner",
        "Akiba et al. (2019)",
        "baselines.adapters.optuna_pruners:optuna_hyperband",
        True,
    ),
    "optuna-median": OptimizerEntry(
        "optuna's TPE with its median pruner",
        "Akiba et al. (2019)",
        "baselines.adapters.optuna_pruners:optuna_median",
        True,
    ),
    "hyperopt-tpe": OptimizerEntry(
        "hyperopt's TPE", "Bergstra et al. (2013)", "baselines.adapters.hyperopt:HyperoptTPE"
    ),
    "smac3": OptimizerEntry(
        "SMAC3's random-forest optimizer", "Lindauer et al. (2022)", "baselines.adapters.smac3:SMAC3"
    ),
    "smac3-mf": OptimizerEntry(
        "SMAC3's multi-fidelity facade: Hyperband with a random forest",
        "Lindauer et al. (2022)",
        "baselines.adapters.smac3_mf:SMAC3MF",
        True,
    ),
    "skopt-gp": OptimizerEntry("scikit-optimize's Gaussian process", "", "baselines.adapters.skopt:SkoptGP"),
    "nevergrad-ngopt": OptimizerEntry(
        "nevergrad's NGOpt, which chooses among its methods",
        "Rapin and Teytaud (2018)",
        "baselines.adapters.nevergrad:NevergradNGOpt",
    ),
}


def optimizers() -> dict[str, OptimizerEntry]:
    """Optimizers by name, each with one line, its paper and whether it needs several budgets."""
    return dict(_ENTRIES)


def register_optimizer(
    name: str, factory: Factory, *, summary: str = "", paper: str = "", multi_fidelity: bool = False
) -> None:
    """Make your own optimizer known by name, for the length of the process.

    Parameters
    ----------
    name
        The name, which no other optimizer has.
    factory
        A class or function, called as `factory(space, budgets=..., seed=..., **options)`.
    summary, paper
        What `hpo optimizers` shows about it.
    multi_fidelity
        Whether it needs several budgets.
    """
    if not isinstance(name, str) or not name:
        raise InvalidOption(f"an optimizer's name must be a non-empty string, got {name!r}")
    if not callable(factory):
        raise InvalidOption(f"the factory of {name!r} must be callable, got {factory!r}")
    known = _ENTRIES.get(name)
    if known is not None and known.target is not factory:
        raise InvalidOption(f"an optimizer {name!r} is registered already ({known.summary}); choose another name")
    _ENTRIES[name] = OptimizerEntry(summary, paper, factory, multi_fidelity)


def optimizer(
    optimizer: str | Factory,
    space: Space,
    budgets: Sequence[float] = (1,),
    seed: int = 0,
    *,
    default_first: bool = False,
    **options: Any,
) -> Optimizer:
    """The named optimizer on a space.

    Parameters
    ----------
    optimizer
        One of `optimizers()`, the name of another installed package's optimizer, `module:Class`, a class, or a peer
        process: `NAME@ENV`, `FILE.py@ENV`, `cmd@COMMAND`.
    space
        What it searches, `benchmark.space`.
    budgets
        What an evaluation can be asked for at, ascending, `benchmark.budgets`; multi-fidelity methods need two.
    seed
        Fixes everything that the optimizer does by chance.
    default_first
        Whether the first proposal is the mode of the space's prior, or its default if there is no prior.
    options
        Keyword arguments of the optimizer's class, for example `optimizer("re", space, population=20)`.

    Returns
    -------
    Optimizer
        With `ask` and `tell`.
    """
    named = full_name(optimizer) if isinstance(optimizer, str) else optimizer
    return make_optimizer(named, space, budgets, check_seed(seed), default_first=default_first, **options)
