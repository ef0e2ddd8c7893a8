"""Papers and their items by name, found lazily: nothing of a paper is imported before it is asked for.

A paper is a folder of `hpo_papers` whose `__init__.py` has

    TITLE    authors, year and title
    ITEMS    names of items to modules below the folder: {"table-3": "tables.table_3"}; each module has an `ITEM`
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from hpo_core.errors import UnknownName, nearest
from hpo_papers.frame.item import Item

PAPERS = ("makarova2022", "makarova2021", "dai2019", "ram2022")


class NamedItem(NamedTuple):
    """An item with its paper and the module that it comes from; `name` is PAPER/ITEM."""

    paper: str
    name: str
    module: str

    @property
    def item(self) -> Item:
        """The item, imported now."""
        return import_module(self.module).ITEM


def title_of(paper: str) -> str:
    """Authors, year and title."""
    return import_module(f"hpo_papers.{paper}").TITLE


def items_of(paper: str) -> list[NamedItem]:
    """Items of a paper, in its order."""
    if paper not in PAPERS:
        raise UnknownName(f"no paper {paper!r}{nearest(paper, PAPERS)}; `hpo reproduce --list` has all of them")
    package = f"hpo_papers.{paper}"
    items: dict[str, str] = import_module(package).ITEMS
    return [NamedItem(paper, f"{paper}/{name}", f"{package}.{module}") for name, module in items.items()]


def chosen_items(names: Sequence[str], switches: Sequence[str] = ()) -> list[NamedItem]:
    """Items by PAPER or PAPER/ITEM, without names those of all papers, each once.

    An item that has a switch comes with its paper only if the switch is among `switches`; by its own name always.
    """
    found: dict[str, NamedItem] = {}
    for name in names or PAPERS:
        paper, _, wanted = name.partition("/")
        items = {each.name: each for each in items_of(paper)}
        if wanted and name not in items:
            short = [each.partition("/")[2] for each in items]
            raise UnknownName(f"no item {wanted!r} of {paper}{nearest(wanted, short)}; it has {', '.join(short)}")
        chosen = [items[name]] if wanted else [e for e in items.values() if e.item.switch in ("", *switches)]
        found |= {each.name: each for each in chosen}
    return list(found.values())


def switches() -> dict[str, str]:
    """Switches of the command line to what they ask for."""
    return {
        "own-bounds": "makarova2022: also with the bounds of this package's model (some 30 minutes of CPU time)",
        "own-tables": "makarova2022: also with those at every check on tables (30 minutes of CPU time)",
    }
