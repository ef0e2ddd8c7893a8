"""Labels as names of folders."""

import re

from hypothesis import given
from hypothesis import strategies as st

from hpo_leaderboard.exports.folder_names import LONGEST, folder_names


@given(st.lists(st.text(max_size=10), max_size=5))
def test_names_are_safe_and_different(labels):
    labels += ["x" * 300, "x" * 299, "RE", "Re"]
    names = folder_names(labels)
    assert set(names) == set(labels)
    assert len({name.lower() for name in names.values()}) == len(set(labels))
    for name in names.values():
        assert re.fullmatch(r"[A-Za-z0-9+-][A-Za-z0-9._+-]*", name) and len(name) <= LONGEST + 3


def test_names_do_not_depend_on_the_order():
    labels = ["tpe", "tpe/", "TPE", "tpe:"]
    assert folder_names(labels) == folder_names(labels[::-1])
