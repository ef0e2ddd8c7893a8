"""Addresses of the documentation, one for each command, which its help ends with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SITE = "https://hpo-foundry.github.io/hpo-foundry/"
PAGES: Mapping[str, str] = {  # an action without an entry has the page of its group
    "": "index",
    "list": "benchmarks",
    "optimizers": "optimizers",
    "criteria": "stopping",
    "run": "running",
    "leaderboard": "leaderboards",
    "report": "report",
    "compare": "report",
    "archive": "archive",
    "store": "leaderboards",
    "table": "tables",
    "table stats": "table_statistics",
    "table train": "own_dataset",
    "table subsets": "own_dataset",
    "surrogate": "surrogates",
    "stop": "stopping",
    "reproduce": "reproducing",
    "collect": "collection",
    "profet": "profet",
    "completion": "reference/command_line",
}


def page_of(words: Sequence[str]) -> str:
    """Address of the page about a command: that of all its words, or else of the longest beginning that has one."""
    names = (" ".join(words[:n]) for n in range(len(words), -1, -1))
    return f"{SITE}{next(PAGES[name] for name in names if name in PAGES)}.html"
