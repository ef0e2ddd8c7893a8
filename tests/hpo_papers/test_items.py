"""Every item of every paper at its smallest size: numbers, verdict, rows and figure."""

import pytest

from hpo_papers.frame.catalogue import PAPERS, items_of
from hpo_papers.frame.item import WORDS
from hpo_papers.frame.page import svg_of
from hpo_papers.frame.plan import PlannedItem
from hpo_papers.frame.reproduction import ReproductionSettings, reproduce

BEYOND_COST = "ram2022/"  # the first item of this paper takes 15 s of CPU, most of it no part of what it states


def is_slow(named):
    return named.item.cost(named.item.least) > 1.0 or named.name.startswith(BEYOND_COST)


ITEMS = [
    pytest.param(named, marks=[pytest.mark.slow] if is_slow(named) else [], id=named.name)
    for paper in PAPERS
    for named in items_of(paper)
]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("reproduction")


@pytest.mark.parametrize("named", ITEMS)
def test_the_smallest_size_of(named, out):
    item = named.item
    (result,) = reproduce([PlannedItem(named, item.least, 0.0)], ReproductionSettings(out, smallest=True))
    assert result.verdict.word in WORDS
    assert result.verdict.reason
    rows = item.compare(result.numbers)
    assert len({row.what for row in rows}) == len(rows), "each row says what it is"
    if item.draw is not None:
        assert "</svg>" in svg_of(item.draw(result.numbers), named.name)
