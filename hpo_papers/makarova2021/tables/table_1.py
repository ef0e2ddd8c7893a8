"""Table 1: search spaces."""

from __future__ import annotations

from collections.abc import Sequence

from fcnet_data.on_demand import TRAINERS
from fcnet_data.trainers import trainer
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict
from hpo_papers.frame.work import Work

PRINTED = {  # algorithm, hyperparameter: lowest, highest, log scale
    ("lm", "l1_ratio"): (1e-7, 1, True),
    ("lm", "alpha"): (1e-7, 1, True),
    ("lm", "eta0"): (1e-5, 1, True),
    ("xgb", "n_estimators"): (2, 2**9, True),
    ("xgb", "learning_rate"): (1e-6, 1, True),
    ("xgb", "gamma"): (1e-6, 2**6, True),
    ("xgb", "min_child_weight"): (1e-6, 2**5, True),
    ("xgb", "max_depth"): (2, 2**5, True),
    ("xgb", "subsample"): (0.5, 1, False),
    ("xgb", "colsample_bytree"): (0.3, 1, False),
    ("xgb", "reg_lambda"): (1e-6, 2, True),
    ("xgb", "reg_alpha"): (1e-6, 2, True),
    ("rf", "n_estimators"): (1, 2**8, True),
    ("rf", "min_samples_split"): (0.01, 0.5, True),
    ("rf", "max_depth"): (1, 5, True),
}


def compute(work: Work) -> Numbers:
    """Ranges of the benchmarks `cv-lm-*`, `cv-xgb-*` and `cv-rf-*`."""
    algorithms = dict.fromkeys(algorithm for algorithm, _ in PRINTED)
    return {
        "ranges": [
            [algorithm, h.name, float(h.low), float(h.high), bool(h.log)]  # type: ignore[union-attr]
            for algorithm in algorithms
            for h in trainer(TRAINERS[algorithm]).space
        ]
    }


def compare(numbers: Numbers) -> Sequence[Comparison]:
    rows = []
    for algorithm, name, *ours in numbers["ranges"]:
        printed = PRINTED.get((algorithm, name), (None, None, None))
        for words, own, theirs in zip(("lowest", "highest"), ours, printed, strict=False):
            rows.append(Comparison(f"{algorithm}, {name}: {words}", theirs, own, digits=7))
    return rows


def verdict(numbers: Numbers) -> Verdict:
    ours = {(algorithm, name): tuple(values) for algorithm, name, *values in numbers["ranges"]}
    off = sorted(" ".join(key) for key in ours.keys() | PRINTED if ours.get(key) != PRINTED.get(key))
    if off:
        return Verdict("differs", f"not as printed: {', '.join(off)}")
    return Verdict("reproduced", f"all {len(ours)} ranges and scales are the printed ones")


ITEM = Item(
    title="Table 1: search spaces",
    printed="Ranges and scales of 3 hyperparameters of LM, 9 of XGBoost and 3 of RF.",
    protocol="The spaces of the benchmarks `cv-lm-*`, `cv-xgb-*` and `cv-rf-*`.",
    departures="",
    rule="reproduced if all 15 ranges and scales are equal, else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
)
