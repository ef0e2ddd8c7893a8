"""Other libraries behind `ask` and `tell`: the spaces that they get, and that they run as they do by hand."""

import logging
import math
import os
import re
import subprocess
import sys
import tomllib
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from adapted import MODULES, SPACE, configs, loss_of, made, need

from baselines import optimizer, optimizers
from baselines.adapters.parts.library import quiet
from baselines.adapters.parts.searched import Searched
from hpo_core import Categorical, Condition, Constant, Float, Int, Ordinal, Space
from hpo_core.errors import MissingExtra, UnsupportedSpace
from hpo_leaderboard.experiments.identity import optimizer_version

EXTRAS = {  # of each module, the extra that has it and nothing heavier
    "optuna-tpe": "optuna",
    "optuna-gp": "optuna-gp",
    "optuna-cmaes": "optuna",
    "optuna-hyperband": "optuna",
    "optuna-median": "optuna",
    "hyperopt-tpe": "hyperopt",
    "smac3": "smac",
    "smac3-mf": "smac",
    "skopt-gp": "skopt",
    "nevergrad-ngopt": "nevergrad",
}
everyone = pytest.mark.parametrize("name", MODULES)


# --- spaces --------------------------------------------------------------------------------------------------------


def test_every_adapter_is_tested():
    assert set(MODULES) == {name for name, entry in optimizers().items() if ".adapters." in str(entry.target)}


@pytest.mark.slow
@everyone
def test_every_kind_of_hyperparameter_is_varied_in_its_own_type(name):
    need(name)
    o = made(name, SPACE, seed=0)
    found = [o.ask().config for _ in range(12)]
    for config in found:
        checked = SPACE.check(config)
        assert list(config.items()) == list(checked.items())
        assert [type(value) for value in config.values()] == [type(value) for value in checked.values()]
    for h in SPACE:
        assert (len({config[h.name] for config in found}) > 1) == (h.size > 1)


def test_optuna_gets_distributions():
    need("optuna-tpe")
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    from baselines.adapters.optuna import distributions

    assert distributions(Searched(SPACE, "x").space) == {
        "float": FloatDistribution(-1.0, 3.0),
        "log_float": FloatDistribution(1e-4, 1.0, log=True),
        "int": IntDistribution(-2, 2),
        "log_int": IntDistribution(1, 64, log=True),
        "ordinal": IntDistribution(0, 3),
        "categorical": CategoricalDistribution([0, 1, 2]),
        "weighted": CategoricalDistribution([0, 1]),
    }


def test_skopt_gets_dimensions():
    need("skopt-gp")
    from skopt.space import Categorical as SkoptCategorical
    from skopt.space import Integer, Real

    from baselines.adapters.skopt import dimension

    assert [dimension(h) for h in Searched(SPACE, "x").space] == [
        Real(-1.0, 3.0),
        Real(1e-4, 1.0, prior="log-uniform"),
        Integer(-2, 2),
        Integer(1, 64, prior="log-uniform"),
        Integer(0, 3),
        SkoptCategorical([0, 1, 2]),
        SkoptCategorical([0, 1], prior=[0.75, 0.25]),
    ]


def test_hyperopt_gets_expressions_whose_draws_fill_the_space():
    need("hyperopt-tpe")
    from hyperopt.pyll.stochastic import sample

    from baselines.adapters.hyperopt import expressions

    searched = Searched(SPACE, "x")
    expression, rng = expressions(searched.space), np.random.default_rng(0)
    found = [SPACE.check(searched.config(sample(expression, rng))) for _ in range(600)]
    assert {config["int"] for config in found} == {-2, -1, 0, 1, 2}
    assert {config["ordinal"] for config in found} == {8, 16, 32, 64}
    assert {config["categorical"] for config in found} == {"relu", "tanh", None}
    assert 0.68 < np.mean([config["weighted"] for config in found]) < 0.82
    for name, low, high in [("log_float", 1e-4, 1.0), ("log_int", 0.5, 64.5)]:
        middle = math.sqrt(low * high)
        assert 0.42 < np.mean([config[name] < middle for config in found]) < 0.58
    assert abs(np.mean([config["float"] for config in found]) - 1.0) < 0.2
    ones = math.log(1.5 / 0.5) / math.log(64.5 / 0.5)  # the cell of 1 on the log scale, 0.226
    assert abs(np.mean([config["log_int"] == 1 for config in found]) - ones) < 0.07


def test_smac_gets_a_configspace_with_conditions_and_weights():
    need("smac3")
    space = Space(
        [Categorical("kernel", ["rbf", "linear"]), Float("gamma", 0.1, 10.0, log=True)],
        [Condition("gamma", "kernel", ("rbf",))],
    )
    o = optimizer("smac3", space, seed=0)
    found = [o.ask().config for _ in range(10)]
    assert {"gamma" in config for config in found} == {True, False}
    assert Space(Searched(SPACE, "x").space.to_configspace()) == Searched(SPACE, "x").space


@everyone
def test_a_space_of_one_point_is_refused_installed_or_not(name):
    with pytest.raises(UnsupportedSpace, match=f"'{name}' needs a hyperparameter with more than one value"):
        made(name, Space([Constant("a", 1), Int("b", 3, 3)]))


# --- runs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_optuna_tpe_is_optuna_by_hand(seed):
    need("optuna-tpe")
    import optuna

    by_hand = []

    def objective(trial):
        by_hand.append(
            {
                "float": trial.suggest_float("float", -1.0, 3.0),
                "log_float": trial.suggest_float("log_float", 1e-4, 1.0, log=True),
                "int": trial.suggest_int("int", -2, 2),
                "log_int": trial.suggest_int("log_int", 1, 64, log=True),
                "ordinal": [8, 16, 32, 64][trial.suggest_int("ordinal", 0, 3)],
                "categorical": trial.suggest_categorical("categorical", ["relu", "tanh", None]),
                "weighted": trial.suggest_categorical("weighted", [True, False]),
                "constant": "c",
                "single": 7,
            }
        )
        return loss_of(by_hand[-1])

    with quiet("optuna"):
        optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed)).optimize(objective, n_trials=40)
    assert configs(optimizer("optuna-tpe", SPACE, seed=seed), 40) == by_hand


def test_hyperopt_tpe_is_hyperopt_by_hand():
    need("hyperopt-tpe")
    from hyperopt import fmin, tpe

    from baselines.adapters.hyperopt import expressions

    searched = Searched(SPACE, "x")
    by_hand = []

    def objective(found):
        by_hand.append(searched.config(found))
        return loss_of(by_hand[-1])

    rng = np.random.default_rng(5)
    fmin(objective, expressions(searched.space), tpe.suggest, 30, rstate=rng, show_progressbar=False, verbose=False)
    assert configs(optimizer("hyperopt-tpe", SPACE, seed=5), 30) == by_hand


def test_warnings_and_log_lines_are_kept_back_for_a_while(recwarn, caplog):
    logger = logging.getLogger("some_library")
    with quiet("some_library"):
        warnings.warn("noise", stacklevel=1)
        logger.warning("noise")
    assert [*recwarn.list, *caplog.records] == []
    logger.warning("heard")
    assert [record.message for record in caplog.records] == ["heard"]


@pytest.mark.slow
@everyone
def test_it_says_nothing_and_leaves_no_trace(name, capfd, caplog, recwarn, tmp_path, monkeypatch):
    need(name)
    monkeypatch.chdir(tmp_path)
    levels = {logger: logging.getLogger(logger).level for logger in ("optuna", "smac", "skopt")}
    configs(made(name, SPACE, seed=0), 13)
    assert capfd.readouterr() == ("", "")
    assert caplog.records == []
    assert [str(w.message) for w in recwarn] == []
    assert list(tmp_path.iterdir()) == []
    assert {logger: logging.getLogger(logger).level for logger in levels} == levels


@everyone
def test_the_version_is_that_of_the_libraries(name):
    """The leaderboard keeps runs by it: another release of the library is another optimizer."""
    need(name)
    distributions = ["scikit-optimize" if module == "skopt" else module for module in MODULES[name]]
    stated = made(name, SPACE).version
    assert stated == ", ".join(f"{distribution} {version(distribution)}" for distribution in distributions)
    assert optimizer_version(name, made(name, SPACE)).endswith(stated)


@everyone
def test_a_missing_library_is_named_with_the_extra_that_has_it(name, monkeypatch):
    module = MODULES[name][-1]
    for known in [m for m in sys.modules if m.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, known)
    monkeypatch.setitem(sys.modules, module, None)
    if len(MODULES[name]) > 1:
        pytest.importorskip(MODULES[name][0])
    with pytest.raises(MissingExtra, match=rf'{module} is needed here .*pip install "hpo-foundry\[{EXTRAS[name]}\]"'):
        made(name, SPACE)


@everyone
def test_that_extra_has_its_libraries_and_peers_has_them_all(name):
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    installed = {re.split(r"[<>=\[]", line)[0] for line in extras[EXTRAS[name]]}
    assert {{"skopt": "scikit-optimize"}.get(module, module) for module in MODULES[name]} <= installed
    assert EXTRAS[name] in re.split(r"[\[\],]", extras["peers"][0])


@everyone
def test_a_large_seed_is_a_seed(name):
    need(name)
    large, other = (made(name, SPACE, seed=seed).ask().config for seed in (2**40 + 7, 2**40 + 8))
    assert SPACE.check(large) == large != other


@pytest.mark.parametrize("name", ["smac3", "skopt-gp"])
def test_pending_configurations_are_not_proposed_again(name):
    need(name)
    space = Space([Ordinal("o", range(5)), Categorical("c", "abc")])
    o = optimizer(name, space, seed=0)
    for _ in range(10):
        proposal = o.ask()
        o.tell(proposal, float(proposal.config["o"]), 1.0)
    pending = [tuple(o.ask().config.items()) for _ in range(3)]
    assert len(set(pending)) == 3


@pytest.mark.slow
@pytest.mark.parametrize("told", [None, math.inf, 0.5])
def test_smac_ends_when_every_configuration_was_proposed(told):
    """Whether results are pending, failed or known."""
    need("smac3")
    rbf = Condition("gamma", "kernel", ("rbf",))
    o = optimizer("smac3", Space([Categorical("kernel", ["rbf", "linear"]), Ordinal("gamma", range(5))], [rbf]), seed=0)
    proposals = []
    while (proposal := o.ask()) is not None and len(proposals) < 20:
        proposals.append(proposal)
        if told is not None:
            o.tell(proposal, told, 1.0)
    assert len({tuple(proposal.config.items()) for proposal in proposals}) == len(proposals) == 6
    assert o.ask() is None


def test_smac_is_told_a_failure_with_the_highest_loss_so_far(monkeypatch):
    need("smac3")
    o = optimizer("smac3", SPACE, seed=0)
    import smac

    told = []
    monkeypatch.setattr(
        smac.HyperparameterOptimizationFacade, "tell", lambda self, info, value, save=True: told.append(value)
    )
    for loss in (math.inf, 3.0, math.inf, 5.0, 4.0, math.inf):
        o.tell(o.ask(), loss, 1.0)
    assert [value.cost for value in told] == [3.0, 3.0, 5.0, 4.0, 5.0]
    assert [value.status.name == "CRASHED" for value in told] == [False, True, False, False, True]


@everyone
def test_failures_before_the_first_success_are_survived(name):
    need(name)
    o = made(name, SPACE, seed=0)
    for step in range(14):
        proposal = o.ask()
        o.tell(proposal, math.inf if step < 4 or step % 3 == 0 else loss_of(proposal.config), 1.0)
    assert SPACE.check(o.ask().config)


HASHED = """
from hpo_core import run
print([trial.config for trial in run({!r}, {!r}, n_trials={}, seed=0, options={{"n_trials": 24}}).trials])
"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "benchmark", "n"), [("smac3", "branin", 14), ("smac3-mf", "counting-ones-2-2", 36)])
def test_a_run_of_smac_does_not_depend_on_the_hash_seed(name, benchmark, n):
    need(name)
    printed = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", HASHED.format(benchmark, name, n)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert len(set(printed)) == 1 and printed[0].count("{") == n
