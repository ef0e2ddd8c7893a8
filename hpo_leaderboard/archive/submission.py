"""A submission: the runs of a store in one file, with what others need to know to use them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from hpo_core.errors import DamagedFile, InvalidOption
from hpo_core.shown_text import visible
from hpo_leaderboard.archive.packed.contents import CARD, Archive
from hpo_leaderboard.archive.packed.packing import pack_runs
from hpo_leaderboard.store.removal import keys_named
from hpo_leaderboard.store.store import reading

LICENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]{1,39}")  # an SPDX identifier
ADDRESS = re.compile(r"[^@\s]{1,64}@[^@\s]{1,190}\.[^@\s.]{2,60}|https://[^\s]{4,250}")
LENGTHS = {"title": 100, "licence": 40, "contact": 260, "note": 2000}


def check_card(card: Mapping[str, str]) -> dict[str, str]:
    """The card of a submission; raises `InvalidOption` for one that lacks something or says what cannot be shown."""
    for name in ("title", "licence", "contact"):
        if not card.get(name):
            raise InvalidOption(f"a submission needs a {name}, got none; say --{name}")
    for name in CARD:
        value = card.get(name, "")
        if len(value) > LENGTHS[name] or value != visible(value):
            raise InvalidOption(f"the {name} of a submission must be at most {LENGTHS[name]} printable characters")
    if LICENCE.fullmatch(card["licence"]) is None:
        raise InvalidOption(
            f"a licence is the SPDX identifier of one, such as CC-BY-4.0 or BSD-3-Clause, got {card['licence']!r}"
        )
    if ADDRESS.fullmatch(card["contact"]) is None:
        raise InvalidOption(f"a contact is an e-mail address or a page, https://..., got {card['contact']!r}")
    return {name: card[name] for name in CARD if card.get(name)}


def make_submission(
    path: str | Path,
    card: Mapping[str, str],
    *,
    optimizers: Sequence[str] | None = None,
    benchmarks: Sequence[str] | None = None,
) -> Archive:
    """Archive of the runs of a store with a card.

    Parameters
    ----------
    path
        Of the store, every row of which is checked.
    card
        Title, licence (SPDX), contact (e-mail or https), note; the note alone may be left out.
    optimizers, benchmarks
        Labels, or patterns such as `mini-*`, of the runs that are submitted; None for all.
    """
    checked = check_card(card)
    with reading(path) as store:
        damages = list(store.damages())
        if damages:
            raise DamagedFile(f"{path} is damaged: {damages[0].words}; `hpo store verify {path}` says more")
        wanted = set(keys_named(store, optimizers, benchmarks, None))
        archive = pack_runs([store], checked, keys=wanted)
    if not archive.columns["n_trials"].sum():
        raise InvalidOption(f"a submission needs a run with a trial, got none of {len(wanted)} runs of {path}")
    return replace(archive, about={**archive.about, "packed with": f"hpo-foundry {version('hpo-foundry')}"})


def notes_about(archive: Archive, unverified: Sequence[str]) -> dict[str, str]:
    """Notes of an archive about runs that were added to it: whose they are, and what could not be run again."""
    name = f"added {archive.digest()[:12]}"
    said = [f"{key} {value}" for key, value in archive.card.items() if key != "note"]
    notes = {name: "; ".join([f"{archive.n_runs} runs", *said])}
    return notes | ({f"{name}, unverified": ", ".join(unverified)} if unverified else {})
