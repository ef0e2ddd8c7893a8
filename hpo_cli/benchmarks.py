"""`hpo list`."""

from __future__ import annotations

import argparse
from typing import Any

from hpo_core import benchmarks


def add(subcommands: Any) -> None:
    command = subcommands.add_parser(
        "list",
        help="names of the benchmarks",
        description="Names of the benchmarks by family, with one line each.",
        epilog="Use a name as in `Benchmark(NAME)`. Other packages add families through the entry points "
        "`hpo_core.benchmarks`.",
    )
    command.add_argument("--family", help="only this family, for example fcnet")
    command.set_defaults(action=_list)


def _list(options: argparse.Namespace) -> None:
    listed = benchmarks()
    families = sorted({entry.family for entry in listed.values()})
    if options.family is not None and options.family not in families:
        from hpo_core.errors import UnknownName, nearest

        raise UnknownName(f"no family {options.family!r}{nearest(options.family, families)}")
    width = max(map(len, listed))
    for family in families:
        if options.family in (None, family):
            print(family)
            for name, entry in listed.items():
                if entry.family == family:
                    print(f"  {name:<{width}}  {entry.summary}")
