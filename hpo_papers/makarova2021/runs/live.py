"""Runs that are made here: Bayesian optimization of a trainer's cross-validation loss.

Seeds of the split of the data, of the optimizer and of the training are apart (section 3.1.2), and the training's is
the same in all evaluations of a run. The optimizer is `gp`: expected improvement under a Matern-5/2 process with its
most probable hyperparameters, where the paper averages over ten samples.
"""

from __future__ import annotations

from typing import Any

from baselines.bayesian.gp import gp
from fcnet_data.datasets import open_dataset
from fcnet_data.datasets.splits import subsample
from fcnet_data.on_demand import TRAINERS
from fcnet_data.trainers import cross_validate, trainer

PHONEME = "phoneme"  # the paper's op100-9952: OpenML's task 9952, with as many rows, columns and classes
EVALUATIONS = 200
ALGORITHMS = {**TRAINERS, "lm": "linear-optimal"}  # see `fcnet_data.trainers.linear`


def live_run(
    algorithm: str,
    dataset: str,
    n_evaluations: int,
    split: int,
    search: int,
    training: int,
    n_folds: int = 10,
    n_rows: int = 0,
) -> dict[str, list[Any]]:
    """Configurations, losses, test losses and fold losses of a run, one entry for each evaluation.

    Parameters
    ----------
    algorithm
        rf, xgb or xgb3, as in the names of the benchmarks `cv-ALGORITHM-DATASET`, or lm, which has
        scikit-learn's own learning rate here.
    dataset
        Name of the dataset.
    n_evaluations
        Length of the run.
    split, search, training
        Seeds of the split, of the optimizer and of the training.
    n_folds
        Number of folds; 1 is without cross-validation.
    n_rows
        Rows of a stratified sample of the dataset, 0 for all of it.
    """
    made, data = trainer(ALGORITHMS[algorithm]), open_dataset(dataset)
    data = subsample(data, n_rows) if n_rows else data
    method = gp(made.space, seed=search)
    found: dict[str, list[Any]] = {"config": [], "loss": [], "test": [], "folds": []}
    for _ in range(n_evaluations):
        proposal = method.ask()
        result = cross_validate(made, proposal.config, data, seed=training, split_seed=split, n_folds=n_folds)
        method.tell(proposal, result.valid_loss, result.cost)
        values = (dict(proposal.config), result.valid_loss, result.test_loss, list(result.folds))
        for key, value in zip(found, values, strict=True):
            found[key].append(value)
    return found


def reshuffled(
    algorithm: str, dataset: str, configs: list[dict[str, Any]], n_folds: int, split: int, n_rows: int = 0
) -> list[list[float]]:
    """(configuration, fold) losses of some configurations on one split, with one seed of the training.

    Parameters
    ----------
    algorithm, dataset, n_rows
        As for `live_run`.
    configs
        To evaluate.
    n_folds
        Number of folds.
    split
        Seed of the split.
    """
    made, data = trainer(ALGORITHMS[algorithm]), open_dataset(dataset)
    data = subsample(data, n_rows) if n_rows else data
    return [
        list(cross_validate(made, config, data, seed=0, split_seed=split, n_folds=n_folds).folds) for config in configs
    ]
