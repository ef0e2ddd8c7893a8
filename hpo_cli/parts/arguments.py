"""What the commands share in reading their arguments: a parser that can be completed, lists and options as text."""

from __future__ import annotations

import argparse
import json
import shutil
import textwrap
from typing import Any


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps lines as they are, and leaves room for the longest option."""

    def __init__(self, prog: str):
        super().__init__(prog, max_help_position=28)


class Parser(argparse.ArgumentParser):
    """A parser that keeps its arguments in `arguments`, and what completes their values in `completions`.

    `add_argument(..., complete=KIND)` says that values are names of a kind, see `hpo_cli.completion.NAMES`.
    """

    def __init__(self, **settings: Any):
        self.arguments: list[argparse.Action] = []
        self.completions: dict[str, str] = {}
        super().__init__(formatter_class=_Formatter, **settings)

    def add_argument(self, *names: Any, complete: str = "", **settings: Any) -> argparse.Action:
        action = super().add_argument(*names, **settings)
        self.arguments.append(action)
        if complete:
            self.completions[action.dest] = complete
        return action

    def explain(self, description: str, epilog: str = "") -> None:
        """Set the text above the arguments and the text below them; paragraphs with indented lines stay as they are."""
        self.description, self.epilog = _wrapped(description), _wrapped(epilog)


def _wrapped(text: str) -> str:
    """A text whose paragraphs fit the terminal, but for those with indented lines."""
    width = min(110, shutil.get_terminal_size().columns - 2)
    paragraphs = text.strip("\n").split("\n\n")
    return "\n\n".join(part if "\n  " in f"\n{part}" else textwrap.fill(part, width) for part in paragraphs)


def comma_list(text: str) -> list[str]:
    """Names that are joined by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def parse_option(text: str) -> tuple[str, Any]:
    """Name and value of `NAME=VALUE`; the value is read as JSON where it is JSON, else it is the text."""
    name, separator, value = text.partition("=")
    if not separator or not name:
        from hpo_core.errors import InvalidOption

        raise InvalidOption(f"an option is written NAME=VALUE, got {text!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
