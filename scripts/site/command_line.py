"""The reference of the command line as Markdown, made from the parsers themselves."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterator

from hpo_cli.commands import COMMANDS, Command, CommandGroup
from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.pages import SITE, page_of

CODE = re.compile(r"(`[^`]*`)")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)")
WIDTH = 84  # of a usage, in letters
JOINED = "\0"  # for a blank at which no line ends


def command_line() -> str:
    """A section for each command, with its usage, arguments and examples."""
    return "\n\n".join(part for name, command in COMMANDS.items() for part in _sections([name], command))


def _sections(words: list[str], command: Command | CommandGroup) -> Iterator[str]:
    title = f"{'#' * (1 + len(words))} hpo {' '.join(words)}"
    about = f"{command.summary[0].upper()}{command.summary[1:]}."
    if isinstance(command, CommandGroup):
        yield "\n\n".join([title, _escaped(about), *_paragraphs(command.examples), _more(words)])
        for name, action in command.commands.items():
            yield from _sections([*words, name], action)
        return
    parser = Parser(prog=" ".join(["hpo", *words]))
    parser.explain(about)
    command.load()(parser)
    parts = [title, *_paragraphs(parser.description or ""), _usage(parser), _arguments(parser)]
    yield "\n\n".join(part for part in [*parts, *_paragraphs(parser.epilog or ""), _more(words)] if part)


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs as Markdown; one with indented lines is shown as it is, its first line being its title."""
    for part in filter(None, text.strip("\n").split("\n\n")):
        first, *rest = part.split("\n")
        if any(line.startswith("  ") for line in rest):
            lines = "\n".join(line.removeprefix("  ") for line in rest)
            yield f"{first.capitalize()}\n\n```text\n{lines}\n```"
        else:
            yield _escaped(" ".join((part[0].upper() + part[1:]).split()))


def _usage(parser: Parser) -> str:
    """Usage in lines of some width, with each option in one piece."""
    words = " ".join(parser.format_usage().removeprefix("usage: ").split())
    whole = re.sub(r"\[-[^]]*\]", lambda option: option[0].replace(" ", JOINED), words)
    lines = textwrap.wrap(whole, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return "\n".join(["```text", *lines, "```"]).replace(JOINED, " ")


def _arguments(parser: Parser) -> str:
    """Table of the arguments."""
    rows = [_row(action) for action in parser.arguments if action.help != argparse.SUPPRESS and action.dest != "help"]
    return "\n".join(["| argument | meaning |", "|---|---|", *rows]) if rows else ""


def _row(action: argparse.Action) -> str:
    value = action.metavar or ("" if action.nargs == 0 else _choices(action) or action.dest.upper())
    names = [f"{name} {value}".strip() for name in action.option_strings] or [action.metavar or action.dest]
    shown = ", ".join(f"`{name}`" for name in names)
    words = (action.help or "").replace("%%", "%")  # as argparse shows it
    return f"| {shown} | {_escaped(words)} |".replace(r"|A:B", r"\|A:B")


def _choices(action: argparse.Action) -> str:
    return "{" + ",".join(map(str, action.choices)) + "}" if action.choices is not None else ""


def _escaped(text: str) -> str:
    """Text in which nothing but `code` has a meaning in Markdown; options become code."""
    parts = CODE.split(text)
    return "".join(part if i % 2 else _plain(part) for i, part in enumerate(parts))


def _plain(text: str) -> str:
    return OPTION.sub(r"`\1`", re.sub(r"([\\*_<>\[\]|])", r"\\\1", text))


def _more(words: list[str]) -> str:
    page = page_of(words).removeprefix(SITE).removesuffix(".html")
    return f"More: [{page.replace('_', ' ')}](../{page}.md)"
