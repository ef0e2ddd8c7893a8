"""Archives that were altered, carelessly and with forged digests, and runs that are run again."""

import json
from dataclasses import replace

import numpy as np
import pytest
from small_archives import archive_file, packed, rewritten, run_store, with_columns

from hpo_core.errors import DamagedFile
from hpo_leaderboard.archive.checks.installed import OTHER, SAME, UNKNOWN, compared_code
from hpo_leaderboard.archive.checks.judgement import ALPHA, judge, signed_rank_test, unverified
from hpo_leaderboard.archive.checks.processors import bits_are_bound
from hpo_leaderboard.archive.checks.rerunning import (
    ALTERED,
    DIFFERS,
    EQUAL,
    NOT_HERE,
    OTHER_BITS,
    OTHER_CODE,
    CheckedEntry,
    altered_runs,
    rerun,
    sampled_rows,
)
from hpo_leaderboard.archive.packed.archive_file import read_archive
from hpo_leaderboard.archive.packed.opening import fill_store, opened_runs, records
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.execution import run_digest
from hpo_leaderboard.experiments.identity import optimizer_version


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return run_store(tmp_path_factory.mktemp("made") / "a.sqlite", ["mini-wine", "branin"], ["rs", "de"])


def outcomes(archive, rows=None, imports=()):
    """Outcome of each row, after altered ones were found and the others were run again."""
    every = range(archive.n_runs) if rows is None else rows
    return {each.row: each.outcome for each in rerun(archive, every, make_engine("serial"), imports)}


def test_a_sound_archive_is_equal_to_the_last_bit(store):
    archive = packed(store)
    assert list(altered_runs(archive)) == []
    assert set(outcomes(archive).values()) == {EQUAL}


def test_any_altered_number_is_found_without_running_anything(store):
    archive = packed(store)
    for name, start in (("number", "lookup"), ("budget", "lookup"), ("kept_loss", "kept"), ("kept_exact", "kept")):
        row = int(np.flatnonzero(np.diff(archive.starts[start]))[-1])
        values = archive.columns[name].copy()
        first = archive.starts[start][row]
        values[first] = int(values[first]) - 1 if name == "budget" else values[first] + 1
        found = list(altered_runs(with_columns(archive, **{name: values})))
        assert [(each.row, each.outcome) for each in found] == [(row, ALTERED)]
    swapped = archive.columns["seed"].copy()
    swapped[0] += 50
    assert [each.row for each in altered_runs(with_columns(archive, seed=swapped))] == [0]


def test_an_altered_entry_cannot_be_opened(store, tmp_path):
    archive = packed(store)
    values = archive.columns["number"].copy()
    values[3] = (values[3] + 1) % 100
    with pytest.raises(DamagedFile, match=r"de on mini-wine, seed 0 .* digest of its entry"):
        fill_store(with_columns(archive, number=values), tmp_path / "opened.sqlite")


def forged(archive, row, table):
    """The archive with the last trial of a run replaced, and a digest that says so."""
    values, digests = archive.columns["number"].copy(), archive.digests.copy()
    at = archive.starts["lookup"][row + 1] - 1
    values[at] = (values[at] + 1) % 1000
    changed = with_columns(archive, number=values)
    record = records(changed, [row], table)[0]
    reason = archive.reasons[archive.columns["reason"][row]]
    digests[row] = np.frombuffer(run_digest(archive.key(row), reason, *record), dtype=np.uint8)
    return replace(changed, digests=digests)


def test_a_forged_digest_is_found_by_running_again(store):
    from hpo_core import Benchmark
    from hpo_leaderboard.archive.packed.lookups import lookup_table

    archive = packed(store)
    row = next(row for row in range(archive.n_runs) if archive.said(row)["benchmark"]["label"] == "mini-wine")
    false = forged(archive, row, lookup_table(Benchmark("mini-wine")))
    assert list(altered_runs(false)) == []
    found = outcomes(false)
    assert found.pop(row) == DIFFERS
    assert set(found.values()) == {EQUAL}


def test_a_forged_trajectory_is_found_by_running_again(store):
    """Its loss, and the digest of what is kept, are replaced; that of the whole record is left as it is."""
    archive = packed(store)
    row = next(row for row in range(archive.n_runs) if not archive.columns["is_lookup"][row])
    loss, shown = archive.columns["kept_loss"].copy(), archive.shown.copy()
    loss[archive.starts["kept"][row + 1] - 1] -= 1e-3
    changed = with_columns(archive, kept_loss=loss)
    record = records(changed, [row], None)[0]
    reason = archive.reasons[archive.columns["reason"][row]]
    shown[row] = np.frombuffer(run_digest(archive.key(row), reason, *record), dtype=np.uint8)
    false = replace(changed, shown=shown)
    assert list(altered_runs(false)) == []
    assert outcomes(false, [row]) == {row: DIFFERS}


def test_other_code_and_what_is_not_here_is_said_and_not_run(store, tmp_path):
    file = archive_file(tmp_path / "a.h5", store)

    def other(header, arrays):
        text = bytes(arrays["catalogue"]).decode()
        version = optimizer_version("rs", None)
        text = text.replace(version, "code 0123456789ab").replace(
            '\\"name\\":\\"de\\"', '\\"name\\":\\"planted:Search\\"'
        )
        arrays["catalogue"] = np.frombuffer(text.encode(), dtype=np.uint8)
        return header, arrays

    archive = read_archive(rewritten(file, tmp_path / "b.h5", other))
    found = outcomes(archive)
    by_name = {archive.said(row)["optimizer"]["label"]: outcome for row, outcome in found.items()}
    assert by_name == {"rs": OTHER_CODE, "de": NOT_HERE}
    checked = [CheckedEntry(row, outcome) for row, outcome in found.items()]
    assert unverified(archive, checked) == ["de", "rs"]


def test_code_is_compared_without_building_the_optimizer():
    here = optimizer_version("rs", None)
    assert compared_code("rs", here) == SAME
    assert compared_code("rs", "code 0123456789ab") == OTHER
    assert compared_code("rs", f"{here}, numpy {np.__version__}") == SAME
    assert compared_code("rs", f"{here}, numpy 0.1") == OTHER
    assert compared_code("rs", f"{here}, surely-not-installed 1.0") == UNKNOWN
    assert compared_code("no-such-optimizer", here) == UNKNOWN
    assert compared_code("small_archives:Floats", here) == UNKNOWN
    assert compared_code("small_archives:Floats", here, ["small_archives:Floats"]) == OTHER


def test_code_that_was_confirmed_to_make_the_same_runs_is_the_same():
    here = optimizer_version("rs", None)
    confirmed = {"0123456789ab": {here.removeprefix("code "): 8}}
    assert compared_code("rs", "code 0123456789ab", confirmed=confirmed) == SAME
    assert compared_code("rs", "code ba9876543210", confirmed=confirmed) == OTHER
    assert compared_code("de", "code 0123456789ab", confirmed=confirmed) == OTHER  # that is other code than rs
    assert compared_code("rs", "code 0123456789ab, numpy 0.1", confirmed=confirmed) == OTHER


def test_a_run_of_confirmed_code_is_run_again_and_compared(store):
    archive, here = packed(store), optimizer_version("rs", None)
    rows = [row for row in range(archive.n_runs) if archive.named(row).startswith("rs on mini-wine")]
    trials = next(opened_runs(archive, rows)).records
    settings = tuple(text.replace(here, "code 0123456789ab") for text in archive.settings)
    older, digests = replace(archive, settings=settings), archive.digests.copy()
    for row, record in zip(rows, trials, strict=True):  # as the older code would have recorded it
        reason = archive.reasons[archive.columns["reason"][row]]
        digests[row] = np.frombuffer(run_digest(older.key(row), reason, *record), dtype=np.uint8)
    older = replace(older, digests=digests)
    assert rows and set(outcomes(older, rows).values()) == {OTHER_CODE}
    confirmed = {"0123456789ab": {here.removeprefix("code "): 8}}
    found = rerun(older, rows, make_engine("serial"), confirmed=confirmed)
    assert {each.outcome for each in found} == {EQUAL}
    digests[rows[0], 0] ^= 1
    found = rerun(older, rows[:1], make_engine("serial"), confirmed=confirmed)
    assert [each.outcome for each in found] == [DIFFERS]


def test_the_sample_is_a_function_of_its_seed(store):
    archive = packed(store)
    assert sampled_rows(archive, 0.5, 1) == sampled_rows(archive, 0.5, 1)
    assert len(sampled_rows(archive, 0.5, 1)) == archive.n_runs / 2
    assert len({tuple(sampled_rows(archive, 0.5, seed)) for seed in range(20)}) > 5
    assert sampled_rows(archive, 0.0, 1) == []
    assert sampled_rows(archive, 1.0, 1) == list(range(archive.n_runs))


def test_bits_are_bound_but_with_other_libraries_of_linear_algebra():
    here = "numpy 2.4.6, openblas 0.3.31 SkylakeX"
    assert bits_are_bound({}, here) and bits_are_bound({"numerics": here}, here)
    assert not bits_are_bound({"numerics": here.replace("SkylakeX", "Zen")}, here)


def test_what_is_said_to_be_equal_everywhere_has_no_linear_algebra():
    from hpo_leaderboard.experiments.identity import is_numeric_optimizer

    equal = ("rs", "grid", "re", "de", "reinforce", "sh", "hyperband", "asha", "asha-stop", "pasha", "dehb")
    assert not any(map(is_numeric_optimizer, equal))


def test_the_signed_rank_test_by_hand():
    """Three pairs with the same sign: of 8 patterns of signs, two are as extreme."""
    assert signed_rank_test(np.array([[3.0, 1.0], [5.0, 2.0], [9.0, 5.0]])) == 0.25
    assert signed_rank_test(np.array([[1.0, 1.0], [2.0, 2.0]])) == 1.0
    assert signed_rank_test(np.array([[1.0, 1.0 + 1e-9]] * 10)) == 1.0  # rounded the same way, ten times
    assert signed_rank_test(np.array([[np.inf, 1.0]] * 10)) == 2 / 2**10
    ten = np.column_stack([np.arange(10.0), np.arange(10.0) - 1 - np.arange(10.0) / 100])
    assert signed_rank_test(ten) == 2 / 2**10


def test_the_test_of_other_bits_holds_its_level_and_finds_a_shift():
    """1,000 sound archives of three optimizers with 10 runs each: about 1 % fail. A shift of a deviation is found."""
    rng = np.random.default_rng(0)

    class Named:
        def said(self, row):
            return {"optimizer": {"label": f"m{row % 3}"}}

    def holds(shift):
        pairs = rng.normal(size=(30, 1)) + 0.1 * rng.normal(size=(30, 2)) + np.array([0.0, shift])
        checked = [CheckedEntry(row, OTHER_BITS, "", tuple(pair)) for row, pair in enumerate(pairs)]
        return judge(Named(), checked).holds

    fails = sum(not holds(0.0) for _ in range(1000))
    assert fails <= 1000 * ALPHA + 3 * np.sqrt(1000 * ALPHA)
    assert not any(holds(0.5) for _ in range(20))


def test_a_catalogue_is_json_that_says_what_was_run(store, tmp_path):
    from hpo_core.storage.sealed_hdf5 import read_sealed
    from hpo_leaderboard.archive.packed.archive_file import ARCHIVE

    _, arrays = read_sealed(archive_file(tmp_path / "a.h5", store), ARCHIVE)
    catalogue = json.loads(bytes(arrays["catalogue"]))
    assert {json.loads(setting)["optimizer"]["name"] for setting in catalogue["settings"]} == {"rs", "de"}
