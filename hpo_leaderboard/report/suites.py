"""The suites that a store's runs came from, read back from the runs: what reproduces them."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hpo_core.names import needs_import
from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.experiments.scoring import Scoring


class _Key(NamedTuple):
    """What all runs of a suite share."""

    version: int
    n_trials: int | None
    max_cost: float | None
    workers: int
    resume: bool | None
    seeds: range
    optimizers: tuple[str, ...]


def suite_files(descriptions: Iterable[Mapping[str, Any]], name: str, scoring: Scoring | None = None) -> dict[str, str]:
    """TOML texts, by file name, of suites that ask for the runs with these descriptions (`Job.description`).

    A suite runs all its optimizers on all its benchmarks, so there is one for each group of benchmarks with the same
    optimizers, seeds and limits. Versions are not part of a suite: the same releases give the same runs.
    """
    members: dict[str, dict] = {}
    seeds: dict[tuple[str, tuple[Any, ...]], dict[str, range]] = defaultdict(dict)
    for each in descriptions:
        benchmark, optimizer = (_member(each[kind]) for kind in ("benchmark", "optimizer"))
        texts = [json.dumps(member, sort_keys=True) for member in (benchmark, optimizer)]
        members.update(zip(texts, (benchmark, optimizer), strict=True))
        limits = (
            each["suite"],
            *(each["limits"].get(field) for field in ("n_trials", "max_cost", "workers", "resume")),
        )
        own, seed = seeds[texts[0], limits], each["seed"]
        known = own.get(texts[1], range(seed, seed + 1))
        own[texts[1]] = range(min(known.start, seed), max(known.stop, seed + 1))
    groups: dict[_Key, list[str]] = defaultdict(list)
    for (benchmark_text, limits), own in seeds.items():
        for some in sorted(set(own.values()), key=lambda each: (each.start, each.stop)):
            of = sorted(text for text, each in own.items() if each == some)
            for layer in _layers(of, members):
                groups[_Key._make((*limits, some, tuple(layer)))].append(benchmark_text)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), str(item[0])))
    names = ["suite.toml"] if len(ordered) == 1 else [f"suite-{i}.toml" for i in range(1, len(ordered) + 1)]
    settings = _settings(scoring or Scoring())
    return {
        file: _text(name, key, [members[text] for text in benchmarks], [members[text] for text in key.optimizers])
        + settings
        for file, (key, benchmarks) in zip(names, ordered, strict=True)
    }


def _settings(scoring: Scoring) -> str:
    """Lines of a suite about its scoring: what is as usual is left out."""
    usual = json.loads(Scoring().to_json())
    given = json.loads(scoring.to_json())
    return "".join(f"{key} = {_toml(value)}\n" for key, value in given.items() if value != usual[key])


def _member(said: Mapping[str, Any]) -> dict[str, Any]:
    """Name, options and label of a benchmark or optimizer, as an entry of a suite: what is as usual is left out."""
    options = dict(said["options"])
    entry: dict[str, Any] = {"name": said["name"]}
    if options:
        entry["options"] = options
    if said["label"] != Member(said["name"], options).label:
        entry["label"] = said["label"]
    return entry


def _layers(texts: Sequence[str], members: Mapping[str, dict]) -> list[list[str]]:
    """The optimizers, apart where two of them have the same label, which a suite does not allow."""
    seen: Counter[str] = Counter()
    layers: dict[int, list[str]] = defaultdict(list)
    for text in texts:
        label = Member(**members[text]).label
        layers[seen[label]].append(text)
        seen[label] += 1
    return list(layers.values())


def _text(name: str, key: _Key, benchmarks: Sequence[dict], optimizers: Sequence[dict]) -> str:
    own = sorted({member["name"] for member in (*benchmarks, *optimizers) if needs_import(member["name"])})
    lines = [f"# names code to import; look at it, then run this with --allow-import: {_toml(own)}"] if own else []
    lines += [f"name = {_toml(name)}", f"version = {key.version}"]
    lines += [f"benchmarks = {_toml([_entry(member) for member in benchmarks])}"]
    lines += [f"optimizers = {_toml([_entry(member) for member in optimizers])}"]
    lines += [f"n_seeds = {len(key.seeds)}"]
    lines += [f"first_seed = {key.seeds.start}"] if key.seeds.start else []
    lines += [f"n_trials = {key.n_trials}"] if key.n_trials is not None else []
    lines += [f"max_cost = {key.max_cost!r}"] if key.max_cost is not None else []
    lines += [f"workers = {key.workers}"] if key.workers != 1 else []
    lines += [f"resume = {_toml(key.resume)}"] if key.resume is not None else []
    return "\n".join(lines) + "\n"


def _entry(member: dict) -> Any:
    return member["name"] if list(member) == ["name"] else member


def _toml(value: Any) -> str:
    """A value of JSON in TOML, which has no None: an option that is None has to be given in Python."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_toml(key)} = {_toml(each)}" for key, each in value.items() if each is not None)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
