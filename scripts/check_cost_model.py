#!/usr/bin/env python3
"""How far the modelled cost of FC-Nets (`fcnet_data.fcnet.cost`) is from this machine, by dataset.

Trains random networks of a grid for a few epochs, one at a time on one core, and prints model / measured: the median,
which says how fast this machine is, and the spread of the logarithm, which says how well the model orders networks.
The shortest of three trainings counts, because other processes can only slow one down.

    python scripts/check_cost_model.py
    python scripts/check_cost_model.py --datasets concrete letter --networks 50
"""

from __future__ import annotations

import argparse

import numpy as np

from fcnet_data.collection.grids import fcnet_grid
from fcnet_data.datasets import open_dataset
from fcnet_data.fcnet import fcnet_recipe, train, training_data
from fcnet_data.fcnet.cost import epoch_cost

DATASETS = ["diabetes", "concrete", "breast-cancer", "wine", "vehicle", "segment", "digits", "vowel"]
EPOCHS, TURNS = 3, 3


def ratios(dataset: str, n_networks: int) -> np.ndarray:
    """(n_networks,) model / measured."""
    data = training_data(open_dataset(dataset))
    recipes = [fcnet_recipe(config) for config in fcnet_grid(["B"]).sample(np.random.default_rng(1), n_networks)]
    measured = [min(train(r, data, 0, EPOCHS).runtime for _ in range(TURNS)) / EPOCHS for r in recipes]
    return np.array([epoch_cost(r, data) for r in recipes]) / measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--networks", type=int, default=24)
    options = parser.parse_args()
    print(f"{'dataset':<16}{'classes':>8}{'median':>8}{'5 %':>8}{'95 %':>8}{'sd of log':>11}")
    for name in options.datasets:
        found = ratios(name, options.networks)
        low, middle, high = np.quantile(found, [0.05, 0.5, 0.95])
        spread = np.log(found).std()
        print(f"{name:<16}{open_dataset(name).n_classes:>8}{middle:>8.2f}{low:>8.2f}{high:>8.2f}{spread:>11.2f}")


if __name__ == "__main__":
    main()
