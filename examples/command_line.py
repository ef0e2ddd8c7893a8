"""`hpo`: a line of the command line, run as a terminal would run it, so that the tutorials show what you would type."""

from __future__ import annotations

import shlex

from hpo_cli.main import main


def hpo(line: str, expected: int = 0) -> None:
    """Print the line, run it, and end with its exit status if that is not the expected one."""
    print(f"\n$ hpo {line}", flush=True)
    status = main(shlex.split(line))
    if status != expected:
        raise SystemExit(status)
