"""`hpo archive verify | add`: archived runs run again."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.adapters.parts.peer_names import full_name
from hpo_cli.parts.archives import SHIPPED, open_archive
from hpo_cli.parts.arguments import Parser, comma_list
from hpo_cli.parts.experiments import add_engine, engine_of
from hpo_cli.parts.rendering import Column, Output, add_formats
from hpo_core.errors import HpoError

if TYPE_CHECKING:
    from hpo_leaderboard.archive.checks.judgement import Judgement
    from hpo_leaderboard.archive.checks.rerunning import CheckedEntry
    from hpo_leaderboard.archive.packed.contents import Archive

VERIFY_NOTES = """\
examples:
  hpo archive verify                              the shipped archive, 2 % of its runs
  hpo archive verify theirs.h5 --sample 10% --seed 7
  hpo archive verify mine.h5 --sample 100% --allow-import my_module:MySearch

Every run is looked up again and compared with its digest, which finds what was altered. Then a random sample is run
again and compared bit by bit, which also finds what was altered together with its digest. Every entry that differs is
named, and the exit status is 1 then.

The last bits of some methods depend on the processor and on the library of linear algebra. Where these are not those
of the archive, such runs are compared by their final losses: Wilcoxon's signed-rank test for each optimizer, corrected
(Holm), with which a sound archive fails in 1 % of cases.

An archive is data: of what it names, only optimizers and benchmarks that are installed are run, and code of your own
that --allow-import names. Others are counted as not checked.
"""
ADD_NOTES = """\
examples:
  hpo archive add theirs.h5 --to reference.h5
  hpo archive add theirs.h5 --to reference.h5 --out joined.h5 --sample 20%

The file is verified as by `hpo archive verify`: if an entry differs, nothing is added, and the exit status is 2. Runs
of optimizers that are not installed here cannot be run again; they are added and said to be unverified, here and in
the archive's notes.
"""
ENTRIES = [
    Column("outcome", "{outcome}", width=10),
    Column("entry", "{entry}"),
    Column("about", "{words}", cut=True),
]


class WrongEntries(HpoError, ValueError):
    """An archive of which entries are not what was recorded."""


def add_verify(parser: Parser) -> None:
    parser.explain("Run a sample of an archive's runs again, and compare them bit by bit.", VERIFY_NOTES)
    parser.add_argument("archive", type=Path, nargs="?", default=SHIPPED, metavar="FILE", help="(the shipped archive)")
    _add_sample(parser, 0.02)
    add_engine(parser)
    add_formats(parser)
    parser.set_defaults(action=_verify)


def add_add(parser: Parser) -> None:
    parser.explain("Verify the runs of a submission, and add them to an archive.", ADD_NOTES)
    parser.add_argument("file", type=Path, metavar="FILE", help="of `hpo archive submit`")
    parser.add_argument("--to", type=Path, required=True, metavar="ARCHIVE", help="archive to add to")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the joined archive is written (ARCHIVE)")
    _add_sample(parser, 0.1)
    add_engine(parser)
    add_formats(parser)
    parser.set_defaults(action=_add)


def _add_sample(parser: Parser, default: float) -> None:
    parser.add_argument(
        "--sample", type=share, default=default, metavar="2%", help=f"share of the runs that are run ({default:.0%}%)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the sample (0)")
    parser.add_argument(
        "--allow-import",
        type=_imports,
        default=[],
        metavar="MODULE:NAME",
        help="optimizers and benchmarks of your own that may be imported and run, and peer processes, NAME@ENV",
    )


def _imports(text: str) -> list[str]:
    return [full_name(name) for name in comma_list(text)]


def share(text: str) -> float:
    """Share of `2%` or `0.02`."""
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"a sample is a share such as 2% or 0.02, got {text!r}")
    return value


def _verify(options: argparse.Namespace, out: Output) -> int:
    archive, source = open_archive(options.archive)
    checked, judgement = _checked(archive, options)
    _print_checked(archive, checked, judgement, out)
    return _say_judgement(source, archive, checked, judgement, out)


def _checked(archive: Archive, options: argparse.Namespace) -> tuple[list[CheckedEntry], Judgement]:
    """What was found about every run without running it, and about the sample by running it."""
    from tqdm import tqdm

    from hpo_leaderboard.archive.checks.judgement import judge
    from hpo_leaderboard.archive.checks.rerunning import altered_runs, rerun, sampled_rows

    altered = list(altered_runs(archive))
    known = {each.row for each in altered}
    rows = [row for row in sampled_rows(archive, options.sample, options.seed) if row not in known]
    again = rerun(archive, rows, engine_of(options), options.allow_import)
    found = [*altered, *tqdm(again, total=len(rows), unit="run", disable=None)]
    return found, judge(archive, found)


def _print_checked(archive: Archive, checked: Sequence[CheckedEntry], judgement: Judgement, out: Output) -> None:
    """Print the entries that are wrong; all that were checked as JSON or CSV."""
    shown = judgement.wrong if out.form == "text" else checked
    rows = [{"entry": archive.named(each.row), "outcome": each.outcome, "words": each.words} for each in shown]
    if rows or out.form != "text":
        out.table(ENTRIES, rows)


def _say_judgement(
    source: str, archive: Archive, checked: Sequence[CheckedEntry], judgement: Judgement, out: Output
) -> int:
    """Exit status, after saying what was found."""
    from hpo_leaderboard.archive.checks.judgement import ALPHA, unverified

    for test in judgement.tests:
        out.say(f"{test.optimizer}: {test.n_runs} runs with other last bits here, p = {test.p:.2g} (corrected)")
    for label in unverified(archive, checked):
        out.say(f"not checked: {label}, which is not here as it was there")
    counts = ", ".join(f"{n} {name}" for name, n in sorted(Counter(each.outcome for each in checked).items()))
    out.say(f"{source}: {archive.n_runs:,} runs have their digests, of those run again: {counts or 'none'}")
    failed = [test.optimizer for test in judgement.tests if test.p < ALPHA]
    if failed:
        out.say(f"runs of {', '.join(failed)} differ by more than chance from the archive's (at {ALPHA:.0%})")
    out.say("holds" if judgement.holds else f"does not hold: {len(judgement.wrong)} entries are wrong")
    return int(not judgement.holds)


def _add(options: argparse.Namespace, out: Output) -> int:
    from hpo_leaderboard.archive.checks.judgement import unverified
    from hpo_leaderboard.archive.packed.archive_file import read_archive, write_archive
    from hpo_leaderboard.archive.packed.joined import join_archives, new_rows
    from hpo_leaderboard.archive.submission import notes_about

    base, added = read_archive(options.to), read_archive(options.file)
    n_new = len(new_rows(base, added))
    checked, judgement = _checked(added, options)
    _print_checked(added, checked, judgement, out)
    status = _say_judgement(options.file.name, added, checked, judgement, out)
    if status:
        raise WrongEntries(f"{options.file} has entries that are wrong, so nothing was added to {options.to}")
    notes = notes_about(added, unverified(added, checked))
    write_archive(join_archives(base, added, notes), options.out or options.to)
    out.say(f"added {n_new:,} runs to {options.out or options.to}")
    return 0
