"""Names under which the runs of a store are shown: the suite's labels, with what tells runs of one label apart."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Description = Mapping[str, Any]  # `Job.description`, parsed


def shown_names(descriptions: Sequence[Description]) -> list[tuple[str, str]]:
    """Benchmark and optimizer of each run, as shown.

    They are the labels. Where there are runs under one label that differ in more than benchmark and seed, such as those
    of two releases, what differs is added to the label. Seeds that were run on several machines, with other libraries
    of linear algebra, are runs of one optimizer, unless the same seed was run on both.
    """
    benchmarks = _told_apart(descriptions, "benchmark", lambda said: {"@": said["benchmark"]["checksum"][:8]})
    optimizers = _told_apart(descriptions, "optimizer", _variant)
    seen = Counter(
        (benchmark, optimizer, said["seed"])
        for benchmark, optimizer, said in zip(benchmarks, optimizers, descriptions, strict=True)
    )
    twice = {optimizer for (_, optimizer, _), count in seen.items() if count > 1}
    shown = [
        f"{name} with {said.get('numerics')}" if name in twice and "numerics" in said else name
        for name, said in zip(optimizers, descriptions, strict=True)
    ]
    return list(zip(benchmarks, shown, strict=True))


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
    variants = [variant(said) for said in descriptions]
    labels = [said[kind]["label"] for said in descriptions]
    for said, label, own in zip(descriptions, labels, variants, strict=True):
        for part, value in own.items():
            seen[label, part, "" if part == "" else said["benchmark"]["label"]].add(str(value))
    differing = {(label, part) for (label, part, _), values in seen.items() if len(values) > 1}
    return [
        " ".join([label, *(f"{part}{value}" for part, value in own.items() if (label, part) in differing)])
        for label, own in zip(labels, variants, strict=True)
    ]
