"""`hpo completion SHELL`: a script that completes the command line in a shell.

The script asks `hpo completion words WORD...` for what the last word may become, so names of benchmarks that were added
later are known as well. Where nothing is offered, the shell completes the names of files.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence

from hpo_cli.commands import COMMANDS, Command, CommandGroup
from hpo_cli.parts.arguments import Parser, comma_list
from hpo_cli.parts.rendering import Output

NOTES = """\
examples:
  eval "$(hpo completion bash)"       now, and always as a line of ~/.bashrc
  eval "$(hpo completion zsh)"        now, and always as a line of ~/.zshrc, after compinit
  hpo completion fish > ~/.config/fish/completions/hpo.fish
"""
SCRIPTS = {
    "bash": """\
_hpo() {
    local IFS=$'\\n'
    COMPREPLY=($(hpo completion words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _hpo hpo
""",
    "zsh": """\
#compdef hpo
_hpo() {
    local -a found
    found=("${(@f)$(hpo completion words "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${found[1]}" ]]; then compadd -- "${found[@]}"; else _files; fi
}
compdef _hpo hpo
""",
    "fish": """\
complete -c hpo -a '(hpo completion words (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
""",
}


def add_completion(parser: Parser) -> None:
    parser.explain("Print a script that completes commands, options and names of benchmarks, optimizers, ...", NOTES)
    parser.add_argument("shell", choices=[*SCRIPTS, "words"], metavar="SHELL", help="bash, zsh or fish")
    parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    parser.set_defaults(action=_completion)


def _completion(options: argparse.Namespace, out: Output) -> None:
    if options.shell == "words":
        print("\n".join(candidates(options.words)))
    else:
        print(SCRIPTS[options.shell], end="")


def candidates(words: Sequence[str]) -> list[str]:
    """What the last of the words after `hpo` may become, the others being complete."""
    *before, last = words or [""]
    commands: Mapping[str, Command | CommandGroup] = COMMANDS
    while before and before[0] in commands:
        command, before = commands[before[0]], before[1:]
        if isinstance(command, Command):
            parser = Parser(prog="hpo")
            command.load()(parser)
            return _of_parser(parser, before, last)
        commands = command.commands
    return [] if before else _beginning(last, [*commands, "--help"] + ["--version"] * (commands is COMMANDS))


def _of_parser(parser: Parser, before: Sequence[str], last: str) -> list[str]:
    """What the last word may become as an argument of a command."""
    options = {name: action for action in parser.arguments for name in action.option_strings}
    positionals = [action for action in parser.arguments if not action.option_strings]
    current: argparse.Action | None = None  # the option whose values come next
    n_values = n_given = 0
    for word in before:
        if word in options:
            current, n_values = options[word], 0
        elif current is not None and _takes(current, n_values):
            n_values += 1
        else:
            n_given += 1
    if last.startswith("-"):
        return _beginning(last, options)
    if current is None or not _takes(current, n_values):
        many = [action for action in positionals if action.nargs in ("*", "+")]
        current = positionals[n_given] if n_given < len(positionals) else many[-1] if many else None
    return [] if current is None else _values(parser, current, last)


def _takes(action: argparse.Action, n_values: int) -> bool:
    """Whether an option takes a value after so many."""
    return action.nargs in ("*", "+") or (action.nargs is None and n_values == 0)


def _values(parser: Parser, action: argparse.Action, last: str) -> list[str]:
    if action.choices is not None:
        return _beginning(last, action.choices)
    names = NAMES.get(parser.completions.get(action.dest, ""))
    if names is None:
        return []
    done, comma, begun = last.rpartition(",") if action.type is comma_list else ("", "", last)
    return [f"{done}{comma}{name}" for name in _beginning(begun, names())]


def _beginning(text: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(text)]


def _benchmarks() -> Iterable[str]:
    from hpo_core import benchmarks

    return benchmarks()


def _families() -> Iterable[str]:
    from hpo_core.names import BENCHMARKS
    from hpo_core.plugins import plugins

    return [plugin.name for plugin in plugins(BENCHMARKS)]


def _optimizers() -> Iterable[str]:
    from hpo_core.names import optimizers

    return optimizers()


def _criteria() -> Iterable[str]:
    from hpo_core.names import criteria

    return criteria()


def _suites() -> Iterable[str]:
    from hpo_leaderboard.experiments.suite import built_in_suites

    return built_in_suites()


def _tables() -> Iterable[str]:
    from tabular.families import built_in_tables, own_tables

    return sorted({*built_in_tables(), *own_tables.names()})


def _own_tables() -> Iterable[str]:
    from tabular.families import own_tables

    return own_tables.names()


def _models() -> Iterable[str]:
    from profet.family import available

    return available()


def _own_models() -> Iterable[str]:
    from profet.family import own_models

    return own_models.names()


def _surrogates() -> Iterable[str]:
    from tabular.surrogates.families import own_surrogates, shipped_surrogates

    return [*own_surrogates.names(), *shipped_surrogates()]


def _own_surrogates() -> Iterable[str]:
    from tabular.surrogates.families import own_surrogates

    return own_surrogates.names()


def _datasets() -> Iterable[str]:
    from fcnet_data.datasets import names

    return names()


def _items() -> Iterable[str]:
    from hpo_papers.frame.catalogue import PAPERS, items_of

    return [*PAPERS, *(each.name for paper in PAPERS for each in items_of(paper))]


NAMES: Mapping[str, Callable[[], Iterable[str]]] = {
    "benchmarks": _benchmarks,
    "families": _families,
    "optimizers": _optimizers,
    "criteria": _criteria,
    "suites": _suites,
    "tables": _tables,
    "own-tables": _own_tables,
    "models": _models,
    "own-models": _own_models,
    "surrogates": _surrogates,
    "own-surrogates": _own_surrogates,
    "datasets": _datasets,
    "items": _items,
}
