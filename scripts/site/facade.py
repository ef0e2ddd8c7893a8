"""The names of `hpo_foundry` as a Markdown table, each with what it is and a link to where it is explained."""

from __future__ import annotations

from pathlib import Path

import griffe

ROOT = Path(__file__).parent.parent.parent


def facade() -> str:
    """Table of the names; the packages are read, not imported."""
    package = griffe.load("hpo_foundry", search_paths=[ROOT], resolve_aliases=True, resolve_external=True)
    rows = [_row(name, package.members[name]) for name in package.exports or () if name != "__version__"]
    return "\n".join(["| name | what it is |", "|---|---|", *rows])


def _row(name: str, member: griffe.Object | griffe.Alias) -> str:
    home = member.final_target if isinstance(member, griffe.Alias) else member
    first = home.docstring.value.split("\n\n")[0] if home.docstring else ""
    return f"| [`{name}`][{home.path}] | {' '.join(first.split())} |".replace(r"\|", "|")
