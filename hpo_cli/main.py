"""The command line `hpo`: words in, exit status out."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from hpo_cli.commands import COMMANDS, Command, CommandGroup
from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.pages import page_of
from hpo_cli.parts.rendering import Output

DESCRIPTION = """\
HPO Foundry: benchmarks for hyperparameter optimization, and the tools to compare optimizers on them.

examples:
  hpo list                         what can be optimized
  hpo run protein rs --seeds 5     run an optimizer, look at the regret
  hpo leaderboard quick            compare the fast optimizers on real tasks
  hpo report quick.sqlite          the page of a leaderboard, with data and figures
  hpo compare quick.sqlite tpe rs  effect, interval and p-values of two optimizers
  hpo stop replay runs.csv         when stopping criteria would have ended recorded runs
  hpo reproduce makarova2022       a paper's figures and tables, computed again and judged
  hpo table info protein           what is in a table, and where its numbers come from
  hpo table stats protein          noise, importance of hyperparameters, neighbours of the best
  hpo profet sample svm --n 3      new tasks from a meta-model of real ones
"""
EPILOG = """\
`hpo COMMAND --help` explains a command, with examples. Commands that print a table take --json or --csv. In Python,
`help(hpo_foundry)` and the docstrings say more. The README gives an overview.

Exit status: 0 done; 1 done, but runs broke; 2 not done, with the reason on standard error; 130 interrupted.
"""


class _ShowVersion(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: Any) -> None:
        from importlib.metadata import version

        print(f"hpo-foundry {version('hpo-foundry')}")
        parser.exit()


def make_parser(words: Sequence[str]) -> Parser:
    """Parser of the whole command line, of which only the command that the words begin with has its arguments."""
    top = Parser(prog="hpo")
    top.explain(DESCRIPTION, EPILOG)
    top.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version and exit")
    _add_commands(top, COMMANDS, words, "COMMAND")
    _add_page(top, ())
    return top


def _add_commands(
    parser: Parser, commands: Mapping[str, Command | CommandGroup], words: Sequence[str], metavar: str
) -> None:
    """Add commands to a parser, and their arguments to the one that the words begin with; stops at an unknown one."""
    chosen = words[0] if words and not words[0].startswith("-") else None
    children = parser.add_subparsers(dest=metavar.lower(), metavar=metavar, required=True, help=argparse.SUPPRESS)
    parser.usage = f"%(prog)s [-h] {'[--version] ' if commands is COMMANDS else ''}{metavar} ..."
    parser.description = f"{parser.description}\n\n{metavar.lower()}s:\n{_summaries(commands)}"
    for name, command in commands.items():
        child = children.add_parser(name)
        if name != chosen:
            continue
        about = command.summary[0].upper() + command.summary[1:] + "."
        child.explain(about, "" if isinstance(command, Command) else command.examples)
        if isinstance(command, Command):
            command.load()(child)
        else:
            _add_commands(child, command.commands, words[1:], "ACTION")
        _add_page(child, child.prog.split()[1:])
    if chosen is not None and chosen not in commands:
        from hpo_core.errors import nearest

        parser.error(f"no {metavar.lower()} {chosen!r}{nearest(chosen, commands)}")


def _add_page(parser: Parser, words: Sequence[str]) -> None:
    """Let a command's help end with the address of its page."""
    parser.epilog = f"{parser.epilog or ''}\n\nDocumentation: {page_of(words)}".lstrip("\n")


def _summaries(commands: Mapping[str, Command | CommandGroup]) -> str:
    width = max(map(len, commands))
    return "\n".join(f"  {name:<{width}}  {command.summary}" for name, command in commands.items())


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status of one call of `hpo`, see `EPILOG`."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = make_parser(words).parse_args(words)
    from hpo_core.errors import HpoError
    from hpo_core.plugins import import_from_current_directory
    from hpo_core.shown_text import visible

    warnings.showwarning = lambda message, *_: print(visible(f"hpo: warning: {message}"), file=sys.stderr)
    import_from_current_directory()
    out = Output(getattr(options, "format", None) or "text")
    try:
        status = options.action(options, out) or 0
        out.close()
        return status
    except (HpoError, FileNotFoundError, IsADirectoryError, PermissionError) as error:
        out.close(done=False)
        print(visible(f"hpo: error: {error}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        out.close(done=False)
        print("hpo: interrupted", file=sys.stderr)
        return 130
    except SystemExit as error:
        out.close(done=False)
        print(f"hpo: error: code that was called ended the program ({error.code!r}); it must not", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `hpo list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
