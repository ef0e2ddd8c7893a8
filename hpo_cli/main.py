"""The command line `hpo`."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence

from hpo_cli import benchmarks, collect, leaderboard, profet, report, runs, stop, store, table
from hpo_core.errors import HpoError
from hpo_core.plugins import import_from_current_directory

DESCRIPTION = """\
HPO Foundry: benchmarks for hyperparameter optimization, and the tools to compare optimizers on them.

  hpo list                         what can be optimized
  hpo run protein rs --seeds 5     run an optimizer, look at the regret
  hpo leaderboard quick            compare the optimizers on the real tables
  hpo report quick.sqlite          the page of a leaderboard, with data and figures
  hpo compare quick.sqlite tpe rs  effect, interval and p-values of two optimizers
  hpo stop replay runs.csv         when stopping criteria would have ended recorded runs
  hpo table info protein           what is in a table, and where its numbers come from
  hpo table stats protein          how hard it is: noise, importance of hyperparameters, neighbourhood of the best
  hpo profet sample svm --n 3      new tasks from a meta-model of real ones

`hpo COMMAND --help` explains each command with examples.
"""


def parser() -> argparse.ArgumentParser:
    """Parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="hpo", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    subcommands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (benchmarks, runs, leaderboard, report, store, table, stop, collect, profet):
        module.add(subcommands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status of one call of `hpo`: 0, or 2 with the reason on standard error."""
    import_from_current_directory()
    options = parser().parse_args(arguments)
    warnings.showwarning = lambda message, *_: print(f"hpo: warning: {message}", file=sys.stderr)
    try:
        options.action(options)
    except (HpoError, FileNotFoundError, IsADirectoryError, PermissionError) as error:
        print(f"hpo: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("hpo: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `hpo list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
