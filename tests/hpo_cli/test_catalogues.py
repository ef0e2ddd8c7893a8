"""`hpo list`, `hpo optimizers` and `hpo criteria`."""

import pytest

from baselines import criteria, optimizers
from baselines.adapters.parts.peer_names import PEERS
from hpo_core import Benchmark, benchmarks
from hpo_core.facts import facts_of
from tabular.families import own_tables


def test_list_has_columns_and_folds_families(hpo):
    lines = hpo("list").out.splitlines()
    assert lines[0].split() == ["name", "family", "budgets", "optimum", "curves", "extra", "summary"]
    rows = {line.split()[0]: line.split()[1:6] for line in lines[1:]}
    assert rows["protein"] == ["fcnet", "100", "yes", "-", "-"]
    assert rows["mini-wine"] == ["mini", "1..100", "yes", "yes", "-"]
    assert rows["profet-svm/0.."] == ["profet", "1", "-", "-", "-"]
    assert rows["cv-xgb-*"] == ["trained", "1", "-", "-", "collect"]
    assert not any(name.startswith("cv-xgb-") for name in rows if name != "cv-xgb-*")
    assert len(lines) < 60


def test_a_family_is_unfolded(hpo):
    names = [line.split()[0] for line in hpo("list", "--family", "trained").out.splitlines()[1:]]
    assert names == [name for name, entry in benchmarks().items() if entry.family == "trained"]
    assert "branin" not in hpo("list", "--family", "fcnet").out


def test_machines_get_every_name(hpo):
    rows = hpo("list", "--json").rows
    assert sorted(row["name"] for row in rows) == sorted(benchmarks())
    assert {
        key: value for row in rows for key, value in row.items() if row["name"] == "branin" and key not in
        ("summary", "extra")
    } == {"name": "branin", "family": "functions", "budgets": [1, 1], "optimum": True, "curves": False}  # fmt: skip
    assert hpo("list", "--csv").out.startswith("name,family,budgets,")


NAMES = [name for name, entry in benchmarks().items() if entry.family != "trained" or name == "cv-lm-wine"]
FIRST = {benchmarks()[name].family: name for name in reversed(NAMES)}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in FIRST.values() else [pytest.mark.slow]) for n in NAMES]
)
def test_what_the_list_says_is_true(name):
    facts = facts_of(benchmarks()[name].family, name)
    benchmark = Benchmark(name)
    assert facts.budgets == (benchmark.budgets[0], benchmark.budgets[-1])
    assert facts.optimum == (benchmark.optimum is not None)
    assert facts.curves == (len(benchmark.budgets) > 1)


def test_a_covered_name_is_marked(hpo, cache):
    own_tables.path("protein").parent.mkdir(parents=True)
    own_tables.path("protein").touch()
    row = next(row for row in hpo("list", "--json").rows if row["name"] == "protein")
    assert "covers the built-in" in row["summary"]
    assert row["budgets"] is None
    (line,) = (line for line in hpo("list").out.splitlines() if line.startswith("protein "))
    assert line.split()[:3] == ["protein", "fcnet", "?"]
    assert "your own, covers the built-in" in hpo("table", "list").out


def test_optimizers_are_listed_with_their_papers(hpo):
    out = hpo("optimizers").out
    assert "Real et al. (2019)" in out
    rows = {row["name"]: row for row in hpo("optimizers", "--json").rows}
    assert list(rows) == [*optimizers(), *(f"{name}@ENV" for name in PEERS)]
    assert rows["dehb-lib@ENV"]["paper"] == "Awad et al. (2021)" and rows["dehb-lib@ENV"]["multi_fidelity"]
    assert rows["hyperband"]["multi_fidelity"] and not rows["rs"]["multi_fidelity"]
    assert {line.split()[0]: line.split()[1] for line in out.splitlines()}["hyperband"] == "several"


def test_criteria_are_listed_with_their_papers(hpo):
    assert "Makarova et al. (2022)" in hpo("criteria").out
    assert [row["name"] for row in hpo("criteria", "--json").rows] == list(criteria())
