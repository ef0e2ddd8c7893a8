"""Write how often `regret-bound` stops too early to `hpo_leaderboard/stopping/measured_stops.json`.

    python scripts/measure_stops.py --out DIR

The numbers are those of `hpo reproduce makarova2022/stops-too-early`, of as many runs as `--runs` says: 5 minutes of
CPU time each. Parts are kept in DIR; after an interruption the same command continues.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from hpo_leaderboard.stopping.measured import FILE
from hpo_papers.frame.catalogue import chosen_items
from hpo_papers.frame.plan import PlannedItem
from hpo_papers.frame.reproduction import Settings, reproduce
from hpo_papers.makarova2022.record.contents import OPTIMIZERS, record

WHAT = {
    "default": "regret-bound with its defaults, the bound of this package's model",
    "reference-code": "regret-bound with variant=reference-code, the bounds that the authors recorded",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="directory for the parts")
    parser.add_argument("--runs", type=int, default=10, help="runs of each optimizer on each table for `default` (10)")
    options = parser.parse_args()
    (named,) = chosen_items(["makarova2022/stops-too-early"])
    (result,) = reproduce([PlannedItem(named, options.runs, 0.0)], Settings(options.out, engine="processes"))
    if result.numbers is None:
        raise SystemExit(result.left)
    seeds = {"default": options.runs, "reference-code": 50}
    measured = [
        {
            "settings": name,
            "what": words,
            "optimizers": sorted(OPTIMIZERS),
            "seeds": seeds[name],
            "counts": result.numbers[name],
        }
        for name, words in WHAT.items()
    ]
    source = f"recorded runs of {record().provenance['source']} (Makarova et al., 2022)"
    data = {"source": source, "date": time.strftime("%Y-%m-%d"), "measured": measured}
    FILE.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(result.verdict)


if __name__ == "__main__":
    main()
