"""`Scoring`: how the runs of a suite are scored. No run depends on it, so it is no part of a run's key.

incumbent = "lowest-loss"                         or "highest-budget"
targets = { kind = "sobol", n = 600, seed = 0 }   or { kind = "quantiles", n = 50 },
                                                  or { kind = "fixed", values = { protein = [0.22, 0.25] } }
repetitions = 20
cutoffs = { protein = [1e3, 1e4], slice = 1e4 }
split = "test"                                    or "validation"
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from hpo_core.errors import InvalidOption, nearest

INCUMBENTS = ("highest-budget", "lowest-loss")
SPLITS = ("validation", "test")
KINDS = ("quantiles", "sobol", "fixed")
MOST_TARGETS = 10_000  # of a benchmark
LARGEST = 1e300  # numbers are below: an integer may be more than any float


@dataclass(frozen=True)
class Targets:
    """Losses that runs are timed to.

    kind     `quantiles` of the losses of random configurations; `sobol`, the losses of configurations on a Sobol grid;
             `fixed`, the given `values`. None depends on who takes part
    n        how many for each benchmark; None is the usual number of the kind
    seed     of the configurations
    values   losses by the label of a benchmark, for `fixed` alone
    """

    kind: str = "quantiles"
    n: int | None = None
    seed: int = 0
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_choice("kind of the targets", self.kind, KINDS)
        if self.n is not None:
            _check_count("n of the targets", self.n, least=1, most=MOST_TARGETS)
        _check_count("seed of the targets", self.seed, least=0)
        object.__setattr__(self, "values", _numbers_by_benchmark("values of the targets", self.values))
        if (self.kind == "fixed") != bool(self.values):
            got = f"kind {self.kind!r} with {len(self.values)} benchmarks in values"
            raise InvalidOption(f"targets have values if, and only if, their kind is 'fixed', got {got}")


@dataclass(frozen=True)
class Scoring:
    """How runs are scored.

    incumbent     `highest-budget`, the lowest loss at the highest budget so far, or `lowest-loss`, at any budget
    targets       losses that runs are timed to
    repetitions   how many runs of a task are averaged before tasks are compared, those with the lowest seeds; None for
                  all of them
    cutoffs       seconds on a run's clock at which robustness is measured, by the label of a benchmark; without an
                  entry it is measured at the end of the runs
    split         whose regret robustness is measured by, `validation` or `test`; all else is by validation
    """

    incumbent: str = "highest-budget"
    targets: Targets = field(default_factory=Targets)
    repetitions: int | None = None
    cutoffs: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    split: str = "validation"

    def __post_init__(self) -> None:
        _check_choice("incumbent", self.incumbent, INCUMBENTS)
        _check_choice("split", self.split, SPLITS)
        if self.repetitions is not None:
            _check_count("repetitions", self.repetitions, least=1)
        if not isinstance(self.targets, Targets):
            object.__setattr__(self, "targets", _targets(self.targets))
        cutoffs = _numbers_by_benchmark("cutoffs", self.cutoffs)
        for benchmark, seconds in cutoffs.items():
            if min(seconds) <= 0:
                raise InvalidOption(f"cutoffs must be seconds above 0, got {min(seconds)} for {benchmark!r}")
        object.__setattr__(self, "cutoffs", cutoffs)

    def to_json(self) -> str:
        """Canonical JSON, which `scoring_from_json` reads."""
        return json.dumps(asdict(self), sort_keys=True)


SETTINGS = tuple(f.name for f in fields(Scoring))


def scoring_from_json(text: str) -> Scoring:
    """The scoring that `Scoring.to_json` wrote."""
    return Scoring(**json.loads(text))


def _targets(given: object) -> Targets:
    known = [f.name for f in fields(Targets)]
    if not isinstance(given, Mapping):
        raise InvalidOption(f"targets must be a table with {', '.join(known)}, got {given!r}")
    for name in given:
        if name not in known:
            raise InvalidOption(f"targets have {', '.join(known)}, got {name!r}{nearest(str(name), known)}")
    return Targets(**given)


def _numbers_by_benchmark(what: str, given: object) -> dict[str, tuple[float, ...]]:
    """Finite numbers by benchmark, of which each may be given a single one."""
    if not isinstance(given, Mapping):
        raise InvalidOption(f"{what} must be numbers by benchmark, such as {{ protein = [0.1, 0.2] }}, got {given!r}")
    numbers = {}
    for benchmark, value in given.items():
        listed = list(value) if isinstance(value, (list, tuple)) else [value]
        if not listed or not all(_is_number(entry) for entry in listed):
            raise InvalidOption(f"{what} must be finite numbers, got {value!r} for {benchmark!r}")
        numbers[str(benchmark)] = tuple(float(entry) for entry in listed)
    return numbers


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -LARGEST < value < LARGEST


def _check_choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InvalidOption(f"{what} must be {' or '.join(map(repr, choices))}, got {value!r}")


def _check_count(what: str, value: object, *, least: int, most: int = 2**53) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InvalidOption(f"{what} must be an integer >= {least}, got {value!r}")
    if value > most:
        raise InvalidOption(f"{what} must be an integer <= {most:,}, got {value!r}")
