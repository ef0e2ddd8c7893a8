"""Own loops in Optuna and in SMAC3 on our benchmarks, with learning curves and with budgets.

    python own_loop.py                 as in the tutorial: a minute
    python own_loop.py --trials 20     seconds

Needs `pip install "hpo-foundry[optuna,smac]"`.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import ConfigSpace
import optuna
from smac import MultiFidelityFacade, Scenario

import hpo_foundry as hpo


class Outcome(NamedTuple):
    """Best configuration that a loop found, and the seconds that its trainings took when they were recorded."""

    config: dict
    seconds: float


def with_optuna(name: str, n_trials: int, seed: int = 0) -> Outcome:
    """TPE with Hyperband's pruner, which stops bad trainings early."""
    b = hpo.Benchmark(name)
    seconds = []

    def objective(trial: optuna.Trial) -> float:
        config = b.space.suggest(trial)
        for epoch in b.budgets:
            result = b.objective(config, budget=epoch, seed=trial.number)
            trial.report(result.loss, step=int(epoch))
            if trial.should_prune():
                break
        seconds.append(result.cost)  # of all epochs up to this one
        if epoch < b.budgets[-1]:
            raise optuna.TrialPruned
        return result.loss

    study = optuna.create_study(
        sampler=optuna.samplers.TPESampler(seed=seed),
        pruner=optuna.pruners.HyperbandPruner(min_resource=1, max_resource=int(b.budgets[-1]), reduction_factor=3),
        study_name="own loop",  # the pruner assigns trials to brackets by a hash of this name
    )
    study.optimize(objective, n_trials=n_trials)
    return Outcome(b.space.check(study.best_params), sum(seconds))


def with_smac(name: str, n_trials: int, seed: int = 0) -> Outcome:
    """SMAC3's multi-fidelity facade: Hyperband with configurations from a random forest."""
    b = hpo.Benchmark(name, nearest_budget=True)  # SMAC3 asks for 1.23 epochs, the table has whole ones
    seconds = []

    def objective(config: ConfigSpace.Configuration, seed: int = 0, budget: float = 0.0) -> float:
        result = b.objective(config, budget=budget, seed=seed)
        seconds.append(result.cost)
        return result.loss

    scenario = Scenario(
        b.configspace, output_directory="smac3", n_trials=n_trials, min_budget=1, max_budget=b.budgets[-1], seed=seed
    )
    facade = MultiFidelityFacade(scenario, objective, logging_level=False, overwrite=True)
    incumbent = facade.optimize()
    return Outcome(b.space.check(incumbent), sum(seconds))


def main() -> None:
    """Print the regret of both loops, and of this package's Hyperband and TPE in as many seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--benchmark", default="lcbench/3945", help="one with learning curves, such as mini-wine")
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    b = hpo.Benchmark(options.benchmark)
    outcomes = {loop.__name__: loop(options.benchmark, options.trials) for loop in (with_optuna, with_smac)}
    limit = max(outcome.seconds for outcome in outcomes.values())
    for optimizer in ("tpe", "hyperband"):
        run = hpo.run(b, optimizer, n_trials=None, max_cost=limit, seed=0)
        outcomes[f"run(..., {optimizer!r})"] = Outcome(run.best_config, run.trials[-1].end)
    for loop, outcome in outcomes.items():
        regret = b.objective(outcome.config).loss - b.optimum
        print(f"{loop:24} regret {regret:.5f} after {outcome.seconds:.3g} seconds of training")


if __name__ == "__main__":
    main()
