"""The arguments that say which runs of a suite are meant."""

from __future__ import annotations

import argparse
import re

from hpo_cli.parts.arguments import Parser, comma_list
from hpo_leaderboard.experiments.splitting.estimates import Shard
from hpo_leaderboard.experiments.study_priors import KINDS
from hpo_leaderboard.experiments.suite import Suite, built_in_suites, changed, open_suite

MOST_SHARDS = 100_000
DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?")


def add_suite(parser: Parser, *, several: bool = False) -> None:
    """Add SUITE, one or `several`, and the options that replace its parts."""
    name, count = ("suites", {"nargs": "+"}) if several else ("suite", {})
    about = f"one of {', '.join(built_in_suites())}, or a TOML file"
    parser.add_argument(name, metavar="SUITE", help=about, complete="suites", **count)
    parser.add_argument(
        "--benchmarks", type=comma_list, metavar="A,B", help="instead of the suite's", complete="benchmarks"
    )
    parser.add_argument(
        "--optimizers", type=comma_list, metavar="X,Y", help="instead of the suite's", complete="optimizers"
    )
    parser.add_argument(
        "--seeds", type=seed_range, metavar="N|A:B", help="seeds 0..N-1 or A..B-1, instead of the suite's"
    )
    parser.add_argument("--trials", type=int, metavar="N", help="evaluations per run, instead of the suite's")
    parser.add_argument("--prior", choices=KINDS, help="prior that the optimizers are given, of this quality")
    parser.add_argument(
        "--allow-import", action="store_true", help="let the file name code to import, as MODULE:ATTRIBUTE"
    )


def chosen_suite(options: argparse.Namespace, name: str | None = None) -> Suite:
    """The suite that the options of `add_suite` ask for, by its name where there are several."""
    seeds: range | None = options.seeds
    return changed(
        open_suite(options.suite if name is None else name, allow_import=options.allow_import),
        benchmarks=options.benchmarks,
        optimizers=options.optimizers,
        n_seeds=None if seeds is None else len(seeds),
        first_seed=None if seeds is None else seeds.start,
        n_trials=options.trials,
        prior=options.prior,
    )


def seed_range(text: str) -> range:
    """Seeds of `N`, the first N, or of `A:B`, from A up to B without B."""
    first, colon, last = text.partition(":")
    numbers = [first, last] if colon else ["0", first]
    if not all(number.isdecimal() for number in numbers) or not int(numbers[0]) < int(numbers[1]):
        raise argparse.ArgumentTypeError(f"seeds are N with N >= 1, or A:B with A < B, got {text!r}")
    return range(int(numbers[0]), int(numbers[1]))


def shard_of(text: str) -> Shard:
    """Shard of `i/n`, with i from 1 to n."""
    index, _, count = text.partition("/")
    if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count) <= MOST_SHARDS):
        raise argparse.ArgumentTypeError(f"a shard is i/n with i in 1..n and n up to {MOST_SHARDS:,}, got {text!r}")
    return Shard(int(index), int(count))


def duration(text: str) -> float:
    """Seconds of a text such as `90`, `90s`, `55m` or `1h30m`."""
    match = DURATION.fullmatch(text)
    if match is None or not text:
        raise argparse.ArgumentTypeError(f"a duration is written as 90s, 55m or 1h30m, got {text!r}")
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return 3600.0 * hours + 60.0 * minutes + seconds
