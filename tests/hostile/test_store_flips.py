"""Whatever is changed in a store's file is found, or changes nothing that anybody reads."""

from collections import Counter

import numpy as np
import pytest
from hostile_stores import EDITS, execute, flips, meaning, small_store, verdict
from older_stores import as_version

from hpo_cli.main import main


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return small_store(tmp_path_factory.mktemp("sound") / "s.sqlite")


@pytest.fixture
def path(sound, tmp_path):
    (tmp_path / "s.sqlite").write_bytes(sound.read_bytes())
    return tmp_path / "s.sqlite"


@pytest.mark.parametrize("statement", EDITS.values(), ids=EDITS)
def test_one_statement_that_changes_anything_is_found(path, capsys, statement):
    assert main(["store", "verify", str(path)]) == 0
    execute(path, statement)
    assert main(["store", "verify", str(path)]) == 2
    assert "s.sqlite" in capsys.readouterr().err


@pytest.mark.slow
def test_bit_flips_are_found_or_change_nothing(path):
    """Flips that pass lie in parts of the file that SQLite does not use: unused bytes of pages, counters of changes."""
    before = meaning(path)
    seen = Counter(verdict(flipped, before) for flipped in flips(path, 250, np.random.default_rng(0)))
    assert seen["missed"] == 0
    assert seen["found"] > 40  # most of so small a file is empty pages


@pytest.mark.parametrize("edit", ["labels swapped", "a label", "a benchmark", "a seed", "a reason", "the contents"])
def test_an_older_store_is_verified_as_far_as_its_digests_go(path, edit):
    as_version(path, 2)
    assert main(["store", "verify", str(path)]) == 0
    execute(path, EDITS[edit])
    assert main(["store", "verify", str(path)]) == 2
