"""The first 1,000 proposals of the optimizers whose history is cut short later, as hashes.

`python tests/baselines/long_proposals.py` prints them. The spaces have numbers and choices, conditions, forbidden
clauses or a list. Two trials are always pending, and some fail.
"""

import hashlib
import json
import math
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
sys.path.append(str(Path(__file__).resolve().parent))

from conditional_spaces import CLAUSES, TREE, listed
from golden_proposals import proposals

from baselines import optimizer
from hpo_core import Categorical, Float, Int, Ordinal, Space

N_PROPOSALS, BUDGETS = 1000, (1, 3, 9)
SPACES = {
    "numbers": lambda: Space([Float("a", -2.0, 3.0), Float("b", 1e-3, 1e2, log=True), Int("n", 1, 100)]),
    "mixed": lambda: Space(
        [
            Float("lr", 1e-4, 1.0, log=True),
            Int("units", 4, 64, log=True),
            Ordinal("batch", [8, 16, 32, 64]),
            Categorical("activation", ["relu", "tanh", "sigmoid"], weights=[2, 1, 1]),
        ]
    ),
    "conditional": lambda: TREE,
    "forbidden": lambda: CLAUSES,
    "listed": lambda: listed(TREE, 1200),
}


def loss(space, config, budget):
    """A bowl in the unit cube with a ripple; part of it fails."""
    unit = [0.0 if math.isnan(u) else u for u in space.to_unit(space.encode(config))[0].tolist()]
    distance = sum((u - 0.3 - 0.05 * j) ** 2 for j, u in enumerate(unit)) + 0.05 * math.sin(40.0 * sum(unit))
    return math.inf if unit[0] > 0.97 else distance + 0.1 / budget


def lines(name, space):
    """Lines of text, one for each proposal."""
    made = optimizer(name, space, budgets=BUDGETS, seed=0)
    return proposals(made, N_PROPOSALS, lambda config, budget: loss(space, config, budget), BUDGETS[-1])


def digests(name):
    """Hash of the proposals by space."""
    return {
        kind: hashlib.sha256("\n".join(lines(name, make())).encode()).hexdigest()[:16] for kind, make in SPACES.items()
    }


if __name__ == "__main__":
    print(json.dumps({name: digests(name) for name in sys.argv[1:] or ("tpe", "tpe-univariate", "bohb")}, indent=1))
