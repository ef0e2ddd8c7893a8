"""Options of adapters: passed through to the library, and answered with the library's own where they are mistaken."""

from functools import partial

import numpy as np
import pytest
from adapted import SPACE, configs, loss_of, need

from baselines import optimizer
from baselines.adapters.parts.library import quiet
from baselines.adapters.parts.searched import Searched
from hpo_cli.main import main
from hpo_core import Float, Space
from hpo_core.errors import InvalidOption


def test_options_of_optuna_reach_the_sampler():
    need("optuna-tpe")
    import optuna

    settings = {"n_startup_trials": 5, "multivariate": True}
    by_hand = []

    def objective(trial):
        by_hand.append({"a": trial.suggest_float("a", 0.0, 1.0), "b": trial.suggest_float("b", 0.0, 1.0)})
        return by_hand[-1]["a"] ** 2 + by_hand[-1]["b"]

    with quiet("optuna"):
        sampler = optuna.samplers.TPESampler(seed=1, **settings)
        optuna.create_study(sampler=sampler).optimize(objective, n_trials=20)
    o = optimizer("optuna-tpe", Space([Float("a", 0.0, 1.0), Float("b", 0.0, 1.0)]), seed=1, **settings)
    found = []
    for _ in range(20):
        proposal = o.ask()
        found.append(proposal.config)
        o.tell(proposal, proposal.config["a"] ** 2 + proposal.config["b"], 1.0)
    assert found == by_hand


def test_options_of_hyperopt_reach_suggest():
    need("hyperopt-tpe")
    from hyperopt import fmin, tpe

    from baselines.adapters.hyperopt import expressions

    searched, settings = Searched(SPACE, "x"), {"n_startup_jobs": 5, "gamma": 0.5}
    by_hand = []

    def objective(found):
        by_hand.append(searched.config(found))
        return loss_of(by_hand[-1])

    rng, suggest = np.random.default_rng(5), partial(tpe.suggest, **settings)
    fmin(objective, expressions(searched.space), suggest, 15, rstate=rng, show_progressbar=False, verbose=False)
    assert configs(optimizer("hyperopt-tpe", SPACE, seed=5, **settings), 15) == by_hand


def n_before_the_model(name, monkeypatch, owner, method, **settings):
    """Number of proposals before a library fits its model for the first time."""
    asked = []

    class Fitted(Exception):
        pass

    def fit(*arguments, **settings):
        raise Fitted

    monkeypatch.setattr(owner, method, fit)
    o = optimizer(name, SPACE, seed=0, **settings)
    with pytest.raises(Fitted):
        while len(asked) < 40:
            proposal = o.ask()
            asked.append(proposal)
            o.tell(proposal, loss_of(proposal.config), 1.0)
    return len(asked)


@pytest.mark.parametrize("n_initial", [4, 7])
def test_options_of_skopt_reach_the_optimizer(n_initial, monkeypatch):
    need("skopt-gp")
    from skopt.learning import GaussianProcessRegressor

    assert (
        n_before_the_model("skopt-gp", monkeypatch, GaussianProcessRegressor, "fit", n_initial_points=n_initial)
        == n_initial
    )


@pytest.mark.parametrize(("settings", "n"), [({"n_configs": 4}, 4), ({"n_trials": 24}, 6), ({"max_ratio": 0.07}, 7)])
def test_options_of_smac_reach_its_parts(settings, n, monkeypatch):
    need("smac3")
    from smac.model.random_forest.random_forest import RandomForest

    assert n_before_the_model("smac3", monkeypatch, RandomForest, "train", **settings) == n


def test_options_of_smac_reach_its_model(monkeypatch):
    need("smac3")
    from smac.model.random_forest.random_forest import RandomForest

    made, make = [], RandomForest.__init__
    monkeypatch.setattr(
        RandomForest, "__init__", lambda self, *a, **k: made.append(k["n_trees"]) or make(self, *a, **k)
    )
    optimizer("smac3", SPACE, n_trees=3, probability=0.5)
    assert made[-1] == 3


@pytest.mark.parametrize(
    ("name", "accepted"),
    [
        ("optuna-tpe", "optuna's TPESampler takes .*n_startup_trials, n_ei_candidates"),
        ("optuna-gp", "optuna's GPSampler takes .*n_startup_trials"),
        ("optuna-cmaes", "optuna's CmaEsSampler takes x0, sigma0"),
        ("hyperopt-tpe", "hyperopt's tpe.suggest takes prior_weight, n_startup_jobs, n_EI_candidates, gamma$"),
        ("smac3", "SMAC3 takes n_trials, use_default_config, n_trees"),
        ("skopt-gp", "skopt.Optimizer takes n_initial_points"),
    ],
)
def test_an_unknown_option_is_answered_with_those_of_the_library(name, accepted):
    need(name)
    with pytest.raises(InvalidOption, match=f"'{name}' has no option 'n_start'; {accepted}"):
        optimizer(name, SPACE, n_start=5)


@pytest.mark.parametrize(("name", "settings"), [("skopt-gp", {"acq_func": "none"}), ("smac3", {"n_configs": "four"})])
def test_a_value_that_the_library_refuses_is_explained(name, settings):
    need(name)
    with pytest.raises(InvalidOption, match=f"'{name}' refuses {next(iter(settings))}="):
        optimizer(name, SPACE, **settings)


def test_options_come_from_the_command_line(capsys):
    need("optuna-tpe")
    assert main(["run", "branin", "optuna-tpe", "--trials", "12", "--option", "n_startup_trials=5"]) == 0
    five = capsys.readouterr().out
    assert main(["run", "branin", "optuna-tpe", "--trials", "12"]) == 0
    assert capsys.readouterr().out != five
    assert main(["run", "branin", "optuna-tpe", "--option", "n_start=5"]) == 2
    assert "n_startup_trials" in capsys.readouterr().err
