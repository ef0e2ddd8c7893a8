"""What optimizers with a model propose and what criteria say, as hashes of all bits.

`python tests/baselines/thread_proposals.py NAME...` prints them for this process, whatever threads its libraries have.
The loops are a user's own: `ask` and `tell`, and a criterion that is called. `NAME/run` is a whole `run`.
"""

import hashlib
import json
import sys

import numpy as np

from baselines import criterion, optimizer
from hpo_core import Benchmark, Categorical, Float, Int, Result, Space, run
from hpo_core.running.trial import Trial

BUDGETS = (1, 3, 9, 27)
N_PROPOSALS = {
    **{"gp": 14, "gp-ucb": 14, "es": 14, "smac": 14, "bore": 14, "dngo": 14, "bohamiann": 8, "mt-bohamiann": 8},
    **{"mtbo": 12, "fabolas": 16, "tpe": 400, "tpe-univariate": 120, "bohb": 400, "lcnet-hb": 50, "lc-gp": 60},
    **{"bo-bos": 60, "cmaes": 300, "rs": 30, "gp-acquisition": 12, "gp-warped": 36, "turbo": 64, "cqr": 40},
}
MODELS = tuple(name for name in N_PROPOSALS if name != "rs")
CRITERIA = ("ei:1e-9", "pi:1e-9", "regret-bound:1e-9")
PROBLEMS = ("profet-svm/0", "profet-xgboost/0", "lcbench/3945")
SPACE = Space(
    [
        *(Float(f"x{i}", 0.0, 1.0) for i in range(20)),
        *(Int(f"n{i}", 1, 50) for i in range(4)),
        *(Categorical(f"c{i}", range(8)) for i in range(4)),
    ]
)


def loss(config):
    unit = SPACE.to_unit(SPACE.encode(config))[0]
    return float(np.sum((unit - 0.3) ** 2)) + 0.01 * config["c0"]


def asked(name, seed=0):
    """Configurations of a user's own loop."""
    made = optimizer(name, SPACE, budgets=BUDGETS, seed=seed)
    for _ in range(N_PROPOSALS[name]):
        proposal = made.ask()
        made.tell(proposal, loss(proposal.config) * (1.0 + 0.1 / (proposal.budget or 27)), 1.0)
        yield proposal


def status(text):
    """What a criterion says after each of some trials."""
    made = criterion(text, SPACE)
    trials = [Trial(p, Result(loss(p.config), 1.0, 1, {}), k) for k, p in enumerate(asked("rs"))]
    return [made.status(trials[:n]) for n in range(5, len(trials) + 1, 4)]


def recorded(name):
    """Losses and configurations of a `run`."""
    found = run("hartmann6", name, n_trials=22, seed=0)
    return [(trial.result.loss.hex(), sorted(trial.config.items())) for trial in found.trials]


def evaluated(name):
    """Losses and costs of single evaluations and of a batch."""
    benchmark = Benchmark(name)
    configs = benchmark.space.sample(np.random.default_rng(0), 600)
    single = [benchmark.objective(config)[:2] for config in configs[:50]]
    return single, [array.tolist() for array in benchmark.objective_batch(benchmark.space.encode(configs))]


def digest(name):
    if name in PROBLEMS:
        lines = evaluated(name)
    elif name.endswith("/run"):
        lines = recorded(name.removesuffix("/run"))
    elif ":" in name:
        lines = status(name)
    else:
        lines = [sorted(proposal.config.items()) for proposal in asked(name)]
    return hashlib.sha256(repr(lines).encode()).hexdigest()[:16]


if __name__ == "__main__":
    print(json.dumps({name: digest(name) for name in sys.argv[1:] or (*MODELS, *CRITERIA, *PROBLEMS, "gp/run")}))
