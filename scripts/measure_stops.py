"""How often `regret-bound` stops too early: the true regret at its stops on recorded runs of the FC-Net tables.

    python scripts/measure_stops.py RECORDED_RUNS.csv.gz --work DIR

RECORDED_RUNS are runs of 500 evaluations by Makarova et al. (2022): random search, TPE and BORE, 50 of each on each of
four tables, with a column `reference_bound`. Two settings are measured at the thresholds of the paper's study:

    default          this package's defaults, with the bound of its model, on the first seeds; 5 to 40 s per run
    reference-code   the authors' rules with the bounds that they recorded, on all runs

The true regret at a stop is the incumbent's noise-free loss (the mean over the table's repetitions) less the lowest of
the table. The observed regret is the incumbent's observed loss less the lowest of any repetition, as the authors count.

Stops go to DIR/stops.csv as they are found; after an interruption the same command continues. At the end the counts are
written to `hpo_leaderboard/stopping/measured_stops.json`, which the package carries.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from baselines.stopping.regret_bound import RegretBound
from hpo_core import Benchmark
from hpo_core.running.incumbent import trajectory
from hpo_leaderboard.engines.threads import one_thread
from hpo_leaderboard.stopping.measured import FILE
from hpo_leaderboard.stopping.recorded_runs import RecordedRun
from hpo_leaderboard.stopping.replay import RecordedBounds, stop_of
from hpo_leaderboard.stopping.trial_tables import runs_of_table
from tabular import open_table

THRESHOLDS = (1e-2, 1e-3, 1e-4)
TABLES = ("naval", "parkinsons", "protein", "slice")
WORDS = ("activation_fn_1", "activation_fn_2", "lr_schedule")  # recorded by value, the others by its index
KEY = ("settings", "benchmark", "optimizer", "seed")
COLUMNS = (*KEY, "threshold", "stopped", "stop", "n", "regret", "observed_regret")
SOURCE = "recorded runs of github amazon-research/bo-early-stopping, commit cffd7d3 (Makarova et al., 2022)"
SETTINGS = {
    "default": "regret-bound with its defaults, the bound of this package's model",
    "reference-code": "regret-bound with variant=reference-code, the bounds that the authors recorded",
}


def on_tables(table: pd.DataFrame) -> pd.DataFrame:
    """The recorded trials with configurations of the FC-Net tables, as JSON."""
    space = Benchmark(TABLES[0]).space
    columns = {}
    for hyperparameter in space:
        recorded = table[f"hp_{hyperparameter.name}"]
        values = hyperparameter.values
        columns[hyperparameter.name] = [v if hyperparameter.name in WORDS else values[int(v)] for v in recorded]
    configs = [json.dumps(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
    return table.drop(columns=[f"hp_{name}" for name in columns]).assign(config=configs)


def rows_of(run: RecordedRun, settings: str, lowest: float) -> Iterator[dict[str, Any]]:
    """A row for each threshold; `lowest` is the lowest loss of any repetition."""
    benchmark = Benchmark(run.benchmark)
    path = trajectory(run.trials)
    for threshold in THRESHOLDS:  # falling, so that the bounds of one are remembered for the next
        stop, reason = stop_of(rule(run, benchmark, settings, threshold), run.trials)
        config = run.trials[int(path.indices[stop - 1])].config
        yield {
            **{"settings": settings, "benchmark": run.benchmark, "optimizer": run.optimizer, "seed": run.seed},
            **{"threshold": threshold, "stopped": int(reason is not None), "stop": stop, "n": len(run.trials)},
            "regret": benchmark.objective(config).loss - run.optimum,
            "observed_regret": float(path.losses[stop - 1]) - lowest,
        }


def rule(run: RecordedRun, benchmark: Benchmark, settings: str, threshold: float) -> RegretBound:
    if settings == "default":
        return RegretBound(benchmark.space, threshold)
    bounds = RecordedBounds(np.asarray(run.reference_bounds))
    return RegretBound(benchmark.space, threshold, variant=settings, bounds=bounds)


def measure(runs: Sequence[RecordedRun], n_seeds: int, file: Path) -> None:
    """Append the stops of all runs that the file does not hold yet."""
    done = set()
    if file.exists():
        done = {tuple(row) for row in pd.read_csv(file, dtype=str)[list(KEY)].to_numpy()}
    lowest = {name: float(open_table(name).columns["loss"].min()) for name in TABLES}
    wanted = [("reference-code", run) for run in runs] + [("default", run) for run in runs if run.seed < n_seeds]
    with file.open("a", newline="") as opened, one_thread():
        writer = csv.DictWriter(opened, COLUMNS)
        if not done:
            writer.writeheader()
        for settings, run in tqdm(wanted, unit="run", disable=None):
            if (settings, run.benchmark, run.optimizer, str(run.seed)) not in done:
                writer.writerows(rows_of(run, settings, lowest[run.benchmark]))
                opened.flush()


def counts(stops: pd.DataFrame) -> dict[str, Any]:
    """Counts over some stops at one threshold."""
    stopped, threshold = stops[stops["stopped"] == 1], stops["threshold"].iloc[0]
    return {
        "threshold": float(threshold),
        "runs": len(stops),
        "stops": len(stopped),
        "above": int((stopped["regret"] > threshold).sum()),
        "observed_above": int((stopped["observed_regret"] > threshold).sum()),
        "saved": round(float((1.0 - stopped["stop"] / stopped["n"]).mean()), 3) if len(stopped) else None,
    }


def tables_of(stops: pd.DataFrame) -> Iterable[dict[str, Any]]:
    """Counts by settings, over all tables and by table, thresholds rising."""
    for settings, words in SETTINGS.items():
        own = stops[stops["settings"] == settings]
        groups = {"all": own, **{name: own[own["benchmark"] == name] for name in TABLES}}
        yield {
            "settings": settings,
            "what": words,
            "optimizers": sorted(own["optimizer"].unique()),
            "seeds": int(own["seed"].nunique()),
            "counts": {
                name: [counts(part) for _, part in group.groupby("threshold")] for name, group in groups.items()
            },
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, help="recorded runs (.csv.gz)")
    parser.add_argument("--work", type=Path, required=True, help="directory for the stops found so far")
    parser.add_argument("--seeds", type=int, default=10, help="runs of each optimizer on each table for `default` (10)")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    file = options.work / "stops.csv"
    runs = runs_of_table(on_tables(pd.read_csv(options.runs)))
    measure(sorted(runs, key=lambda run: (run.seed, run.benchmark, run.optimizer)), options.seeds, file)
    stops = pd.read_csv(file)
    stops = stops[(stops["settings"] != "default") | (stops["seed"] < options.seeds)]
    data = {"source": SOURCE, "date": time.strftime("%Y-%m-%d"), "measured": list(tables_of(stops))}
    FILE.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    for part in data["measured"]:
        print(part["settings"])
        print(pd.DataFrame([{"table": n, **row} for n, rows in part["counts"].items() for row in rows]).to_string())


if __name__ == "__main__":
    main()
