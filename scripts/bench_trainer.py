#!/usr/bin/env python3
"""Throughput of the FC-Net trainer against a plain torch loop and scikit-learn's MLPRegressor, in one run.

Prints training samples per second of processor time, each trainer on one thread. All train networks with two hidden
layers by Adam on the same random rows (20 features). The trainer here and the torch loop also evaluate the validation
and the test set (each a third of the training set) after every epoch; scikit-learn does not, which favours it. The
trainers take turns, and the best turn of each counts, because other processes can only slow one down.

    python scripts/bench_trainer.py
    python scripts/bench_trainer.py --units 64 --batch-size 8 32 --turns 5
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
from collections.abc import Callable

import numpy as np

from fcnet_data.datasets import Dataset, split, standardised
from fcnet_data.fcnet import Recipe, train, training_data

N_FEATURES = 20
Parts = tuple[np.ndarray, ...]
Trainer = Callable[[int, int, int, float, int], float]  # rows, units, batch size, dropout, epochs -> seconds


def rows(n_train: int) -> Dataset:
    """Dataset whose 60 % training part has about `n_train` rows."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(round(n_train / 0.6), N_FEATURES))
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2]
    return Dataset("random rows", "regression", x, y, tuple(f"x{k}" for k in range(N_FEATURES)), "y")


def _ours(n_train: int, units: int, batch_size: int, dropout: float, epochs: int) -> float:
    """Processor seconds of this project's trainer."""
    recipe = Recipe(units, units, "relu", "relu", dropout, dropout, batch_size, 1e-3, "const")
    return train(recipe, training_data(rows(n_train)), seed=0, epochs=epochs).runtime


def _torch_loop(n_train: int, units: int, batch_size: int, dropout: float, epochs: int) -> float:
    """Processor seconds of the usual loop in torch: Module, Adam, zero_grad, backward, step."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    parts = standardised(split(rows(n_train)), target=True)
    x, y, *others = (torch.from_numpy(part.astype(np.float32)) for part in parts)
    layers = [nn.Linear(N_FEATURES, units), nn.ReLU(), nn.Dropout(dropout)]
    layers += [nn.Linear(units, units), nn.ReLU(), nn.Dropout(dropout), nn.Linear(units, 1)]
    model = nn.Sequential(*(layer for layer in layers if dropout or not isinstance(layer, nn.Dropout)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7)
    loss_function = nn.MSELoss()
    start = time.process_time()
    for _ in range(epochs):
        model.train()
        total = 0.0
        for batch in torch.randperm(len(x)).split(batch_size):
            optimizer.zero_grad()
            loss = loss_function(model(x[batch]).squeeze(1), y[batch])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        model.eval()
        with torch.no_grad():
            for features, target in zip(others[::2], others[1::2], strict=True):
                loss_function(model(features).squeeze(1), target).item()
    return time.process_time() - start


def _scikit_learn(n_train: int, units: int, batch_size: int, dropout: float, epochs: int) -> float:
    """Processor seconds of MLPRegressor, which has no dropout and does not evaluate."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPRegressor
    from threadpoolctl import threadpool_limits

    parts = standardised(split(rows(n_train)), target=True)
    model = MLPRegressor(
        hidden_layer_sizes=(units, units),
        alpha=0,
        batch_size=batch_size,
        max_iter=epochs,
        tol=0,
        n_iter_no_change=10**6,
        random_state=0,
    )
    features, target = parts.train_features.astype(np.float32), parts.train_target.astype(np.float32)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.process_time()
        model.fit(features, target)
        return time.process_time() - start


def throughput(trainer: Trainer, units: int, batch_size: int, dropout: float, seconds: float) -> float:
    """Training samples per second of processor time.

    Parameters
    ----------
    trainer
        Function that trains and returns seconds.
    units, batch_size, dropout
        Of the network and its training.
    seconds
        Approximate length of the run.

    Returns
    -------
    float
        Samples per second.
    """
    n_train, epochs = 512, 1
    elapsed = trainer(n_train, units, batch_size, dropout, epochs)
    scale = seconds / max(elapsed, 1e-4)
    epochs = int(min(100, max(1, scale)))
    n_train = int(n_train * min(16, max(1, scale / epochs)))
    return n_train * epochs / trainer(n_train, units, batch_size, dropout, epochs)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, nargs="+", default=[16, 64, 512], help="units of each hidden layer")
    parser.add_argument("--batch-size", type=int, nargs="+", default=[8], help="samples in a batch")
    parser.add_argument("--dropout", type=float, default=0.0, help="dropout rate of both hidden layers (default 0)")
    parser.add_argument("--turns", type=int, default=3, help="turns of each trainer; the best counts (default 3)")
    parser.add_argument("--seconds", type=float, default=1.0, help="approximate length of a turn (default 1)")
    options = parser.parse_args()
    trainers: dict[str, Trainer] = {"hpo-foundry": _ours, "torch loop": _torch_loop, "scikit-learn": _scikit_learn}
    if importlib.util.find_spec("torch") is None:
        print('torch is not installed, its column is left out: pip install "hpo-foundry[profet]"')
        del trainers["torch loop"]
    if options.dropout:
        del trainers["scikit-learn"]
    print("1000 training samples per second of processor time (times as many as the others)\n")
    print("units  batch " + "".join(f"{name:>22}" for name in trainers))
    for units in options.units:
        for batch_size in options.batch_size:
            best = dict.fromkeys(trainers, 0.0)
            for _ in range(options.turns):
                for name, trainer in trainers.items():
                    found = throughput(trainer, units, batch_size, options.dropout, options.seconds)
                    best[name] = max(best[name], found)
            cells = [f"{best[name] / 1e3:>13.1f} ({best['hpo-foundry'] / best[name]:>5.1f}x)" for name in trainers]
            print(f"{units:>5}  {batch_size:>5} " + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
