"""Sources of the variance of an HPO run's result: the split, the optimizer or the training (Makarova et al., 2021).

    python scripts/variance_sources.py [--algorithms lm] [--datasets diabetes,wine] [--seeds 3] [--trials 40]

Every combination of seeds of the split, the optimizer and the training is one run, seeds ** 3 of them for each
algorithm and dataset. Prints the standard deviation of the incumbent's validation and test loss by source after a
quarter, half and all of the trials, and draws it over the trials (figure 3).
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from baselines import optimizer
from fcnet_data.datasets import open_dataset
from fcnet_data.on_demand import TRAINERS
from fcnet_data.trainers import cross_validate, trainer
from hpo_leaderboard.stopping.pictures import draw_stds
from hpo_leaderboard.stopping.scores import std_by_source

SOURCES = ("split", "optimizer seed", "training")
Rows = list[dict[str, Any]]


def rows_of(algorithm: str, dataset: str, name: str, seeds: tuple[int, int, int], n_trials: int) -> Rows:
    """Trials of one run as rows of a table.

    Parameters
    ----------
    algorithm, dataset
        What is trained, and on which data.
    name
        Of the optimizer.
    seeds
        Of the split, the optimizer and the training.
    n_trials
        Of the run.

    Returns
    -------
    list of dict
        One row per trial.
    """
    split, search, training = seeds
    made, data = trainer(TRAINERS[algorithm]), open_dataset(dataset)
    method = optimizer(name, made.space, seed=search)
    rows = []
    for step in range(n_trials):
        proposal = method.ask()
        found = cross_validate(made, proposal.config, data, seed=training, split_seed=split)
        method.tell(proposal, found.valid_loss, found.cost)
        row = {"benchmark": dataset, "optimizer": algorithm, **dict(zip(SOURCES, seeds, strict=True)), "step": step}
        rows.append({**row, "loss": found.valid_loss, "test": found.test_loss})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--algorithms", default="lm", help="of lm, rf and xgb, joined by commas")
    parser.add_argument("--datasets", default="breast-cancer,diabetes,wine", help="names, joined by commas")
    parser.add_argument("--optimizer", default="gp", help="name (default gp)")
    parser.add_argument("--seeds", type=int, default=3, help="of each source (default 3)")
    parser.add_argument("--trials", type=int, default=40, help="evaluations of a run (default 40)")
    parser.add_argument("--out", type=Path, default=Path("variance_sources.png"), help="picture")
    options = parser.parse_args()
    pairs = product(options.algorithms.split(","), options.datasets.split(","))
    jobs = list(product(pairs, product(range(options.seeds), repeat=len(SOURCES))))
    runs = tqdm(jobs, unit="run")
    made = [row for pair, seeds in runs for row in rows_of(*pair, options.optimizer, seeds, options.trials)]
    found = std_by_source(pd.DataFrame(made), SOURCES)
    shown = found[found["evaluation"].isin([options.trials // 4, options.trials // 2, options.trials])]
    print(shown.pivot(index=["benchmark", "optimizer", "evaluation"], columns="source").round(4).to_string())
    draw_stds(found).savefig(options.out, dpi=120)
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
