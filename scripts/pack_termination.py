"""Pack the record of Makarova et al. (2022) into `hpo_papers/makarova2022/data/record.h5`, which the package carries.

    python scripts/pack_termination.py RUNS STOPS

RUNS and STOPS are directories, see `hpo_papers.makarova2022.record.importing`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hpo_papers.makarova2022.record.contents import PATH
from hpo_papers.makarova2022.record.importing import write_record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path)
    parser.add_argument("stops", type=Path)
    options = parser.parse_args()
    write_record(PATH, options.runs, options.stops)
    print(f"{PATH}: {PATH.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
