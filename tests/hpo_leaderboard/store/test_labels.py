"""Short labels of optimizers."""

import pytest

from hpo_core.errors import InvalidOption, UnknownName
from hpo_leaderboard.store.labels import full_label

KNOWN = ["rs", "tpe 0.1.0", "tpe 0.2.0", "tpe-univariate 0.1.0", 're options {"population": 5}', "own:Search 1a2b"]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("rs", "rs"),
        ("tpe 0.1.0", "tpe 0.1.0"),
        ("tpe 0.2", "tpe 0.2.0"),
        ("tpe-", "tpe-univariate 0.1.0"),
        ("re", 're options {"population": 5}'),
        ("own", "own:Search 1a2b"),
        ("Search", "own:Search 1a2b"),
    ],
)
def test_a_text_stands_for_one_label(text, label):
    assert full_label(text, KNOWN) == label


def test_a_whole_label_is_no_beginning_of_another():
    assert full_label("tpe", ["tpe", "tpe-univariate", "tpe 0.1.0"]) == "tpe"


def test_what_fits_several_or_none_is_refused():
    with pytest.raises(InvalidOption, match=r"'tpe' must stand for one optimizer, got 'tpe 0.1.0', 'tpe 0.2.0'"):
        full_label("tpe", KNOWN)
    with pytest.raises(UnknownName, match="did you mean tpe-univariate"):
        full_label("tpe_univariate", KNOWN)
