"""Descriptions of runs (`Job.description`), read from a store: JSON of which every part that is used is checked.

Runs of one pair of benchmark and optimizer differ in their seeds alone, which stand at the end of the text. What stands
in front of them is read and checked once, and the runs share what it says: a million runs have a hundred such settings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from hpo_leaderboard.experiments.naming import label_fault

MOST_CHARACTERS = 1_000_000
MOST_COUNT = 2**53
N_KEPT = 4096  # settings that are kept
SEEDS = '"run_seed":'  # before it stands the setting
ENDING = re.compile('(0|[1-9][0-9]{0,18}),"seed":(0|[1-9][0-9]{0,18}),"suite":(0|[1-9][0-9]{0,18})}')
Description = Mapping[str, Any]


class Setting(NamedTuple):
    """What a description says but for the seeds, which are 0 here, and whether it is written as descriptions are."""

    said: Description
    is_canonical: bool


def json_of(text: str) -> Any:
    """Value of a JSON text; raises `ValueError` where it is none."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a text of {len(text):,} characters is too long")
    try:
        value = json.loads(text)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()  # half a character, which cannot be written anywhere
        return value
    except RecursionError:
        raise ValueError("a text is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"a text is no JSON ({error})") from None


def read_description(text: str) -> Description:
    """What a description says; raises `ValueError` for one that no job has.

    Its parts are shared with other descriptions of the same setting: they are not to be changed.
    """
    setting, run_seed, seed = _split(text)
    return setting.said if seed is None else {**setting.said, "run_seed": run_seed, "seed": seed}


def read_setting(text: str) -> tuple[Description, int]:
    """What a description says but for the seeds, one object for all runs of a setting, and the suite's seed."""
    setting, _, seed = _split(text)
    return setting.said, setting.said["seed"] if seed is None else seed


def is_canonical(text: str) -> bool:
    """Whether a description is written as `Job.description` writes it."""
    return _split(text)[0].is_canonical


def _split(text: str) -> tuple[Setting, int | None, int | None]:
    """The setting of a description and its two seeds; None for both where it does not end as descriptions do.

    The ending is the same JSON whatever the digits are, so what is in front of it means the same with seeds of 0.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a text of {len(text):,} characters is too long")
    before, _, after = text.rpartition(SEEDS)
    ending = ENDING.fullmatch(after)
    if ending is None:
        return _setting.__wrapped__(text), None, None
    run_seed, seed, suite = map(int, ending.groups())
    if max(run_seed, seed) > MOST_COUNT:
        raise ValueError("its description is none of a run: a seed is no seed")
    return _setting(f'{before}{SEEDS}0,"seed":0,"suite":{suite}}}'), run_seed, seed


@lru_cache(maxsize=N_KEPT)
def _setting(text: str) -> Setting:
    said = _checked(text)
    return Setting(said, json.dumps(said, sort_keys=True, separators=(",", ":")) == text)


def _checked(text: str) -> Description:
    """What a description says, read on its own; raises `ValueError` for one that no job has."""
    said = json_of(text)
    try:
        fault = _fault(said)
    except (KeyError, TypeError) as error:
        fault = f"it lacks {error}" if isinstance(error, KeyError) else "a part of it has another type"
    if fault is not None:
        raise ValueError(f"its description is none of a run: {fault}")
    return said


def _fault(said: Any) -> str | None:
    for kind, content in (("benchmark", "checksum"), ("optimizer", "version")):
        member = said[kind]
        texts = (member["name"], member["label"], member[content])
        if not all(type(text) is str for text in texts) or type(member["options"]) is not dict:
            return f"its {kind} is no name with options"
        if (fault := next(filter(None, map(label_fault, texts)), None)) is not None:
            return f"a name of its {kind} {fault}"
    limits = said["limits"]
    for name, least in (("n_trials", 1), ("workers", 1)):
        if not (_is_count(limits[name], least) or (limits[name] is None and name == "n_trials")):
            return f"{name} is {limits[name]!r:.40}"
    for name in ("max_cost", "full_cost"):
        if not (limits[name] is None or _is_time(limits[name])):
            return f"{name} is {limits[name]!r:.40}"
    if not (limits.get("resume") is None or type(limits["resume"]) is bool) or not _is_count(said["suite"], 0):
        return "resume or the version of the suite is something else"
    numerics = said.get("numerics")
    if not (numerics is None or (type(numerics) is str and label_fault(numerics) is None)):
        return "its numerics are no line of text"
    return None if _is_count(said["seed"], 0) and _is_count(said.get("run_seed", 0), 0) else "a seed is no seed"


def _is_count(value: object, least: int) -> bool:
    return type(value) is int and least <= value <= MOST_COUNT


def _is_time(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value < 1e300  # type: ignore[operator]
