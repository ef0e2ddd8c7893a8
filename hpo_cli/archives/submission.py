"""`hpo archive submit`."""

from __future__ import annotations

import argparse
from pathlib import Path

from hpo_cli.parts.arguments import Parser, comma_list
from hpo_cli.parts.rendering import Output

SUBMIT_NOTES = """\
examples:
  hpo archive submit leaderboard/fcnet.sqlite --optimizers my_module:MySearch --out mine.h5 \\
      --title "MySearch 1.2" --licence CC-BY-4.0 --contact me@example.org
  hpo archive submit mine.sqlite --out mine.h5 --title "MySearch 1.2" --licence CC0-1.0 \\
      --contact https://example.org/mysearch --note "defaults; code at commit 1a2b3c"

The file holds the runs, the digest of the code that made each, the versions of what it was run with, and the card:
title, licence of the data (an SPDX identifier), a contact (e-mail address or page) and a note. Look at it with `hpo
archive info FILE`; `hpo archive add` joins it to an archive.
"""


def add_submit(parser: Parser) -> None:
    parser.explain("Write the runs of a store, and who made them, to one file for others.", SUBMIT_NOTES)
    parser.add_argument("store", type=Path, metavar="STORE", help="file of `hpo leaderboard`")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="file to write")
    parser.add_argument("--title", default="", help="what was run, in a few words")
    parser.add_argument("--licence", default="", metavar="SPDX", help="of the runs, such as CC-BY-4.0")
    parser.add_argument("--contact", default="", help="an e-mail address or a page, https://...")
    parser.add_argument("--note", default="", help="what else should be known")
    parser.add_argument("--optimizers", type=comma_list, metavar="X,Y", help="only these, or patterns such as 'mine*'")
    parser.add_argument("--benchmarks", type=comma_list, metavar="A,B", help="only these, or patterns such as 'mini-*'")
    parser.set_defaults(action=_submit)


def _submit(options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.archive.packed.archive_file import write_archive
    from hpo_leaderboard.archive.packed.joined import labels_of
    from hpo_leaderboard.archive.submission import make_submission

    card = {name: getattr(options, name) for name in ("title", "licence", "contact", "note")}
    chosen = {"optimizers": options.optimizers, "benchmarks": options.benchmarks}
    archive = make_submission(options.store, card, **chosen)
    write_archive(archive, options.out)
    out.say(f"submission: {options.out}, {archive.n_runs:,} runs of {', '.join(labels_of(archive))}")
    out.say(f"{options.out.stat().st_size:,} bytes, digest {archive.digest()[:16]}")
