"""Training of fully connected networks as for the FC-Net tables: learning curves of one run as a function of its seed.

The recipe (Klein, 2020, section 7.1): 60/20/20 split; features, and a regression's target, standardised by mean and
standard deviation of the training set (the text says variance; the numbers in its tables come from the standard
deviation); mean squared error, or cross-entropy of a softmax; Adam with Keras' defaults; Glorot-uniform weights, biases
0; rows shuffled in every epoch, the last smaller batch kept; dropout after each hidden layer, the kept activations
divided by the share kept.

Arithmetic is float32 in a fixed order, so a run gives the same bits in any thread and whatever else is running.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from fcnet_data.datasets.dataset import Dataset, InvalidDataset, TaskKind
from fcnet_data.datasets.splits import split, standardised
from fcnet_data.fcnet.inputs import Chunks, KernelSettings, chunks, seed_key
from fcnet_data.fcnet.recipes import ACTIVATIONS, EPOCHS, Recipe
from hpo_core.errors import InvalidBudget, InvalidSeed, MissingExtra

DIVERGED_LOSS = 1e9  # recorded for a loss that is larger or not a number; the error rate of the latter is 1


@dataclass(frozen=True, eq=False)
class TrainingData:
    """A split dataset, standardised and in the layout of the training kernel; shared by all runs on it."""

    task: TaskKind
    n_classes: int
    features: np.ndarray
    target: np.ndarray
    valid: Chunks
    test: Chunks

    @property
    def n_features(self) -> int:
        return self.features.shape[1]


@dataclass(frozen=True, eq=False)
class TrainedCurves:
    """Learning curves of one run.

    train_loss, valid_loss, test_loss      (epochs,) mean squared error in units of the training target's variance, or
                                           cross-entropy in nats, after each epoch; the training loss is the running
                                           mean over the epoch, with dropout, as Keras reports it
    train_error, valid_error, test_error   (epochs,) share of wrong classes; None for regression
    n_params                               number of weights and biases
    runtime                                seconds of processor time, evaluations included; a run that ended early is
                                           charged as if its other epochs had taken as long
    diverged_after                         number of epochs before the first loss that was not finite; None if all were
    """

    train_loss: np.ndarray
    valid_loss: np.ndarray
    test_loss: np.ndarray
    train_error: np.ndarray | None
    valid_error: np.ndarray | None
    test_error: np.ndarray | None
    n_params: int
    runtime: float
    diverged_after: int | None


def training_data(dataset: Dataset, split_seed: int = 0) -> TrainingData:
    """The dataset's 60/20/20 split, ready to train on."""
    parts = standardised(split(dataset, split_seed), target=dataset.task == "regression")
    with np.errstate(over="ignore"):
        features = np.ascontiguousarray(parts.train_features, np.float32)
    if not np.isfinite(features).all():
        raise InvalidDataset(f"features of {dataset.name!r} do not fit into 32-bit numbers once standardised")
    if len(np.unique(parts.train_target)) < 2:
        raise InvalidDataset(
            f"target {dataset.target_name!r} of {dataset.name!r} has one value in all of its {len(features)} training "
            "rows; use another split seed (--split-seed), or a target that varies more"
        )
    return TrainingData(
        dataset.task,
        dataset.n_classes,
        features,
        np.ascontiguousarray(parts.train_target, np.float32),
        chunks(parts.valid_features, parts.valid_target),
        chunks(parts.test_features, parts.test_target),
    )


def train(recipe: Recipe, data: TrainingData, seed: int, epochs: int = EPOCHS) -> TrainedCurves:
    """Learning curves of one run.

    The first call in a fresh installation compiles the kernel, which takes about 10 s and is kept on disk. Runs may be
    distributed over threads: the kernel does not hold the interpreter's lock.

    Parameters
    ----------
    recipe
        Architecture and hyperparameters of the training.
    data
        From `training_data`.
    seed
        Of initial weights, shuffles and dropout.
    epochs
        1..100; a shorter run is the beginning of a longer one.

    Returns
    -------
    TrainedCurves
        Losses after each epoch.

    Examples
    --------
    >>> from fcnet_data.datasets import open_dataset
    >>> from fcnet_data.fcnet import Recipe, train, training_data
    >>> recipe = Recipe(16, 16, "relu", "tanh", 0.0, 0.3, batch_size=8, learning_rate=1e-3, schedule="cosine")
    >>> curves = train(recipe, training_data(open_dataset("diabetes")), seed=0, epochs=3)
    >>> curves.valid_loss.shape, curves.n_params
    ((3,), 465)
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InvalidSeed(f"seed must be an integer >= 0, got {seed!r}")
    if isinstance(epochs, bool) or not isinstance(epochs, (int, np.integer)) or not 1 <= epochs <= EPOCHS:
        raise InvalidBudget(f"epochs must be one of 1..{EPOCHS}, got {epochs!r}")
    run = _kernel()
    settings, rates, key = _settings(recipe, data), recipe.rates(epochs), seed_key(seed)
    curves = np.full((epochs, 3, 2), np.inf)
    if not run.signatures:  # compile before the clock starts
        run(settings, data.features, data.target, data.valid, data.test, rates[:0], key, curves[:0])
    start = time.thread_time()
    trained_epochs, _, _ = run(settings, data.features, data.target, data.valid, data.test, rates, key, curves)
    seconds = time.thread_time() - start
    return _training(recipe, data, curves, seconds * epochs / trained_epochs)


def _kernel() -> Any:
    try:
        import numba  # noqa: F401
    except ImportError:
        raise MissingExtra("numba", "collect") from None
    from fcnet_data.fcnet.kernel.training import run

    return run


def _settings(recipe: Recipe, data: TrainingData) -> KernelSettings:
    return KernelSettings(
        n_features=data.n_features,
        n_units_1=int(recipe.n_units_1),
        n_units_2=int(recipe.n_units_2),
        n_classes=data.n_classes,
        activation_1=ACTIVATIONS.index(recipe.activation_1),
        activation_2=ACTIVATIONS.index(recipe.activation_2),
        dropout_1=float(recipe.dropout_1),
        dropout_2=float(recipe.dropout_2),
        batch_size=int(recipe.batch_size),
    )


def _training(recipe: Recipe, data: TrainingData, curves: np.ndarray, runtime: float) -> TrainedCurves:
    """Result of a run, from its curves [epoch, set, loss or error], with every loss at most `DIVERGED_LOSS`."""
    finite = np.isfinite(curves[..., 0])
    train_loss, valid_loss, test_loss = np.where(finite, np.minimum(curves[..., 0], DIVERGED_LOSS), DIVERGED_LOSS).T
    train_error = valid_error = test_error = None
    if data.task == "classification":
        train_error, valid_error, test_error = np.where(finite, curves[..., 1], 1.0).T
    return TrainedCurves(
        train_loss,
        valid_loss,
        test_loss,
        train_error,
        valid_error,
        test_error,
        recipe.n_params(data.n_features, max(1, data.n_classes)),
        runtime,
        diverged_after=None if finite.all() else int(np.argmin(finite.all(axis=1))),
    )
