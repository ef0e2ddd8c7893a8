"""Names of COCO's problems, `bbob/f1-i1-d5` and `bbob-mixint/f1-i1-d5`, for the registry of `hpo_core`.

A name says the function, the instance and the dimension. Instances of one function differ in where the optimum lies,
in its value, and in rotations; COCO takes them as repetitions of one experiment. Nothing here needs coco-experiment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from hpo_core.errors import InvalidOption, UnknownName
from hpo_core.facts import BenchmarkFacts

if TYPE_CHECKING:
    from hpo_core.problems.coco.problem import CocoProblem

FUNCTIONS = (
    *("Sphere", "Ellipsoid", "Rastrigin", "BuecheRastrigin", "LinearSlope", "AttractiveSector", "StepEllipsoid"),
    *("Rosenbrock", "RosenbrockRotated", "EllipsoidRotated", "Discus", "BentCigar", "SharpRidge", "DifferentPowers"),
    *("RastriginRotated", "Weierstrass", "Schaffers10", "Schaffers1000", "GriewankRosenbrock", "Schwefel"),
    *("Gallagher101", "Gallagher21", "Katsuura", "LunacekBiRastrigin"),
)  # f1..f24
N_INSTANCES = 65_535  # COCO seeds its generator with 10,000 x instance, 31 bits at most; readers of logs keep 16 bits
NAME = re.compile(r"(bbob|bbob-mixint)/f([0-9]{1,9})-i([0-9]{1,9})-d([0-9]{1,9})")
PART = re.compile(r"([fid])([0-9]{1,9})(?![0-9])")


class CocoName(NamedTuple):
    """What a name stands for."""

    suite: str
    function: int
    instance: int
    dimension: int

    def __str__(self) -> str:
        return f"{self.suite}/f{self.function}-i{self.instance}-d{self.dimension}"


def coco_name(name: str) -> CocoName | None:
    """Suite, function, instance and dimension of the name of a COCO problem; None for any other name."""
    match = NAME.fullmatch(name)
    if match is None:
        return None
    found = CocoName(match[1], *map(int, match.groups()[1:]))
    return found if str(found) == name and found == _valid(found) else None


def _valid(given: CocoName) -> CocoName:
    """The problem that is nearest to one that may not exist."""
    dimensions = FAMILIES[given.suite].dimensions
    return CocoName(
        given.suite,
        min(max(given.function, 1), len(FUNCTIONS)),
        min(max(given.instance, 1), N_INSTANCES),
        min(dimensions, key=lambda dimension: abs(dimension - given.dimension)),
    )


@dataclass(frozen=True)
class CocoFamily:
    """A suite of COCO as a family of benchmarks."""

    suite: str
    dimensions: tuple[int, ...]
    variables: str

    def listing(self) -> dict[str, str]:
        """Instance 1 of every function in every dimension; any other instance works too."""
        return {
            str(CocoName(self.suite, function, 1, dimension)): (
                f"{FUNCTIONS[function - 1]}, {dimension} {self.variables}; any instance instead of i1"
            )
            for function in range(1, len(FUNCTIONS) + 1)
            for dimension in self.dimensions
        }

    def facts(self, name: str) -> BenchmarkFacts:
        """What is known of every problem."""
        return BenchmarkFacts((1, 1), optimum=True, curves=False, extra="coco", group=f"{self.suite}/*")

    def make(self, name: str, **options: Any) -> CocoProblem | None:
        """The problem of a name; None for a name of another family."""
        if name.partition("/")[0] != self.suite:
            return None
        found = coco_name(name)
        if found is None:
            raise UnknownName(f"no benchmark {name!r}{self._hint(name)}; {self._rule}")
        if options:
            raise InvalidOption(f"{name!r} has no options, got {', '.join(options)}")
        from hpo_core.problems.coco.problem import CocoProblem

        return CocoProblem(found)

    @property
    def _rule(self) -> str:
        return (
            f"names are {self.suite}/fFUNCTION-iINSTANCE-dDIMENSION with a function in 1..{len(FUNCTIONS)}, "
            f"an instance in 1..{N_INSTANCES} and one of the dimensions {', '.join(map(str, self.dimensions))}, "
            f"see `hpo list --family {self.suite}`"
        )

    def _hint(self, name: str) -> str:
        """The nearest name that has the parts which can be recognised, as a clause to append."""
        parts = {letter: int(number) for letter, number in PART.findall(name.partition("/")[2])}
        if not parts:
            return ""
        meant = CocoName(self.suite, parts.get("f", 1), parts.get("i", 1), parts.get("d", 5))
        return f"; did you mean {_valid(meant)}?"


bbob = CocoFamily("bbob", (2, 3, 5, 10, 20, 40), "floats")
mixint = CocoFamily("bbob-mixint", (5, 10, 20, 40, 80, 160), "variables, four fifths integers")
FAMILIES = {family.suite: family for family in (bbob, mixint)}
