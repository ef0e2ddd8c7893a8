"""Does changed code still make the archive's runs? Some runs of each optimizer that is other code now, run again.

    python scripts/confirm_archive.py                     at most 8 runs of each optimizer, on different benchmarks
    python scripts/confirm_archive.py --runs 3            fewer

Where all have the same bits, `confirmed_code.json` beside the archive says so, and the archive stays that of the code
that is installed. Where one has not, it is named, nothing is said about its optimizer, and the exit status is 1: build
the archive anew for it. Run it on the kind of machine that made the archive: others have other last digits.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict

import numpy as np

from hpo_leaderboard.archive.checks.confirmed_code import CODE, confirmed_file, write_confirmations
from hpo_leaderboard.archive.checks.installed import OTHER, compared_code, installed_words
from hpo_leaderboard.archive.checks.rerunning import EQUAL, rerun
from hpo_leaderboard.archive.packed.archive_file import read_archive
from hpo_leaderboard.archive.packed.contents import Archive
from hpo_leaderboard.archive.shipped import shipped_archive
from hpo_leaderboard.engines import make_engine


def changed_digests(archive: Archive) -> dict[str, str]:
    """Digest of the installed code by that of the archive's, where they differ."""
    found = {}
    for row in np.unique(archive.columns["setting"], return_index=True)[1].tolist():
        own = archive.said(row)["optimizer"]
        if compared_code(own["name"], own["version"], confirmed={}) == OTHER:
            old, new = (_digest(text) for text in (own["version"], installed_words(own["name"])))
            if old and new:
                found[old] = new
    return found


def _digest(version: str) -> str:
    return version.removeprefix(CODE).partition(", ")[0] if version.startswith(CODE) else ""


def chosen_rows(archive: Archive, digests: dict[str, str], n_runs: int) -> dict[str, list[int]]:
    """At most so many runs by digest of their code: first one of each family of benchmarks, then others."""
    rows = defaultdict(list)
    n_of_family: dict[tuple[str, str], int] = defaultdict(int)
    for row in np.random.default_rng(0).permutation(archive.n_runs).tolist():
        said = archive.said(row)
        digest = _digest(said["optimizer"]["version"])
        if digest in digests:
            family = digest, f"{said['optimizer']['label']} {said['benchmark']['name'].partition('/')[0]}"
            rows[digest].append((n_of_family[family], row))
            n_of_family[family] += 1
    return {digest: [row for _, row in sorted(own)[:n_runs]] for digest, own in rows.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=8, metavar="N", help="of each optimizer (8)")
    options = parser.parse_args()
    archive = read_archive(shipped_archive())
    digests = changed_digests(archive)
    chosen = chosen_rows(archive, digests, options.runs)
    rows = [row for own in chosen.values() for row in own]
    claimed = {old: {new: 0} for old, new in digests.items()}  # so that they are run at all
    failed: dict[str, str] = {}
    for entry in rerun(archive, rows, make_engine("processes"), confirmed=claimed):
        print(f"{entry.outcome:10} {archive.named(entry.row)} {entry.words}", flush=True)
        if entry.outcome != EQUAL:
            failed[_digest(archive.said(entry.row)["optimizer"]["version"])] = archive.named(entry.row)
    confirmed = {old: {digests[old]: len(own)} for old, own in chosen.items() if old not in failed}
    write_confirmations(confirmed, confirmed_file())
    print(f"{len(digests)} optimizers are other code than the archive's; {len(confirmed)} make the same runs")
    for name in failed.values():
        print(f"not the same: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
