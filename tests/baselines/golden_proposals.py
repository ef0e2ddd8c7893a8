"""What the model-based optimizers propose, as hashes: `python tests/baselines/golden_proposals.py NAME...` prints them.

Each proposes 30 times with each of three seeds on a small mixed space with four budgets. Two trials are always pending,
and some fail, so that the treatment of both is part of what is hashed.
"""

import hashlib
import json
import math
import sys
from collections import deque

from baselines import optimizer
from hpo_core import Categorical, Float, Int, Ordinal, Proposal, Result, Space, Trial

BUDGETS = (1, 3, 9, 27)
N_PROPOSALS, SEEDS = 30, (0, 1, 2)
MODEL_BASED = (
    "gp",
    "gp samples=3",
    "gp-ucb",
    "gp-acquisition",
    "gp-acquisition pi",
    "gp-warped",
    "turbo",
    "es",
    "smac",
    "bore",
    "cqr",
    "dngo",
    "bohamiann",
    "mt-bohamiann",
    "mtbo",
    "mtbo full",
    "fabolas",
    "boca",
    "tpe",
    "tpe-univariate",
    "bohb",
    "lcnet-hb",
    "lc-gp",
    "bo-bos",
    "mobster",
)


def space():
    return Space(
        [
            Float("lr", 1e-4, 1.0, log=True),
            Int("units", 4, 64, log=True),
            Ordinal("batch", [8, 16, 32, 64]),
            Categorical("activation", ["relu", "tanh", "sigmoid"]),
        ]
    )


def loss(config, budget):
    """A bowl whose depth shows with the budget; it fails for large learning rates of sigmoid networks."""
    if config["activation"] == "sigmoid" and config["lr"] > 0.3:
        return math.inf
    distance = (math.log10(config["lr"]) + 2.0) ** 2 + 0.1 * abs(math.log2(config["units"]) - 5.0)
    shift = {"relu": 0.0, "tanh": 0.2, "sigmoid": 0.5}[config["activation"]] + 0.01 * config["batch"]
    return (distance + shift) * (1.0 + 1.0 / budget)


def earlier_run():
    """Trials of a related task."""
    import numpy as np

    configs = space().sample(np.random.default_rng(7), 8)
    return [Trial(Proposal(c, 27), Result(0.5 + min(loss(c, 27), 50.0), 1.0, 27, {}), k) for k, c in enumerate(configs)]


def build(name, seed):
    if name == "gp samples=3":
        return optimizer("gp", space(), seed=seed, n_samples=3)
    if name == "gp-acquisition pi":
        return optimizer("gp-acquisition", space(), seed=seed, acquisition="pi")
    if name == "mtbo full":
        return optimizer("mtbo", space(), seed=seed, warm_start=[earlier_run()])
    if name == "mt-bohamiann":
        return optimizer(name, space(), seed=seed, warm_start=[earlier_run()])
    return optimizer(name, space(), budgets=BUDGETS, seed=seed)


def proposals(made, n, loss, full):
    """Lines of text, one for each of n proposals, with floats to six digits; `loss(config, budget)` is told.

    `full` is the budget of a proposal without one.
    """
    asked, lines = deque(), []
    while len(lines) < n:
        proposal = made.ask()
        config = {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in sorted(proposal.config.items())}
        lines.append(json.dumps([config, proposal.budget]))
        asked.append(proposal)
        if len(asked) > 2:
            told = asked.popleft()
            budget = told.budget or full
            made.tell(told, loss(told.config, budget), 0.1 * budget)
    return lines


def digest(name):
    lines = [line for seed in SEEDS for line in proposals(build(name, seed), N_PROPOSALS, loss, BUDGETS[-1])]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


if __name__ == "__main__":
    print(json.dumps({name: digest(name) for name in sys.argv[1:] or MODEL_BASED}, indent=1))
