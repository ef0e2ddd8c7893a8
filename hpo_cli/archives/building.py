"""`hpo archive build`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from hpo_cli.parts.arguments import Parser, comma_list
from hpo_cli.parts.experiments import add_engine, add_parts, experiment, partial_status, show_dry_run
from hpo_cli.parts.rendering import Output, add_formats
from hpo_cli.parts.suites import add_suite, chosen_suite

if TYPE_CHECKING:
    from hpo_leaderboard.experiments.suite import Suite

BUILD_NOTES = """\
examples:
  hpo archive build fcnet --dry-run                        how many runs of which optimizers, and how long
  hpo archive build fcnet                                  archive/fcnet.h5, with the store archive/fcnet.sqlite
  hpo archive build fcnet nb201 mini --out reference.h5    several suites in one file
  hpo archive build fcnet --without skopt-gp,lc-gp         without methods that take hours
  hpo archive build lcbench --benchmarks 'lcbench/3945,lcbench/7593' --seeds 10
  hpo archive build fcnet --shard 1/4 --engine dask        a quarter; then `hpo store merge`, and build without --shard

Every registered optimizer that can run on a benchmark takes part, those of other libraries if they are installed, and
three in a second setting (de-50, smac-greedy, cmaes-0.3). Fast methods run with 50 seeds, those with models with
10, slow ones of other libraries with 5; --seeds sets the most, and --optimizers and --benchmarks
replace what takes part.

The runs lie in a store beside the archive, SUITE.sqlite. Interrupt it at any time: the same command goes on from there.
The archive is written when no run is missing. The exit status is that of `hpo leaderboard`.
"""


def add_build(parser: Parser) -> None:
    parser.explain("Run every optimizer on a suite, and write the runs to one small file.", BUILD_NOTES)
    add_suite(parser, several=True)
    parser.add_argument("--without", type=comma_list, default=[], metavar="X,Y", help="without these optimizers")
    parser.add_argument("--title", default="", help="of the archive, for its card")
    parser.add_argument("--note", default="", help="what else should be known about it, for its card")
    add_engine(parser)
    add_parts(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="archive to write (archive/SUITE.h5)")
    add_formats(parser)
    parser.set_defaults(action=_build)


def _build(options: argparse.Namespace, out: Output) -> int:
    path = options.out or Path("archive") / f"{Path(options.suites[0]).stem}.h5"
    suites = [_suite(options, name) for name in options.suites]
    stores = [path.parent / f"{suite.name}.sqlite" for suite in suites]
    statuses = []
    for suite, store in zip(suites, stores, strict=True):
        if options.dry_run:
            show_dry_run(suite, store, options, out)
            continue
        outcome = experiment(suite, store, options)
        if outcome.n_left or options.shard is not None:
            statuses.append(partial_status(outcome, suite.name, store, out))
        else:
            statuses.append(2 if outcome.lost or outcome.n_open else int(bool(outcome.failures)))
    if not options.dry_run and options.shard is None and max(statuses) < 2:
        _write(stores, path, options, out)
    return max(statuses, default=0)


def _suite(options: argparse.Namespace, name: str) -> Suite:
    from hpo_leaderboard.archive.building import archived_suite

    chosen = chosen_suite(options, name)
    return chosen if options.optimizers else archived_suite(chosen, seeds=options.seeds, without=options.without)


def _write(stores: Sequence[Path], path: Path, options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.archive.packed.archive_file import write_archive
    from hpo_leaderboard.archive.packed.packing import pack_runs
    from hpo_leaderboard.store.store import reading

    card = {name: getattr(options, name) for name in ("title", "note") if getattr(options, name)}
    with ExitStack() as opened:
        archive = pack_runs([opened.enter_context(reading(store)) for store in stores], card)
    write_archive(archive, path)
    size = path.stat().st_size
    out.say(f"archive: {path}, {archive.n_runs:,} runs in {size:,} bytes, digest {archive.digest()[:16]}")
