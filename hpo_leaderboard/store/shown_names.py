"""Names under which the runs of a store are shown: the suite's labels, with what tells runs of one label apart."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Description = Mapping[str, Any]  # `Job.description`, parsed, but for the seeds; one object for many runs


def shown_names(descriptions: Sequence[Description], seeds: Sequence[int]) -> list[tuple[str, str]]:
    """Benchmark and optimizer of each run, as shown; `descriptions` are their settings, `seeds` those of the suite.

    They are the labels. Where there are runs under one label that differ in more than benchmark and seed, such as those
    of two releases, what differs is added to the label. Seeds that were run on several machines, with other libraries
    of linear algebra, are runs of one optimizer, unless the same seed was run on both.
    """
    benchmarks = _told_apart(descriptions, "benchmark", lambda said: {"@": said["benchmark"]["checksum"][:8]})
    optimizers = _told_apart(descriptions, "optimizer", _variant)
    twice = _run_twice(benchmarks, optimizers, seeds, descriptions)
    shown = [
        f"{name} with {said.get('numerics')}" if name in twice and "numerics" in said else name
        for name, said in zip(optimizers, descriptions, strict=True)
    ]
    return list(zip(benchmarks, shown, strict=True))


def _run_twice(
    benchmarks: Sequence[str], optimizers: Sequence[str], seeds: Sequence[int], descriptions: Sequence[Description]
) -> set[str]:
    """Optimizers that depend on linear algebra of which a seed was run more than once on a benchmark."""
    numeric = {name for name, said in zip(optimizers, descriptions, strict=True) if "numerics" in said}
    runs = zip(benchmarks, optimizers, seeds, strict=True)
    seen = Counter(run for run in runs if run[1] in numeric)
    return {optimizer for (_, optimizer, _), count in seen.items() if count > 1}


def conditions(said: Description) -> dict[str, Any]:
    """What a run was allowed and how its clock and seed were made: runs are compared only if these are equal."""
    limits = said["limits"]
    return {
        "n_trials=": limits["n_trials"],
        "max_cost=": limits["max_cost"],
        "workers=": limits["workers"],
        "resume=": limits.get("resume"),
        "suite ": said["suite"],
        "seeds ": "by benchmark" if "run_seed" in said else "alike on all benchmarks",
    }


def _variant(said: Description) -> dict[str, Any]:
    optimizer = said["optimizer"]
    return {"": optimizer["version"], "options ": json.dumps(optimizer["options"]), **conditions(said)}


def _told_apart(
    descriptions: Sequence[Description], kind: str, variant: Callable[[Description], dict[str, Any]]
) -> list[str]:
    """Label of each run, followed by those parts of its variant in which runs of the same label differ.

    Versions are told apart wherever they ran; conditions on each benchmark, since a suite may give every benchmark
    limits of its own.
    """
    seen: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    settings = {id(said): said for said in descriptions}
    variants = {number: variant(said) for number, said in settings.items()}
    for number, said in settings.items():
        for part, value in variants[number].items():
            seen[said[kind]["label"], part, "" if part == "" else said["benchmark"]["label"]].add(str(value))
    differing = {(label, part) for (label, part, _), values in seen.items() if len(values) > 1}
    shown = {}
    for number, said in settings.items():
        label = said[kind]["label"]
        parts = [f"{part}{value}" for part, value in variants[number].items() if (label, part) in differing]
        shown[number] = " ".join([label, *parts])
    return [shown[id(said)] for said in descriptions]
