"""Whether a library's new version is worse than the versions in a store: the exit status is 1 if it is.

    python release_check.py my_search:MySearch --store runs.sqlite      runs what the store does not hold, and compares
    python release_check.py my_search:MySearch --store runs.sqlite --seeds 5 --trials 30

The first call stores the runs of today's version. Call it again after an edit, with the same store.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hpo_foundry import compare, leaderboard
from hpo_leaderboard.store.store import reading

LEVEL = 0.05


def versions(store: Path, optimizer: str) -> dict[str, str]:
    """Label of each version of an optimizer in a store."""
    if not store.exists():
        return {}
    with reading(store) as opened:
        runs = opened.frames(configs=False).runs
    own = runs[runs["optimizer"].str.startswith(optimizer)]
    return dict(zip(own["version"], own["optimizer"], strict=True))


def is_worse(store: Path, new: str, old: str) -> bool:
    """Whether the new label has higher final regrets over all benchmarks, by a test corrected for all pairs."""
    row = compare(store, new, old).set_index("benchmark").loc["all benchmarks"]
    print(f"{new} beats {old} with probability {row['effect']:.2f}, p = {row['p_holm']:.2g}")
    return bool(row["effect"] < 0.5 and row["p_holm"] < LEVEL)


def main() -> int:
    """Exit status of the check: 1 if the new version is worse than one of the earlier ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("optimizer", help="MODULE:CLASS")
    parser.add_argument("--store", type=Path, default=Path("runs.sqlite"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--trials", type=int, default=100)
    options = parser.parse_args()

    before = set(versions(options.store, options.optimizer))
    sys.path.append(".")  # the library may lie in the current directory
    leaderboard("fcnet", ["rs", options.optimizer], options.seeds, options.trials, store=options.store)
    labels = versions(options.store, options.optimizer)
    new = [label for version, label in labels.items() if version not in before]
    if not before or not new:
        print("nothing to compare: " + ("these are the first runs" if new else "the code has not changed"))
        return 0
    return int(any([is_worse(options.store, new[0], labels[version]) for version in sorted(before)]))


if __name__ == "__main__":
    sys.exit(main())
