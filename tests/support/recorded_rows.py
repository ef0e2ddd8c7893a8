"""Recorded evaluations of a made-up task."""

from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pandas as pd

from tabular.surrogates import choice, held_out
from tabular.surrogates.trees.fitting import Boosting


def recorded(n=120, seed=0, budgets=(1,), n_repetitions=1, noise=0.0):
    """Rows of a task with a log float, an integer and a condition: momentum is used by sgd only."""
    rng = np.random.default_rng(seed)
    lr, depth = 10 ** rng.uniform(-4, 0, n), rng.integers(1, 9, n)
    solver = rng.choice(["adam", "sgd"], n)
    momentum = np.where(solver == "sgd", rng.random(n), np.nan)
    base = (np.log10(lr) + 2) ** 2 + 0.2 * depth + np.where(solver == "sgd", 1 - np.nan_to_num(momentum), 0.3)
    rows = []
    for epoch in budgets:
        for repetition in range(n_repetitions):
            loss = 0.1 + base * (1 + 1 / epoch) + noise * rng.standard_normal(n)
            rows.append(
                pd.DataFrame(
                    {
                        "lr": lr,
                        "depth": depth,
                        "solver": solver,
                        "momentum": momentum,
                        "epoch": epoch,
                        "repetition": repetition,
                        "error": loss,
                        "seconds": epoch * depth * (1.0 + (solver == "sgd")),
                    }
                )
            )
    return pd.concat(rows, ignore_index=True)


CONFIG = ["lr", "depth", "solver", "momentum"]


@contextmanager
def small_models():
    """Training tries one model of the loss, 40 trees of 8 leaves; that of the cost has as many."""
    small = Boosting(leaves=8, n_trees=40, rate=0.2)
    with (
        patch.object(choice, "settings_for", lambda records: [small]),
        patch.object(choice, "fitting_scales", lambda losses: ["scores"]),
        patch.object(held_out, "COST", replace(held_out.COST, n_trees=40, rate=0.2)),
    ):
        yield
