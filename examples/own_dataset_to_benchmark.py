"""A CSV file to a table of trained networks, and several of them to a PROFET model whose tasks are benchmarks.

    python own_dataset_to_benchmark.py              as in the tutorial
    python own_dataset_to_benchmark.py --small      seconds instead of minutes

Needs `pip install "hpo-foundry[collect]"`. The table `wine-nets` is kept in the cache directory and removed at the end.
"""

from __future__ import annotations

import argparse

import pandas
from command_line import hpo
from sklearn import datasets

import profet
from hpo_foundry import Benchmark, leaderboard, run

LOADERS = {"wine": datasets.load_wine, "tumours": datasets.load_breast_cancer, "digits": datasets.load_digits}

SMALL = profet.Settings(units=(10,), n_draws=8, n_cost_draws=8, n_between=10, n_burn_in=100, warm_start=None)


def write_files() -> None:
    """Write three CSV files with a column `kind` that stand for files of yours."""
    for name, load in LOADERS.items():
        frame = load(as_frame=True).frame
        frame["kind"] = [f"class {code}" for code in frame.pop("target")]
        frame.to_csv(f"{name}.csv", index=False)


def tasks_of_a_model(settings: profet.Settings) -> pandas.DataFrame:
    """Leaderboard of two optimizers on five tasks of a model of `own.h5`."""
    model = profet.train_on(profet.read_meta_data("own.h5"), seed=0, settings=settings)
    profet.write_model(model, "own-model.h5")  # a file to share; `profet.read_model` reads it
    tasks = [Benchmark(task) for task in profet.sample(model, 5, seed=0)]
    runs = [
        run(task, name, n_trials=30, seed=10 * number + seed)
        for number, task in enumerate(tasks)
        for name in ("rs", "tpe")
        for seed in range(3)
    ]
    return leaderboard(runs)[["optimizer", "rank", "regret", "n_runs"]]


def main() -> None:
    """Run the whole tutorial."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a smaller grid, fewer epochs and configurations")
    small = parser.parse_args().small
    grid = "B n_units_1=16,64 n_units_2=16,64"
    if small:
        grid = "n_units_1=16 n_units_2=16 batch_size=32 init_lr=0.0005,0.005,0.05 dropout_1=0 --epochs 9"

    write_files()
    hpo(f"table train wine.csv --target kind --name wine-nets --repetitions 2 --grid {grid}")
    hpo("table info wine-nets")
    hpo("run wine-nets hyperband --trials 50 --seeds 3")

    configs = 20 if small else 200
    hpo(f"collect svm --datasets wine.csv,tumours.csv,digits.csv --target kind --configs {configs} --out own.h5")
    print(tasks_of_a_model(SMALL if small else profet.FAST))

    hpo("table remove wine-nets")


if __name__ == "__main__":
    main()
