"""Options for a Dask cluster whose connections are encrypted."""

from __future__ import annotations

import argparse
from pathlib import Path

from hpo_cli.parts.arguments import Parser
from hpo_core.clusters import TlsFiles
from hpo_core.errors import InvalidOption

FILES = {"tls_ca": "certificate of the authority", "tls_cert": "own certificate", "tls_key": "own key"}


def add_tls(parser: Parser) -> None:
    """Add the options that name the files of a Dask cluster with encryption."""
    for name, what in FILES.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, type=Path, metavar="FILE.pem", help=f"{what}, for --address tls://HOST:PORT")


def tls_files(options: argparse.Namespace) -> TlsFiles | None:
    """The files that were given, all three or none."""
    given = [getattr(options, name) for name in FILES]
    if given == [None] * 3:
        return None
    if None in given:
        raise InvalidOption(f"encryption needs all of {', '.join('--' + name.replace('_', '-') for name in FILES)}")
    return TlsFiles(*given)
