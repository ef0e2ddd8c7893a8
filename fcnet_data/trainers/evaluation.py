"""Hold-out and cross-validated evaluation of a trainer's configuration.

Losses are the share of wrong classes, or the root of the mean squared error. A regression whose predictions are not
finite, or wrong by more than `DIVERGED` standard deviations of the training target, has diverged; its loss is recorded
as exactly that number of standard deviations.

Costs are seconds of processor time of the calling thread, which do not grow when the machine is busy.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from fcnet_data.datasets.dataset import Dataset, TaskKind
from fcnet_data.datasets.splits import folds, moments, split
from fcnet_data.trainers.trainer import Trainer
from hpo_core.errors import InvalidOption, InvalidSeed
from hpo_core.space import Config

SINGLE = 10  # folds of which one validates where there is no cross-validation
DIVERGED = 1e6  # standard deviations of the training target


class Evaluation(NamedTuple):
    """Validation and test loss, cost in seconds, and the loss of each fold (none without cross-validation)."""

    valid_loss: float
    test_loss: float
    cost: float
    folds: tuple[float, ...] = ()


def holdout(trainer: Trainer, config: Config, dataset: Dataset, *, seed: int, split_seed: int = 0) -> Evaluation:
    """Evaluation on the 60/20/20 split; a regression's loss is in standard deviations of the training target.

    Parameters
    ----------
    trainer, config
        The algorithm and its hyperparameters.
    dataset
        To train and evaluate on.
    seed
        Of the training.
    split_seed
        Of the split.

    Returns
    -------
    Evaluation
        Its cost is the seconds of training and of predicting the validation set.

    Examples
    --------
    >>> from fcnet_data.datasets import open_dataset
    >>> from fcnet_data.trainers import holdout, trainer
    >>> holdout(trainer("svm"), {"C": 10.0, "gamma": 0.01}, open_dataset("wine"), seed=0).valid_loss < 0.1
    True
    """
    config = _check(trainer, config, dataset, seed)
    parts = split(dataset, split_seed)
    center, scale = moments(parts.train_target) if dataset.task == "regression" else (0, 1)
    targets = [(target - center) / scale if dataset.task == "regression" else target for target in parts[1::2]]
    start = time.thread_time()
    predict = trainer.fit(config, parts.train_features, targets[0], dataset.task, _model_seed(seed, 0))
    valid_predictions = predict(parts.valid_features)
    cost = time.thread_time() - start
    return Evaluation(
        _loss(dataset.task, targets[1], valid_predictions, 1.0),
        _loss(dataset.task, targets[2], predict(parts.test_features), 1.0),
        cost,
    )


def cross_validate(
    trainer: Trainer, config: Config, dataset: Dataset, *, seed: int, split_seed: int = 0, n_folds: int = 10
) -> Evaluation:
    """Evaluation by cross-validation on 80 % of the rows, in the target's units; the rest is the test set.

    As in Makarova et al. (2022), the validation loss is the mean over the folds. The test loss is that of a model
    trained on all of the 80 %; the paper does not describe it.

    Parameters
    ----------
    trainer, config
        The algorithm and its hyperparameters.
    dataset
        To train and evaluate on.
    seed
        Of the trainings.
    split_seed
        Of the test set and of the folds.
    n_folds
        Number of folds; 1 is without cross-validation: the first of ten folds validates a model of the other nine, and
        the test loss is that of ten folds (Makarova et al., 2021, A.1.3).

    Returns
    -------
    Evaluation
        With the losses of the folds; its cost is the seconds of the folds alone.
    """
    config = _check(trainer, config, dataset, seed)
    test, parts = folds(dataset, SINGLE if n_folds == 1 else n_folds, split_seed)
    features, target, task = dataset.features, dataset.target, dataset.task
    losses = []
    start = time.thread_time()
    for k, fold in enumerate(parts[:n_folds]):
        rest = np.concatenate([part for j, part in enumerate(parts) if j != k])
        predict = trainer.fit(config, features[rest], target[rest], task, _model_seed(seed, k))
        losses.append(_loss(task, target[fold], predict(features[fold]), _std(target[rest])))
    cost = time.thread_time() - start
    development = np.concatenate(parts)
    predict = trainer.fit(config, features[development], target[development], task, _model_seed(seed, len(parts)))
    test_loss = _loss(task, target[test], predict(features[test]), _std(target[development]))
    return Evaluation(float(np.mean(losses)), test_loss, cost, tuple(losses))


def _check(trainer: Trainer, config: Config, dataset: Dataset, seed: int) -> Config:
    if dataset.task not in trainer.tasks:
        raise InvalidOption(
            f"{trainer.name!r} learns {' and '.join(trainer.tasks)}; {dataset.name!r} is {dataset.task}"
        )
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidSeed(f"seed must be an integer >= 0, got {seed!r}")
    return trainer.space.check(config)


def _model_seed(seed: int, fold: int) -> int:
    """Seed of one model of an evaluation, of 31 bits, which every library accepts."""
    return int(np.random.SeedSequence([seed, fold]).generate_state(1)[0] >> 1)


def _std(target: np.ndarray) -> float:
    return float(moments(target)[1])


def _loss(task: TaskKind, target: np.ndarray, predictions: np.ndarray, scale: float) -> float:
    if task == "classification":
        return float(np.mean(predictions != target))
    with np.errstate(over="ignore", invalid="ignore"):
        loss = float(np.sqrt(np.mean((predictions - target) ** 2)))
    largest = DIVERGED * scale
    return min(loss, largest) if np.isfinite(loss) else largest
