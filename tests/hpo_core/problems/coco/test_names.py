"""Which names of COCO's problems there are, and what is said about the others."""

import re

import pytest

from hpo_core import Benchmark, benchmarks
from hpo_core.errors import InvalidOption, UnknownName
from hpo_core.facts import facts_of
from hpo_core.problems.coco.names import FAMILIES, CocoName, coco_name


def test_a_name_says_function_instance_and_dimension():
    assert coco_name("bbob-mixint/f24-i15-d160") == CocoName("bbob-mixint", 24, 15, 160)
    assert str(CocoName("bbob", 3, 65_535, 40)) == "bbob/f3-i65535-d40"


@pytest.mark.parametrize("name", ["branin", "bbob/f1-i1-d80", "bbob/f25-i1-d5", "bbob/f01-i1-d5", "bbob/f1-i65536-d5"])
def test_other_names_are_none(name):
    assert coco_name(name) is None


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("bbob/f25-i1-d5", "bbob/f24-i1-d5"),
        ("bbob/f0-i1-d5", "bbob/f1-i1-d5"),
        ("bbob/f1-i0-d5", "bbob/f1-i1-d5"),
        ("bbob/f1-i1-d4", "bbob/f1-i1-d3"),
        ("bbob/f1-i1-d1000", "bbob/f1-i1-d40"),
        ("bbob/f1-i99999-d5", "bbob/f1-i65535-d5"),
        ("bbob/f01-i1-d5", "bbob/f1-i1-d5"),
        ("bbob/f1-d5", "bbob/f1-i1-d5"),
        ("bbob-mixint/f1-i1-d2", "bbob-mixint/f1-i1-d5"),
    ],
)
def test_a_wrong_name_is_refused_with_the_rule_and_the_nearest(name, meant):
    with pytest.raises(
        UnknownName, match=f"no benchmark '{name}'; did you mean {meant}.*function in 1..24.*dimensions"
    ):
        Benchmark(name)


@pytest.mark.parametrize(
    "rest",
    ["", "/", "/f1", "/f1-i1-d-5", "/f\N{FULLWIDTH DIGIT ONE}-i1-d5", "/f1-i1-d5 ", "/F1-i1-d5", "/f" + "9" * 9999],
)
def test_what_is_no_name_at_all_is_refused_with_the_rule(rest):
    """Digits of another alphabet and numbers of a thousand digits among them."""
    for suite in FAMILIES:
        with pytest.raises(UnknownName, match=f"names are {suite}/fFUNCTION-iINSTANCE-dDIMENSION"):
            Benchmark(suite + rest)


def test_there_are_no_options():
    with pytest.raises(InvalidOption, match=re.escape("'bbob/f1-i1-d2' has no options, got noise")):
        Benchmark("bbob/f1-i1-d2", noise=True)


def test_every_function_is_listed_in_every_dimension():
    for suite, family in FAMILIES.items():
        listed = [coco_name(name) for name, entry in benchmarks().items() if entry.family == suite]
        assert {(c.function, c.dimension) for c in listed} == {(f, d) for f in range(1, 25) for d in family.dimensions}
        facts = facts_of(suite, str(listed[0]))
        assert (facts.extra, facts.group, facts.optimum, facts.budgets) == ("coco", f"{suite}/*", True, (1, 1))
