"""Options of commands that compare with archived runs, and the store in which those and new ones lie together."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.experiments import say
from hpo_core.errors import InvalidOption

if TYPE_CHECKING:
    from hpo_leaderboard.archive.packed.contents import Archive
    from hpo_leaderboard.archive.ranking import Field
    from hpo_leaderboard.experiments.members import Member
    from hpo_leaderboard.experiments.suite import Suite

SHIPPED = Path("")  # stands for the archive that comes with the package


def add_archive(parser: Parser) -> None:
    """Add --archive and what becomes of archived runs whose code has changed."""
    parser.add_argument(
        "--archive",
        type=Path,
        nargs="?",
        const=SHIPPED,
        metavar="FILE",
        help="rank against the archived runs of a file, or of the shipped one; only what it lacks is run",
    )
    parser.add_argument(
        "--stale",
        choices=["keep", "rerun"],
        default="keep",
        help="archived runs whose optimizer is other code here: keep them, or run what is installed (keep)",
    )


def open_archive(path: Path) -> tuple[Archive, str]:
    """The archive of an option, and its name for messages."""
    from hpo_leaderboard.archive.packed.archive_file import read_archive
    from hpo_leaderboard.archive.shipped import shipped_archive

    found = shipped_archive() if path == SHIPPED else path
    return read_archive(found), found.name


def field_of(archive: Archive, suite: Suite, asked: list[Member], options: argparse.Namespace) -> Field:
    """Who takes part, after saying what is taken from where."""
    from hpo_leaderboard.archive.ranking import make_field

    if options.shard is not None or options.walltime is not None:
        raise InvalidOption("--shard and --walltime run a part of a suite, which is not ranked; leave out --archive")
    field = make_field(archive, suite, asked, seeds=options.seeds, stale=options.stale)
    for line in field.said:
        say(line)
    return field


@contextmanager
def joint_store(archive: Archive, source: str, field: Field, store: Path | None) -> Iterator[Path]:
    """Path of a store of the archived runs and those of `store`, for as long as the block lasts."""
    from tqdm import tqdm

    from hpo_leaderboard.archive.ranking import join_runs

    with tempfile.TemporaryDirectory(prefix="hpo-foundry-") as folder:
        joint = Path(folder) / f"{field.named.name}-with-archive.sqlite"
        with tqdm(total=len(field.rows), unit="run", desc="archive", disable=None, leave=False) as bar:
            lines = join_runs(archive, field, store, joint, source=source, announce=bar.update)
        for line in lines:
            say(line)
        yield joint
