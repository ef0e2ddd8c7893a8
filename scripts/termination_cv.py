"""When to stop under cross-validation: the criteria of Makarova et al. (2022) on runs of this project, next to Table 3.

Runs of an optimizer on `cv-rf-*`, `cv-xgb-*` or `cv-lm-*` problems are made (every training is kept in the cache, so an
interrupted command continues quickly), written as a table of trials with the losses of the folds, and replayed. The
paper's runs have 200 iterations of Bayesian optimization on 19 datasets; small datasets and few iterations are the
default here, since every iteration trains eleven models.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from hpo_cli.main import main as hpo
from hpo_core import Benchmark, run

LABELS = {"rf": "RF", "xgb": "XGB", "lm": "LM"}  # the paper's


def rows_of(algorithm: str, dataset: str, optimizer: str, seed: int, n_trials: int) -> list[dict[str, Any]]:
    """Trials of one run as rows of a table.

    Parameters
    ----------
    algorithm, dataset
        Of the benchmark `cv-ALGORITHM-DATASET`.
    optimizer, seed, n_trials
        Of the run.

    Returns
    -------
    list of dict
        One row per trial.
    """
    made = run(Benchmark(f"cv-{algorithm}-{dataset}"), optimizer, n_trials=n_trials, seed=seed)
    shared = {"benchmark": dataset, "optimizer": LABELS[algorithm], "seed": seed}
    return [
        {
            **shared,
            "step": step,
            "config": json.dumps(trial.proposal.config),
            "loss": trial.result.loss,
            "folds": json.dumps(trial.result.info["folds"]),
            "test": trial.result.info["test_loss"],
            "cost": trial.result.cost,
        }
        for step, trial in enumerate(made.trials)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algorithms", default="lm,rf", help="of lm, rf and xgb, joined by commas")
    parser.add_argument("--datasets", default="breast-cancer,diabetes,wine", help="names, joined by commas")
    parser.add_argument("--optimizer", default="gp", help="name (default gp)")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--trials", type=int, default=100, help="evaluations of a run (default 100; the paper has 200)")
    parser.add_argument("--out", type=Path, default=Path("termination_cv"), help="directory for the table and pictures")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    algorithms, datasets = options.algorithms.split(","), options.datasets.split(",")
    jobs = [(a, d, options.optimizer, s) for a in algorithms for d in datasets for s in range(options.seeds)]
    table = pd.DataFrame([row for job in tqdm(jobs, unit="run") for row in rows_of(*job, options.trials)])
    path = options.out / "runs.csv.gz"
    table.to_csv(path, index=False)
    return hpo(["stop", "replay", str(path), "--out", str(options.out)])


if __name__ == "__main__":
    raise SystemExit(main())
