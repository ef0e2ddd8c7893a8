"""What figures 2-6 have in common: the protocol in words, and what each of them costs."""

from __future__ import annotations

from hpo_papers.ram2022.synthetic.points import TRIALS
from hpo_papers.ram2022.synthetic.scale import training_seconds

PROTOCOL = (
    "Networks with 1, 2 or 3 hidden layers of 10 or 100 units, initial learning rate 0.01 or 0.1, batches of 8, 32 or "
    "128: 36 configurations, or 18 of them; n = 2^9, ..., 2^14 points of make_classification with Bayes risk 0, mu / n "
    "from 0.1 to 0.5 held out; grid search; 5 restarts of each training; 10 trials; delta = 0.05."
)
DEPARTURES = (
    "The paper does not give the settings of make_classification: ours have 50 features, 10 of them informative, 16 "
    "clusters per class, and no point on the wrong side of the Bayes rule. It does not say which 18 configurations: "
    "ours are those with rate 0.1. Exact training ends when no training point is wrong, or after 40 epochs, and "
    "training to a tolerance after the first epoch whose share of wrong training points is within it of the lowest. mu "
    "/ n is 0.1, 0.3 and 0.5. True risks are errors on 8,192 fresh points. Two trials go to n = 2^12 only; one trial "
    "is a test of the code, with one restart and 4 epochs at n = 2^9 and 2^10."
)
RUNS = TRIALS
N_SHARING = 7  # items that use the same trainings, whose cost is divided among them


def cost(runs: int) -> float:
    """CPU seconds of an item: its part of the trainings that all of them use, and a little of its own."""
    return training_seconds(runs) / N_SHARING + 1.0
