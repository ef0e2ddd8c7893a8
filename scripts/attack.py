"""Hostile files, calls and command lines: each case must end in an error of ours or in the right result.

    python scripts/attack.py                    800 cases of every kind
    python scripts/attack.py stores --cases 500 --seed 7

A case may take 10 s and 1 GB, writes nothing outside of its directory, imports nothing that a file names and starts
no other program (`tests/hostile/sandbox.py`). The generators lie in `tests/hostile`: a kind of file is a module
KIND_cases with a function `cases(folder, rng, n)`, and an entry of `PARTS`; so are the calls of the API and the
command lines.
"""

from __future__ import annotations

import os

# before numpy loads: a child is forked for every case
os.environ.update({"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

PARTS = {
    "stores": "store_cases",
    "suites": "suite_cases",
    "runs": "run_file_cases",
    "tables": "table_cases",
    "models": "model_cases",
    "archives": "archive_cases",
    "csv": "csv_cases",
    "others": "original_cases",
    "api": "api_cases",
    "commands": "command_cases",
}
NEEDED = (  # imported before the first fork, so that no case has to
    *("jinja2", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg", "matplotlib.figure", "pandas"),
    *("plotly.offline", "scipy.stats", "hpo_leaderboard.report", "hpo_cli.main"),
)
SHOWN = 20  # kinds of failure, of each part


def warm_up() -> None:
    """Find the generators and import what the cases need."""
    root = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(root), str(root / "tests" / "hostile"), str(root / "tests" / "support")]
    for name in NEEDED:
        import_module(name)
    names = import_module("hpo_core.names")
    names.benchmarks()
    names.optimizers()


def attack(name: str, n: int, seed: int, folder: Path) -> list[tuple[str, Any]]:
    """Cases of a part with their outcomes."""
    sys.path.append(str(folder / name))  # where the planted module lies
    made = import_module(PARTS[name]).cases(folder / name, np.random.default_rng(seed), n)
    outcomes = []
    for i, case in enumerate(tqdm(made, total=n, desc=name, disable=None)):
        own = folder / f"case-{i}"
        outcomes.append((case.name, import_module("sandbox").attempt(case, own)))
        shutil.rmtree(own)
        if outcomes[-1][1].verdict != "passed":
            tqdm.write(f"{case.name}\n  {outcomes[-1][1].words or outcomes[-1][1].verdict}", file=sys.stderr)
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description="Hostile files, calls and command lines.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)} (all)")
    parser.add_argument("--cases", type=int, default=800, help="of each part (800)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warm_up()
    n_short = 0
    for name in options.parts or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            outcomes = attack(name, options.cases, options.seed, Path(folder))
        short = [(case, outcome) for case, outcome in outcomes if outcome.verdict != "passed"]
        n_short += len(short)
        seconds, megabytes = (max(getattr(each, field) for _, each in outcomes) for field in ("seconds", "megabytes"))
        print(f"{name}: {len(outcomes):,} cases, {len(short)} short; at most {seconds:.1f} s and {megabytes:.0f} MB")
        for verdict, count in Counter(outcome.verdict for _, outcome in short).most_common(SHOWN):
            print(f"  {count} x {verdict}")
    return int(n_short > 0)


if __name__ == "__main__":
    sys.exit(main())
