"""Runs as files of JSON lines: a line about the run, then a line per trial.

Numbers are written so that they come back bit for bit. An infinite loss, which only a failed trial has, is written as
null. Arrays and tuples in a result's info come back as lists.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.errors import DamagedFile, InvalidOption
from hpo_core.problems.problem import Result
from hpo_core.running.trial import Proposal, Trial
from hpo_core.storage.files import replacing

FORMAT, VERSION = "hpo-foundry run", 1
HEAD = ("benchmark", "optimizer", "seed", "workers", "reason")


def write_run(head: Mapping[str, Any], trials: Sequence[Trial], path: str | os.PathLike[str]) -> None:
    """Write a run, replacing the file at once, so that a reader sees the old one or the new one."""
    first = {"format": FORMAT, "version": VERSION, **head, "n_trials": len(trials)}
    try:
        lines = [json.dumps(first), *(json.dumps(_data(trial), default=_plain) for trial in trials)]
    except TypeError as error:
        raise InvalidOption(f"a run is saved as JSON, and a config or info of this one is not: {error}") from None
    with replacing(Path(path)) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_run(path: str | os.PathLike[str]) -> tuple[dict[str, Any], tuple[Trial, ...]]:
    """Line about the run, and its trials."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    try:
        first = json.loads(lines[0]) if lines else {}
        if first.get("format") != FORMAT:
            raise DamagedFile(f"{path} is not a run saved by Run.save: its first line does not say {FORMAT!r}")
        if first["version"] > VERSION:
            raise DamagedFile(
                f"{path} has version {first['version']} of the format, this release reads up to {VERSION}; upgrade it"
            )
        if len(lines) - 1 != first["n_trials"]:
            raise DamagedFile(f"{path} holds {len(lines) - 1} of its {first['n_trials']} trials; it was cut off")
        return {name: first[name] for name in HEAD}, tuple(_trial(json.loads(line)) for line in lines[1:])
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFile(f"{path} is not a whole run: {error!r}") from None


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


def _trial(data: dict[str, Any]) -> Trial:
    loss = math.inf if data["loss"] is None else data["loss"]
    return Trial(
        Proposal(data["config"], data["asked"]),
        Result(loss, data["cost"], data["budget"], data["info"]),
        **{name: data[name] for name in ("step", "seed", "worker", "start", "paid", "failure")},
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
