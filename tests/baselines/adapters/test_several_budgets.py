"""Adapters that evaluate at several budgets: which of them, in what order, and that it is what the library does."""

import pytest
from adapted import SEVERAL, SPACE, loss_of, need

from baselines import optimizer
from baselines.adapters.parts.library import quiet
from hpo_core import Benchmark, Float, Space, run
from hpo_core.errors import InvalidBudget, InvalidOption

BUDGETS = (1, 3, 9, 27)
PRUNERS = {"optuna-hyperband": "HyperbandPruner", "optuna-median": "MedianPruner"}
SQUARE = Space([Float("a", 0.0, 1.0), Float("b", 0.0, 1.0)])


def loss_at(config, budget):
    """A loss whose order of configurations changes between budgets."""
    return (config["a"] - 0.3) ** 2 + config["b"] / budget


def told(o, n):
    """Configurations and budgets of n proposals, each told at once."""
    found = []
    for _ in range(n):
        proposal = o.ask()
        found.append((dict(proposal.config), proposal.budget))
        o.tell(proposal, loss_at(*proposal), 1.0)
    return found


@pytest.mark.parametrize(("name", "pruner"), PRUNERS.items())
def test_a_pruned_study_is_optuna_by_hand(name, pruner):
    need(name)
    import optuna

    by_hand = []

    def objective(trial):
        config = {"a": trial.suggest_float("a", 0.0, 1.0), "b": trial.suggest_float("b", 0.0, 1.0)}
        for budget in BUDGETS:
            by_hand.append((config, budget))
            loss = loss_at(config, budget)
            trial.report(loss, budget)
            if budget < BUDGETS[-1] and trial.should_prune():
                raise optuna.TrialPruned
        return loss

    with quiet("optuna"):
        made = getattr(optuna.pruners, pruner)(**({"max_resource": 27} if "Hyperband" in pruner else {}))
        sampler = optuna.samplers.TPESampler(seed=4)
        study = optuna.create_study(study_name="seed 4", sampler=sampler, pruner=made)
        study.optimize(objective, n_trials=40)
    o = optimizer(name, SQUARE, BUDGETS, seed=4)
    assert told(o, len(by_hand)) == by_hand
    states = [trial.state.name for trial in study.trials]
    assert [trial.state.name for trial in o.study.trials] == states and {"PRUNED", "COMPLETE"} == set(states)


@pytest.mark.parametrize("name", PRUNERS)
def test_options_of_pruner_and_sampler_reach_them(name):
    need(name)
    slow = {"optuna-hyperband": {"min_resource": 27}, "optuna-median": {"n_startup_trials": 10**6}}[name]
    o = optimizer(name, SQUARE, BUDGETS, seed=0, **slow)
    assert [budget for _, budget in told(o, 40)] == list(BUDGETS) * 10  # none is pruned
    optimizer(name, SQUARE, BUDGETS, n_ei_candidates=5)
    with pytest.raises(InvalidOption, match=r"no option 'patience'; optuna's .* and TPESampler takes .*multivariate"):
        optimizer(name, SQUARE, BUDGETS, patience=3)


def test_what_a_pruner_refuses_is_said_in_its_words():
    need("optuna-median")
    with pytest.raises(InvalidOption, match="refuses n_warmup_steps=-1"):
        optimizer("optuna-median", SQUARE, BUDGETS, n_warmup_steps=-1)


@pytest.mark.parametrize("name", SEVERAL)
def test_one_budget_is_refused(name):
    with pytest.raises(InvalidBudget, match="at least two budgets"):
        optimizer(name, SQUARE)


@pytest.mark.parametrize("name", PRUNERS)
def test_a_training_that_fails_is_told_as_failed(name):
    need(name)
    o = optimizer(name, SPACE, BUDGETS, seed=0)
    first = o.ask()
    o.tell(first, loss_of(first.config), 1.0)
    second = o.ask()
    assert (second.config, second.budget) == (first.config, 3)
    o.tell(second, float("inf"), 1.0)
    assert o.ask().config != first.config and o.study.trials[0].state.name == "FAIL"


def test_pruning_saves_time_on_a_table_with_learning_curves():
    need("optuna-median")
    b = Benchmark("mini-wine")
    runs = {name: run(b, name, n_trials=150, seed=0) for name in PRUNERS}
    for r in runs.values():
        full = [trial for trial in r.trials if trial.budget == b.budgets[-1]]
        begun = {str(trial.config) for trial in r.trials}
        assert 0 < len(full) < len(begun)


# --- SMAC3 ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_smac_runs_as_by_hand(tmp_path):
    need("smac3-mf")
    import smac

    from baselines.adapters.smac3 import order_starts

    by_hand = []

    def objective(config, seed=0, budget=0.0):
        by_hand.append((dict(config), budget))
        return loss_at(*by_hand[-1])

    with quiet("smac"):
        settings = {"min_budget": 1, "max_budget": 27, "n_trials": 40, "deterministic": True, "seed": 4}
        scenario = smac.Scenario(SQUARE.to_configspace(), output_directory=tmp_path, **settings)
        facade = smac.MultiFidelityFacade(scenario, objective, logging_level=False)
        order_starts(facade)
        facade.optimize()
    assert told(optimizer("smac3-mf", SQUARE, BUDGETS, seed=4, n_trials=40), len(by_hand)) == by_hand
    assert {budget for _, budget in by_hand} == set(BUDGETS)


def test_smac_asks_at_budgets_that_there_are():
    need("smac3-mf")
    o = optimizer("smac3-mf", SQUARE, (2, 5, 10, 20), seed=0, eta=2)  # 2.5, 5, 10 and 20 for SMAC
    assert [budget for _, budget in told(o, 15)] == [2] * 8 + [5] * 4 + [10] * 2 + [20]


@pytest.mark.slow
def test_smac_promotes_after_failures_before_the_first_success():
    need("smac3-mf")
    o = optimizer("smac3-mf", SQUARE, BUDGETS, seed=0)
    found = []
    while not found or found[-1].budget == 1:
        found.append(o.ask())
        o.tell(found[-1], float("inf") if len(found) <= 5 else loss_at(*found[-1]), 1.0)
    *first, promoted = found
    assert promoted.budget == 3 and 20 <= len(first) <= 27  # SMAC may draw a configuration twice
    assert promoted.config in [p.config for p in sorted(first[5:], key=lambda p: loss_at(*p))[:9]]


@pytest.mark.slow
def test_options_of_smac_reach_hyperband_and_the_others():
    need("smac3-mf")
    o = optimizer("smac3-mf", SQUARE, BUDGETS, eta=27)
    assert {budget for _, budget in told(o, 28)} == {1, 27}
    with pytest.raises(InvalidOption, match=r"no option 'etta'; SMAC3 takes n_trials, .*eta"):
        optimizer("smac3-mf", SQUARE, BUDGETS, etta=3)
