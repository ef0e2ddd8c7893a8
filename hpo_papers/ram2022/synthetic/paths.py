"""Training paths of the 36 networks: what was reached after how many epochs. The part of the study that takes time.

A path to a tolerance needs only the epochs that reached a new minimum: the first epoch within rho of the lowest risk is
one of them. So a path is stored as its records.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from fcnet_data.fcnet.restarts import NetworkPlan, rows_of, training_path
from hpo_papers.ram2022.synthetic.points import fresh, sample

PLANS = [NetworkPlan(*values) for values in product((1, 2, 3), (10, 100), (0.1, 0.01), (8, 32, 128))]
DIGITS = 6


def paths(
    cloud: str, n: int, m: int, trial: int, restarts: int, epochs: int, members: list[int]
) -> list[dict[str, Any]]:
    """Paths of some of `PLANS`, trained on the first m of n points; the others are held out.

    Parameters
    ----------
    cloud, n, trial
        The sample of points.
    m
        Points to train on; n of them is the final training on all rows.
    restarts, epochs
        Of each training; epochs is the largest number.
    members
        Places in `PLANS`.

    Returns
    -------
    list of dict
        "epochs", the number that exact training took, and the records of "error" and of "loss": rows of the epoch
        (from 1), the training error or loss, and the errors on held-out (0 if there are none) and on fresh points.
    """
    x, y = sample(cloud, n, trial)
    train, held_out, new = rows_of(x[:m], y[:m]), rows_of(x[m:], y[m:]), rows_of(*fresh(cloud))
    found = []
    for member in members:
        seed = np.random.SeedSequence([trial, n, m, member])
        path = training_path(PLANS[member], train, held_out, new, seed, restarts=restarts, epochs=epochs)
        error, loss = path[:, 0, [1, 2, 3]], path[:, 1, [0, 2, 3]]
        found.append({"epochs": len(path), "error": records(error), "loss": records(loss)})
    return found


def records(values: np.ndarray) -> list[list[float]]:
    """Rows of epoch and values, of the epochs whose first value is below that of all before."""
    before = np.concatenate([[np.inf], np.minimum.accumulate(values[:, 0])[:-1]])
    best = np.flatnonzero(values[:, 0] < before)
    rounded = np.round(np.nan_to_num(values[best]), DIGITS)
    return [[int(epoch) + 1, *row] for epoch, row in zip(best, rounded.tolist(), strict=True)]
