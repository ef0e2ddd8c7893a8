"""The picture of the first page: the default leaderboard, from its store.

hpo leaderboard quick
python -m scripts.site.start_picture leaderboard/quick.sqlite
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hpo_leaderboard.report import score_store
from hpo_leaderboard.report.figures.curves import regret_figure
from hpo_leaderboard.report.figures.figure import ALL
from hpo_leaderboard.report.figures.targets import target_figure
from scripts.site.drawing import write_pictures

FOLDER = Path(__file__).parent.parent.parent / "docs" / "pictures"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    group = score_store(parser.parse_args().store).groups[0]
    key = (ALL, "seconds")
    regret, targets = regret_figure(group).views[key], target_figure(group).views[key]
    write_pictures({("regret", *key): regret, ("targets", *key): targets}, FOLDER / "quick")


if __name__ == "__main__":
    main()
