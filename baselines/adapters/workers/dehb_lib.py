"""DEHB (Awad et al., 2021) as its authors' library has it; options are those of `dehb.DEHB`.

DEHB searches a cube of numbers between 0 and 1, which are turned into values as the library turns them into those of a
ConfigSpace: a choice has a part of [0, 1] of its own for each value, an int is rounded. Its budgets, the highest one
divided by powers of eta, are evaluated at the nearest budget of the benchmark. A failed trial has an infinite loss.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from typing import Any

DISTRIBUTIONS = ["DEHB", "numpy"]
LEAST_BUDGETS = 2


class DehbPeer:
    """The library, asked and told."""

    def __init__(self, hyperparameters: list[dict], budgets: list[float], seed: int, options: dict):
        from dehb import DEHB
        from loguru import logger

        self._hyperparameters, self._budgets = hyperparameters, budgets
        folder = tempfile.mkdtemp()
        self._dehb = DEHB(
            dimensions=len(hyperparameters),
            min_fidelity=budgets[0],
            max_fidelity=budgets[-1],
            seed=seed,
            n_workers=1,
            save_freq="end",
            output_path=folder,
            **options,
        )
        logger.remove()  # it would write into the folder for as long as the process lives
        shutil.rmtree(folder)

    def ask(self) -> tuple[dict, float, Any]:
        job = self._dehb.ask()
        config = {h["name"]: value(h, unit) for h, unit in zip(self._hyperparameters, job["config"].tolist())}
        return config, min(self._budgets, key=lambda budget: abs(budget - job["fidelity"])), job

    def tell(self, job: Any, loss: float | None, cost: float | None) -> None:
        self._dehb.tell(job, {"fitness": math.inf if loss is None else loss, "cost": cost or 0.0})


def value(h: dict, unit: float) -> Any:
    """Value of a hyperparameter at a number between 0 and 1."""
    if "values" in h:
        return h["values"][min(int(unit * len(h["values"])), len(h["values"]) - 1)]
    low, high = h["low"], h["high"]
    found = math.exp(math.log(low) + unit * math.log(high / low)) if h["log"] else low + unit * (high - low)
    return min(max(round(found) if h["kind"] == "int" else found, low), high)


def build(hyperparameters: list[dict], budgets: list[float], seed: int, options: dict) -> DehbPeer:
    return DehbPeer(hyperparameters, budgets, seed, options)
