"""Which runs of a store are compared: chosen ones, of the latest versions, under the same limits.

A store collects runs over months: of several releases of an optimizer, of several contents of a benchmark, under
several limits. Ranked side by side they would count as rivals and mislead. So, in this order:

    1. the optimizers, benchmarks and seeds that were asked for
    2. of several contents of a benchmark, and of several versions of an optimizer, those of the run stored last
    3. of a seed that was run with several libraries of linear algebra, the run stored last
    4. on each benchmark the runs under the same limits: those of most optimizers, then most runs, then the latest

Optimizers that differ in their options are no versions of each other. What was left out is said.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, TypeVar

import numpy as np

from hpo_core.errors import InvalidOption, UnknownName, nearest
from hpo_leaderboard.store.file.descriptions import read_setting
from hpo_leaderboard.store.frames import Frames, make_frames
from hpo_leaderboard.store.listed_runs import ListedRuns, list_runs
from hpo_leaderboard.store.shown_names import Description, conditions, shown_names
from hpo_leaderboard.store.store import Store

T = TypeVar("T")


class Selection(NamedTuple):
    """Frames of the selected runs, and a sentence for everything else that was left out."""

    frames: Frames
    left_out: list[str]


class _Candidate(NamedTuple):
    """A run: its row in the table or store, its setting, the names it is shown under, its number when stored, its seed.

    `said` is one object for all runs of a setting.
    """

    row: int
    said: Description
    benchmark: str
    optimizer: str
    stored: int
    seed: int

    @property
    def labels(self) -> tuple[str, str]:
        return self.said["benchmark"]["label"], self.said["optimizer"]["label"]


def select(
    source: Store | Frames,
    *,
    optimizers: Sequence[str] | None = None,
    benchmarks: Sequence[str] | None = None,
    seeds: Collection[int] | None = None,
    latest: bool = True,
    configs: bool = True,
) -> Selection:
    """Frames of the runs of a store that may be compared, and what was left out.

    Parameters
    ----------
    source
        An open store, of which only the selected runs are read, or its frames.
    optimizers
        Labels; of `module:Class` the class is enough, and a whole label with its version stands for that version,
        whichever is the latest. None for all.
    benchmarks
        Labels or patterns such as `profet-svm/*`. None for all.
    seeds
        Seeds of the suite, such as `range(20, 40)`. None for all.
    latest
        Whether older versions are left out; otherwise each version is an optimizer of its own.
    configs
        Whether trials have the column `config`; of frames they are as they were.

    Raises
    ------
    UnknownName
        For a name that no run has.
    """
    wanted = (optimizers, benchmarks, seeds)
    if isinstance(source, Frames):
        texts, stored = source.runs["description"].tolist(), source.runs["stored"].tolist()
        if "" in texts:
            return Selection(_named(source, *wanted), [])
        kept, left_out = _choose(_candidates(map(read_setting, texts), stored), *wanted, latest)
        return Selection(_rows(source, kept), left_out)
    runs, left_out = select_runs(source, *wanted, latest)
    return Selection(make_frames(source, configs=configs, runs=runs), left_out)


def select_runs(
    store: Store,
    optimizers: Sequence[str] | None = None,
    benchmarks: Sequence[str] | None = None,
    seeds: Collection[int] | None = None,
    latest: bool = True,
) -> tuple[ListedRuns, list[str]]:
    """The runs of a store that `select` reads, without reading their trials, and what was left out."""
    listed = list_runs(store)
    candidates = _candidates(zip(listed.settings, listed.seeds, strict=True), listed.stored)
    kept, left_out = _choose(candidates, optimizers, benchmarks, seeds, latest)
    return listed.only([one.row for one in kept]), left_out


def _candidates(settings: Iterable[tuple[Description, int]], stored: Iterable[int]) -> list[_Candidate]:
    pairs = list(settings)
    said, seeds = [setting for setting, _ in pairs], [seed for _, seed in pairs]
    each = zip(said, shown_names(said, seeds), stored, seeds, strict=True)
    return [_Candidate(i, own, *name, order, seed) for i, (own, name, order, seed) in enumerate(each)]


def _choose(
    candidates: list[_Candidate],
    optimizers: Sequence[str] | None,
    benchmarks: Sequence[str] | None,
    seeds: Collection[int] | None,
    latest: bool,
) -> tuple[list[_Candidate], list[str]]:
    wanted = _matching(benchmarks, [(one.benchmark, one.labels[0]) for one in candidates], "benchmark")
    kept = [one for one in candidates if one.benchmark in wanted]
    wanted = _matching(optimizers, [(one.optimizer, one.labels[1]) for one in kept], "optimizer")
    kept = [one for one in kept if one.optimizer in wanted and (seeds is None or one.seed in seeds)]
    if not kept:
        raise InvalidOption("a selection must hold at least one run, got none; leave out seeds=, or choose other seeds")
    left_out: list[str] = []
    if latest:
        by_name = set(optimizers or ()) | set(benchmarks or ())
        kept, left_out = _latest(kept, "benchmark", "contents", left_out, by_name)
        kept, left_out = _latest(kept, "optimizer", "version", left_out, by_name)
        kept, left_out = _latest_numerics(kept, left_out)
    return _under_equal_limits(kept, left_out)


def _matching(texts: Sequence[str] | None, names: Iterable[tuple[str, str]], kind: str) -> set[str]:
    """Shown names that the texts stand for: the whole one, else the label, its name without options, or a pattern."""
    labels = dict(names)
    if texts is None:
        return set(labels)
    found = set()
    for text in texts:
        fits = {text} & labels.keys() or {
            shown
            for shown, label in labels.items()
            if text in (label, label.partition(" ")[0], label.partition(" ")[0].partition(":")[2])
            or fnmatchcase(label, text)
        }
        if not fits:
            raise UnknownName(f"there are no runs of {kind} {text!r}{nearest(text, sorted(set(labels.values())))}")
        found |= fits
    return found


def _latest(
    candidates: list[_Candidate], kind: str, what: str, left_out: list[str], by_name: set[str]
) -> tuple[list[_Candidate], list[str]]:
    """Runs of the version that was stored last under each label, and those of a version that was asked for by name."""

    settings = _of_each(
        candidates, lambda said: (said[kind]["label"], json.dumps(said[kind]["options"], sort_keys=True))
    )

    def setting(one: _Candidate) -> tuple[str, str]:
        return settings[id(one.said)]

    def version(one: _Candidate) -> str:
        return str(one.said[kind]["checksum"][:8] if kind == "benchmark" else one.said[kind]["version"])

    last: dict[tuple[str, str], _Candidate] = {}
    for one in sorted(candidates, key=lambda one: one.stored):
        last[setting(one)] = one
    kept, older = [], Counter[tuple[str, str, str]]()
    for one in candidates:
        shown = one.benchmark if kind == "benchmark" else one.optimizer
        asked = shown in by_name and shown != one.said[kind]["label"]
        if asked or version(one) == version(last[setting(one)]):
            kept.append(one)
        else:
            older[setting(one)[0], version(one), version(last[setting(one)])] += 1
    lines = [
        f"{label}: {n} {_plural('run', n)} of an older {what} ({old}), since {new} was stored later"
        for (label, old, new), n in sorted(older.items())
    ]
    return kept, left_out + lines


def _latest_numerics(candidates: list[_Candidate], left_out: list[str]) -> tuple[list[_Candidate], list[str]]:
    """One run for each of those that differ in the libraries of linear algebra alone, the one that was stored last."""

    texts = _of_each(
        candidates, lambda said: json.dumps({key: said[key] for key in said if key != "numerics"}, sort_keys=True)
    )

    if not any("numerics" in one.said for one in candidates):
        return candidates, left_out
    last = {(texts[id(one.said)], one.seed): one for one in sorted(candidates, key=lambda one: one.stored)}
    kept = sorted(last.values(), key=lambda one: one.row)
    again = Counter(one.labels[1] for one in candidates) - Counter(one.labels[1] for one in kept)
    lines = [
        f"{label}: {n} {_plural('run', n)} that were run again later with other libraries of linear algebra"
        for label, n in sorted(again.items())
    ]
    return kept, left_out + lines


def _under_equal_limits(candidates: list[_Candidate], left_out: list[str]) -> tuple[list[_Candidate], list[str]]:
    """On each benchmark the runs under the limits that most optimizers have, then most runs, then the latest."""
    groups: dict[str, dict[str, list[_Candidate]]] = defaultdict(lambda: defaultdict(list))
    texts = _of_each(candidates, lambda said: json.dumps([said["limits"], conditions(said)], sort_keys=True))
    for one in candidates:
        groups[one.benchmark][texts[id(one.said)]].append(one)
    kept: list[_Candidate] = []
    others: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for benchmark, by_limits in groups.items():
        chosen = max(by_limits.values(), key=_coverage)
        kept += chosen
        for own in by_limits.values():
            if own is not chosen:
                mine, theirs = _difference(conditions(own[0].said), conditions(chosen[0].said))
                for optimizer, n in sorted(Counter(one.labels[1] for one in own).items()):
                    others[f"{optimizer}: {n} {_plural('run', n)}", mine, theirs].append(benchmark)
    lines = [
        f"{runs} with {mine} on {_listed(names)}, since the others ran with {theirs}"
        for (runs, mine, theirs), names in sorted(others.items())
    ]
    return sorted(kept, key=lambda one: one.row), left_out + lines


def _of_each(candidates: Iterable[_Candidate], make: Callable[[Description], T]) -> dict[int, T]:
    """What is made of each setting, by its `id`: there are far fewer of them than runs."""
    return {number: make(said) for number, said in {id(one.said): one.said for one in candidates}.items()}


def _coverage(own: list[_Candidate]) -> tuple[int, int, int]:
    return len({one.labels[1] for one in own}), len(own), max(one.stored for one in own)


def _difference(mine: dict[str, Any], theirs: dict[str, Any]) -> tuple[str, str]:
    """The conditions in which two runs differ, as text, of the one and of the other."""
    parts = [part for part in mine if mine[part] != theirs[part]]
    if not parts:
        return "another cost of an evaluation", "that of today"
    return ", ".join(f"{part}{mine[part]}" for part in parts), ", ".join(f"{part}{theirs[part]}" for part in parts)


def _listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) < 4 else f"{len(names)} benchmarks"


def _plural(word: str, n: int) -> str:
    return word if n == 1 else f"{word}s"


def _named(
    frames: Frames, optimizers: Sequence[str] | None, benchmarks: Sequence[str] | None, seeds: Collection[int] | None
) -> Frames:
    """Frames of the runs with some names: all that can be told of runs that were in no store."""
    parts = []
    on = _matching(benchmarks, [(name, name) for name in frames.tasks["benchmark"]], "benchmark")
    of = _matching(optimizers, [(name, name) for name in frames.runs["optimizer"].unique()], "optimizer")
    for table in (frames.trials, frames.runs):
        rows = table["benchmark"].isin(on) & table["optimizer"].isin(of)
        parts.append(table[rows & table["seed"].isin(seeds) if seeds is not None else rows].reset_index(drop=True))
    tasks = frames.tasks[frames.tasks["benchmark"].isin(on)].reset_index(drop=True)
    return Frames(parts[0], parts[1], tasks)


def _rows(frames: Frames, kept: list[_Candidate]) -> Frames:
    """Frames of some runs, under the names that they have among each other."""
    names = shown_names([one.said for one in kept], [one.seed for one in kept])
    runs = frames.runs.iloc[[one.row for one in kept]].reset_index(drop=True)
    numbered = runs[["benchmark", "optimizer", "seed"]].assign(run=range(len(runs)))
    trials = frames.trials.merge(numbered, on=["benchmark", "optimizer", "seed"], how="inner")
    own = trials.pop("run").to_numpy(dtype=int)
    benchmarks, optimizers = (np.array([name[i] for name in names], dtype=object) for i in (0, 1))
    renamed = dict(zip(runs["benchmark"], benchmarks, strict=True))
    tasks = frames.tasks[frames.tasks["benchmark"].isin(renamed)].reset_index(drop=True)
    return Frames(
        trials.assign(benchmark=benchmarks[own], optimizer=optimizers[own]),
        runs.assign(benchmark=benchmarks.tolist(), optimizer=optimizers.tolist()),
        tasks.assign(benchmark=[renamed[name] for name in tasks["benchmark"]]),
    )
