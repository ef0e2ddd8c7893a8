"""`Space.suggest` with optuna's own trials."""

import numpy as np
import pytest

from hpo_core import Benchmark, Categorical, Condition, Constant, Float, Int, Ordinal, Space
from hpo_core.errors import InvalidConfig

optuna = pytest.importorskip("optuna")
optuna.logging.set_verbosity(optuna.logging.ERROR)

SPACE = Space(
    [
        Categorical("kernel", ["linear", "rbf"]),
        Float("gamma", 1e-4, 1.0, log=True),
        Int("depth", 1, 64, log=True),
        Ordinal("batch_size", [16, 32, 64]),
        Categorical("shuffle", [True, False]),
        Constant("version", 3),
    ],
    [Condition("gamma", "kernel", ("rbf",))],
)


def study(seed=0):
    return optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))


def test_suggestions_are_configurations_and_the_conditions_hold():
    found = []
    s = study()
    for _ in range(40):
        trial = s.ask()
        config = SPACE.suggest(trial)
        assert SPACE.check(config) == config
        assert trial.params == config
        found.append(config)
    assert {"gamma" in config for config in found} == {True, False}
    assert {config["batch_size"] for config in found} == {16, 32, 64}
    depths = np.array([config["depth"] for config in found])
    assert (depths <= 8).mean() > 0.3  # on the log scale half of 1..64 lies below 8, on the linear one an eighth


def test_the_study_knows_the_bounds_and_scales():
    s = study()
    trials = [s.ask() for _ in range(10)]
    trial = next(trial for trial in trials if "gamma" in SPACE.suggest(trial))
    gamma = trial.distributions["gamma"]
    assert (gamma.low, gamma.high, gamma.log) == (1e-4, 1.0, True)
    assert trial.distributions["batch_size"].choices == (16, 32, 64)


def test_the_best_parameters_of_a_study_are_a_configuration_of_the_benchmark():
    b = Benchmark("protein")
    s = study()
    s.optimize(lambda trial: b.objective(b.space.suggest(trial)).loss, n_trials=15)
    assert b.objective(s.best_params).loss == s.best_value


def test_a_fixed_trial_outside_of_the_space_is_refused():
    with pytest.raises(InvalidConfig, match="'depth'"), pytest.warns(UserWarning):
        SPACE.suggest(
            optuna.trial.FixedTrial({"kernel": "linear", "depth": 99, "batch_size": 16, "shuffle": True, "version": 3})
        )
