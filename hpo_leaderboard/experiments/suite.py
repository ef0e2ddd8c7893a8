"""`Suite`: benchmarks x optimizers x seeds x limits, from a TOML file or from Python.

    name = "mine"
    version = 1                           goes up when the suite's meaning changes: no run of the old one is used
    benchmarks = ["protein", "mini-*", { name = "forrester", options = { a = 3.0 }, n_trials = 50 }]
    optimizers = ["rs", { name = "re", label = "small re", options = { population = 20 } }, "my_package.search:Mine"]
    n_seeds = 20
    n_trials = 100
    prior = "good"                        or near, bad: what optimizers are told, see `study_priors`; none unless given
    resume = false                        larger budgets train from scratch; the default is what each problem says

A name with `*`, `?` or `[` stands for every listed name that it matches, which may be none; `profet-svm/0..99` for the
hundred names with these numbers, and `bbob/f1..24-i1..5-d5` for 120 names. `MODULE:ATTRIBUTE` is your own class or
function: it is imported, so a file that has such names is opened with `allow_import` alone; so is one that has peer
processes, `NAME@ENV` or `cmd@COMMAND`. How the runs are scored is said beside this, see
`hpo_leaderboard.experiments.scoring`.
"""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from hpo_core.errors import DamagedFile, HpoError, InvalidOption, UnknownName, nearest
from hpo_core.names import needs_import
from hpo_core.storage.files import read_limited
from hpo_leaderboard.experiments.members import (
    MOST_SEEDS,
    Entry,
    Member,
    check_limits,
    members_of,
    optimizers_of,
    with_prior,
)
from hpo_leaderboard.experiments.naming import check_file_name
from hpo_leaderboard.experiments.scoring import SETTINGS, Scoring
from hpo_leaderboard.experiments.study_priors import check_kind

SUFFIX = ".toml"
MOST_BYTES = 4_000_000  # of a file
RANGES = {"n_seeds": (1, MOST_SEEDS), "workers": (1, 10**6), "version": (1, 2**31), "first_seed": (0, 2**53)}


class ForbiddenImport(HpoError, PermissionError):
    """A file that names code to import, opened without the permission to do so."""


@dataclass(frozen=True)
class Suite:
    """What an experiment consists of.

    benchmarks, optimizers   each pair of them is run
    n_seeds                  runs per pair, with the seeds first_seed, first_seed + 1, ...; an optimizer may have fewer
    n_trials                 evaluations per run; where a benchmark has several budgets, a run may instead take the
                             seconds that so many evaluations at the full budget take on average
    max_cost                 seconds on a run's clock, None for no limit
    workers                  evaluations at the same time, on a run's simulated clock
    version                  part of every run's key
    first_seed               lowest of the seeds
    resume                   whether a larger budget continues a training; None does what each problem says
    scoring                  how the runs are scored; no part of a run's key
    prior                    near, good or bad: an option of every benchmark, which makes it another one
    """

    name: str
    benchmarks: tuple[Member, ...]
    optimizers: tuple[Member, ...]
    n_seeds: int = 20
    n_trials: int | None = 100
    max_cost: float | None = None
    workers: int = 1
    version: int = 1
    first_seed: int = 0
    resume: bool | None = None
    scoring: Scoring = field(default_factory=Scoring)
    prior: str | None = None

    def __post_init__(self) -> None:
        check_file_name("the name of a suite", self.name)
        for name, (least, most) in RANGES.items():
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise InvalidOption(f"{name} of a suite must be an integer >= {least}, got {value!r}")
            if value > most:
                raise InvalidOption(f"{name} of a suite must be an integer <= {most:,}, got {value!r}")
        check_limits("a suite", self.n_trials, self.max_cost)
        if self.n_trials is None and self.max_cost is None:
            raise InvalidOption("a suite needs a limit: give n_trials, max_cost or both")
        if not (self.resume is None or isinstance(self.resume, bool)):
            raise InvalidOption(f"resume of a suite must be true or false, got {self.resume!r}")
        if not isinstance(self.scoring, Scoring):
            raise InvalidOption(f"scoring of a suite is said by {', '.join(SETTINGS)}, got {self.scoring!r}")
        if self.prior is not None:
            check_kind(self.prior)
            object.__setattr__(self, "benchmarks", tuple(with_prior(m, self.prior) for m in self.benchmarks))
        self._check_members()

    def _check_members(self) -> None:
        for kind in ("benchmarks", "optimizers"):
            labels = Counter(member.label for member in getattr(self, kind))
            if not labels:
                raise InvalidOption(f"suite {self.name!r} needs {kind}, got none")
            twice = sorted(label for label, count in labels.items() if count > 1)
            if twice:
                raise InvalidOption(f"{kind} of a suite need different labels, {', '.join(twice)} stand there twice")
        for member in self.optimizers:
            if member.has_limits:
                raise InvalidOption(
                    f"only benchmarks have limits of their own, got some for optimizer {member.label!r}"
                )
        for member in self.benchmarks:
            if member.n_seeds is not None:
                raise InvalidOption(f"only optimizers have n_seeds of their own, got some for {member.label!r}")

    @property
    def seeds(self) -> range:
        return range(self.first_seed, self.first_seed + self.n_seeds)

    def seeds_of(self, optimizer: Member) -> range:
        """Seeds that an optimizer runs with: all of the suite's, or the first of them if it has fewer."""
        return self.seeds[: optimizer.n_seeds]

    def limits_of(self, benchmark: Member) -> tuple[int | None, float | None]:
        """Evaluations and seconds after which a run on a benchmark ends, None for no limit."""
        if benchmark.has_limits:
            return benchmark.n_trials, benchmark.max_cost
        return self.n_trials, self.max_cost


def make_suite(
    name: str, benchmarks: Iterable[Entry | Member], optimizers: Iterable[Entry | Member], **settings: Any
) -> Suite:
    """Suite whose members are names, or mappings with the fields of `Member`.

    Parameters
    ----------
    name
        Of the suite, and of the store that `hpo leaderboard` makes.
    benchmarks, optimizers
        Names, or mappings with `name`, `options` and `label`; benchmarks also with `n_trials` and `max_cost`.
    settings
        The other fields of `Suite`, and those of `Scoring`.

    Examples
    --------
    >>> from hpo_leaderboard.experiments.suite import make_suite
    >>> suite = make_suite("mine", ["branin"], ["rs", {"name": "re", "options": {"population": 20}}], n_seeds=5)
    >>> [member.label for member in suite.optimizers]
    ['rs', 're(population=20)']
    """
    known = [*(f.name for f in fields(Suite)), *SETTINGS]
    for setting in settings:
        if setting not in known:
            raise InvalidOption(f"a suite has no {setting!r}{nearest(setting, known)}")
    scoring = {key: settings.pop(key) for key in SETTINGS if key in settings}
    if scoring:
        settings["scoring"] = Scoring(**scoring)
    return Suite(name, members_of(benchmarks), optimizers_of(optimizers), **settings)


def built_in_suites() -> list[str]:
    """Names of the suites that come with the package."""
    folder = files("hpo_leaderboard") / "suites"
    return sorted(item.name.removesuffix(SUFFIX) for item in folder.iterdir() if item.name.endswith(SUFFIX))


def open_suite(name: str | os.PathLike[str], *, allow_import: bool = False) -> Suite:
    """Suite by the name of a built-in one, or by the path of a TOML file.

    Parameters
    ----------
    name
        Of a built-in suite, or a path that ends in `.toml`.
    allow_import
        Whether the file may name code to import, as `MODULE:ATTRIBUTE`: running it then runs that code.

    Raises
    ------
    ForbiddenImport
        For a file that names code to import without `allow_import`.
    """
    text = os.fspath(name) if isinstance(name, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise InvalidOption(f"a suite is given by its name or the path of its file, got {name!r:.60}")
    if text in built_in_suites():
        content = (files("hpo_leaderboard") / "suites" / f"{text}{SUFFIX}").read_bytes()
    elif text.endswith(SUFFIX):
        content = read_limited(Path(text), MOST_BYTES, "a suite")
    else:
        known = built_in_suites()
        raise UnknownName(f"no suite {text!r}{nearest(text, known)}; a suite of your own is a file NAME{SUFFIX}")
    suite = _suite_of(content, text)
    own = sorted({member.name for member in (*suite.benchmarks, *suite.optimizers) if needs_import(member.name)})
    if own and not allow_import:
        raise ForbiddenImport(
            f"{text} names code to import: {', '.join(own)}. Running it runs that code; if you trust the file and the "
            "code, say --allow-import (allow_import=True)"
        )
    return suite


def _suite_of(content: bytes, path: str) -> Suite:
    """The suite that a TOML file holds."""
    try:
        data = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise DamagedFile(f"{path} is not in UTF-8, as TOML files are ({error}); save it again in UTF-8") from None
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise InvalidOption(f"{path} is not a TOML file: {error or type(error).__name__}") from None
    missing = [key for key in ("benchmarks", "optimizers") if key not in data]
    if missing:
        raise InvalidOption(f"{path} needs {' and '.join(missing)}")
    data.setdefault("name", Path(path).name.removesuffix(SUFFIX))
    if "max_cost" in data:
        data.setdefault("n_trials", None)  # TOML has no word for None, and a suite may be limited by cost alone
    return make_suite(**data)


def changed(suite: Suite, **changes: Any) -> Suite:
    """The suite with some of its fields replaced; None leaves a field as it is.

    A benchmark or an optimizer that is given by the name under which the suite reports its own is that one, with the
    suite's options and limits. `n_trials` also replaces that of benchmarks with limits of their own.
    """
    given = {key: value for key, value in changes.items() if value is not None}
    for kind, made in (("benchmarks", members_of), ("optimizers", optimizers_of)):
        if kind in given:
            given[kind] = _by_label(made, given[kind], {member.label: member for member in getattr(suite, kind)})
    if "n_trials" in given:
        members = given.get("benchmarks", suite.benchmarks)
        n_trials = given["n_trials"]
        given["benchmarks"] = tuple(replace(m, n_trials=n_trials) if m.has_limits else m for m in members)
    return replace(suite, **given)


def _by_label(made: Callable[[Any], tuple[Member, ...]], entries: Any, own: Mapping[str, Member]) -> tuple[Member, ...]:
    """The members that are `made` of entries; a text that is the label of one of our `own` stands for that one."""
    members: list[Member] = []
    for entry in entries if isinstance(entries, (list, tuple)) else [*made(entries)]:
        named = made([entry])
        members += [own.get(member.label, member) for member in named] if isinstance(entry, str) else named
    return tuple(members)
