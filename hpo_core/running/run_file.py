"""Runs as files of JSON lines: a line about the run, with the checksum of all that follows, then a line per trial.

Numbers are written so that they come back bit for bit. An infinite loss, which only a failed trial has, is written as
null. Arrays and tuples in a result's info come back as lists. Files of version 1 have no checksum: a number that was
altered inside of one goes unnoticed where it may be a number of a run.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.errors import DamagedFile, HpoError, InvalidOption
from hpo_core.problems.problem import Result
from hpo_core.running.trial import Proposal, Trial
from hpo_core.space.plain_data import config_from_json
from hpo_core.storage.files import replacing
from hpo_core.storage.plain_fields import json_object, mapping, number, text, whole
from hpo_core.storage.text_files import read_utf8

FORMAT, VERSION = "hpo-foundry run", 2
MOST_SEED = 2**128  # a seed is any whole number, those of files are no longer than that
MOST_FAILURE = 1_000_000  # characters of an exception's words
HEAD = ("benchmark", "optimizer", "seed", "workers", "reason")


def write_run(head: Mapping[str, Any], trials: Sequence[Trial], path: str | os.PathLike[str]) -> None:
    """Write a run, replacing the file at once, so that a reader sees the old one or the new one."""
    try:
        lines = [json.dumps(_data(trial), default=_plain) for trial in trials]
        first = {"format": FORMAT, "version": VERSION, **head, "n_trials": len(trials)}
        first["sha256"] = _checksum(first, lines)
        whole_text = "\n".join([json.dumps(first, default=_plain), *lines]) + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidOption(f"a run is saved as JSON, and a config or info of this one is not: {error}") from None
    with replacing(Path(path)) as temporary:
        temporary.write_text(whole_text, encoding="utf-8")


def _checksum(first: Mapping[str, Any], lines: Sequence[str]) -> str:
    """Hexadecimal SHA-256 of the line about a run, without the checksum itself, and of the lines of its trials."""
    said = {key: value for key, value in first.items() if key != "sha256"}
    return hashlib.sha256("\n".join([json.dumps(said, default=_plain), *lines]).encode()).hexdigest()


def read_run(path: str | os.PathLike[str]) -> tuple[dict[str, Any], tuple[Trial, ...]]:
    """Line about the run, and its trials; raises `DamagedFile` for a file that is no whole run."""
    path = Path(path)
    line, *rest = read_utf8(path).removesuffix("\n").split("\n")
    try:
        first = _first(path, line)
        if len(rest) != first["n_trials"]:
            raise DamagedFile(f"{path} holds {len(rest)} of its {first['n_trials']} trials; it was cut off")
        if first["version"] > 1 and first.get("sha256") != _checksum(first, rest):
            raise DamagedFile(f"{path}: its contents do not match its checksum; it was altered")
        trials = tuple(_trial(json_object(each, "a trial"), first) for each in rest)
        return {name: first[name] for name in HEAD}, trials
    except HpoError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise DamagedFile(f"{path} is not a whole run: {str(error)[:500]}") from None


def _first(path: Path, line: str) -> dict[str, Any]:
    """The line about a run, each of its fields of the type that it should have."""
    try:
        first = json_object(line)
    except ValueError:
        first = {}
    if first.get("format") != FORMAT:
        raise DamagedFile(f"{path} is not a run saved by Run.save: its first line does not say {FORMAT!r}")
    if whole(first.get("version"), "the version of the format", 1) > VERSION:
        raise DamagedFile(
            f"{path} has version {first['version']} of the format, this release reads up to {VERSION}; upgrade it"
        )
    for name in ("benchmark", "optimizer", "reason"):
        text(first.get(name), name)
    whole(first.get("seed"), "the seed", 0, MOST_SEED)
    whole(first.get("workers"), "the number of workers", 1)
    whole(first.get("n_trials"), "the number of trials")
    return first


def comparable(trials: Sequence[Trial]) -> list[str]:
    """Text of each trial; equal trials have equal texts, also where NaN or arrays make `==` useless."""
    return [json.dumps(_data(trial), default=_plain_or_repr, sort_keys=True) for trial in trials]


def _data(trial: Trial) -> dict[str, Any]:
    proposal, result = trial.proposal, trial.result
    return {
        "step": trial.step,
        "config": dict(proposal.config),
        "asked": proposal.budget,
        "budget": result.budget,
        "loss": None if result.loss == math.inf else result.loss,
        "cost": result.cost,
        "info": dict(result.info),
        "seed": trial.seed,
        "worker": trial.worker,
        "start": trial.start,
        "paid": trial.paid,
        "failure": trial.failure,
    }


def _trial(data: dict[str, Any], first: Mapping[str, Any]) -> Trial:
    """The trial of a line, each of its fields of the type and in the range that it should be."""
    failure = None if data["failure"] is None else text(data["failure"], "a failure", MOST_FAILURE)
    loss = math.inf if data["loss"] is None else number(data["loss"], "a loss")
    if loss == math.inf and failure is None:
        raise ValueError("a trial without a loss must say why it failed")
    config = config_from_json(mapping(data["config"], "a configuration"))
    asked = None if data["asked"] is None else number(data["asked"], "a budget")
    cost, start, paid = (number(data[name], name, 0.0) for name in ("cost", "start", "paid"))
    return Trial(
        Proposal(config, asked),
        Result(loss, cost, number(data["budget"], "a budget", 0.0), mapping(data["info"], "info")),
        step=whole(data["step"], "a step"),
        seed=None if data["seed"] is None else whole(data["seed"], "the seed of a trial", 0, MOST_SEED),
        worker=whole(data["worker"], "a worker", 0, first["workers"] - 1),
        start=start,
        paid=paid,
        failure=failure,
    )


def _plain(value: object) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} {value!r}")


def _plain_or_repr(value: object) -> Any:
    try:
        return _plain(value)
    except TypeError:
        return repr(value)
