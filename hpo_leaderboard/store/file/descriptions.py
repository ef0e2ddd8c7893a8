"""Descriptions of runs (`Job.description`), read from a store: JSON of which every part that is used is checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hpo_leaderboard.experiments.naming import label_fault

MOST_CHARACTERS = 1_000_000
MOST_COUNT = 2**53
Description = Mapping[str, Any]


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
    """What a description says; raises `ValueError` for one that no job has."""
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
