"""A few kills of the commands that take long; `scripts/check_kills.py` makes hundreds."""

import pytest

from scripts.check_kills import COLLECT, Work, columns, disturb, finish, works

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ResourceWarning")]


@pytest.mark.parametrize("name", ["table train", "collect", "profet train"])
def test_a_command_that_is_killed_and_given_again_makes_the_same_file(name, tmp_path, monkeypatch):
    data = tmp_path / "data" / "svm.h5"
    if name == "profet train":
        finish(Work(COLLECT.format(12), "--out", data.name, columns), data.parent)
    counts = disturb(works(data)[name], tmp_path / "kills", 3, seed=1)
    assert counts.kills == 3 and counts.finished > 0 and counts.differing == 0
