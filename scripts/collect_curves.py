"""Collect the tables of logistic regressions and of feature selections that come with the package.

    python scripts/collect_curves.py lr-optdigits --out lr-optdigits.h5

A collection that was stopped continues where it was.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from fcnet_data.collection.collecting import Work, collect
from fcnet_data.collection.feature_selection import RATES, SPACE, SelectionTable
from fcnet_data.collection.logistic import LogisticTable
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Ordinal

# Deeper trees take most of the time; of the learning rates four.
PART = Space(
    [
        Ordinal("learning_rate", [RATES[k] for k in (0, 1, 2, 4)]),
        Ordinal("max_depth", [2, 5, 9]),
        *(h for h in SPACE if h.name == "colsample_bytree"),
        Ordinal("reg_alpha", [0.0, 5.0]),
    ],
    name=SPACE.name,
)
TABLES: dict[str, Work] = {
    "lr-optdigits": LogisticTable("lr-optdigits", "optdigits"),
    "lr-optdigits-log": LogisticTable("lr-optdigits-log", "optdigits", "log"),
    "lr-letter": LogisticTable("lr-letter", "letter"),
    "features-spambase": SelectionTable("features-spambase", "spambase", PART),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    parser.add_argument("--threads", type=int, default=1, help="trainings at a time (default 1)")
    options = parser.parse_args()
    print(collect(TABLES[options.table], options.out, n_threads=options.threads))


if __name__ == "__main__":
    main()
