"""The table format: what is written is read, and what is damaged is noticed."""

import json
import os
import re

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hpo_core import Benchmark, Categorical, Ordinal, Space
from hpo_core.errors import DamagedFile
from hpo_core.storage import sealed_hdf5
from hpo_core.storage.stamps import stamp_path
from tabular import TableProblem, read_table, write_table
from tabular.hdf5 import TABLE
from tabular.table import Table

SPACE = Space([Categorical("kind", ["a", "b"]), Ordinal("size", [1, 2.5, 4], default=4)], name="small")


def make_table(budgets=range(1, 5), **columns):
    rng = np.random.default_rng(3)
    shape = (6, 2, len(budgets))
    columns = {
        "loss": rng.random(shape) if len(budgets) > 1 else rng.random(shape[:2]),
        "cost": rng.random(shape[:2], dtype=np.float32),
        "n_params": np.arange(6) * 10,
        **columns,
    }
    units = {name: f"unit of {name}" for name in columns}
    return Table("small", SPACE, columns, units, budgets, "epochs", {"source": "made up, ä"})


def assert_same(one, other):
    for part in ("name", "space", "budgets", "budget_unit", "units"):
        assert getattr(one, part) == getattr(other, part), part
    assert {**one.provenance, "optimum": None} == {**other.provenance, "optimum": None}
    assert one.columns.keys() == other.columns.keys()
    for name, array in one.columns.items():
        assert array.dtype == other.columns[name].dtype
        assert array.shape == other.columns[name].shape
        assert array.tobytes() == other.columns[name].tobytes()


@pytest.fixture
def path(tmp_path):
    write_table(make_table(), tmp_path / "small.h5")
    return tmp_path / "small.h5"


@pytest.fixture
def large(tmp_path, monkeypatch):
    """A file that counts as large, so that it is mapped and its checksum computed only when it was changed."""
    monkeypatch.setattr(sealed_hdf5, "CHECKED_AT_OPENING", 64)
    write_table(make_table(), tmp_path / "large.h5")
    return tmp_path / "large.h5"


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("budgets", [range(1, 5), (1, 3, 9), (100,), range(10, 50, 10), (0.5, 1.0)])
def test_what_is_written_is_read(tmp_path, budgets, compress):
    table = make_table(budgets)
    write_table(table, tmp_path / "t.h5", compress=compress)
    again = read_table(tmp_path / "t.h5")
    assert list(again.budgets) == list(budgets)
    assert_same(again, Table(**{**vars(table), "budgets": again.budgets}))
    assert again.provenance["optimum"] == {"loss": pytest.approx(table.mean("loss").min(), abs=0)}


@pytest.mark.slow
@settings(max_examples=40)
@given(arrays.arrays(st.sampled_from([np.float32, np.float64]), (6, 2), elements={"allow_nan": True}))
def test_every_bit_pattern_survives(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("bits") / "t.h5"
    table = make_table((100,), score=numbers)
    write_table(table, path)
    assert_same(read_table(path), table)


def test_equal_tables_give_equal_files(path, tmp_path):
    write_table(make_table(), tmp_path / "again.h5")
    assert (tmp_path / "again.h5").read_bytes() == path.read_bytes()


def test_compression_is_seen_in_the_size(tmp_path):
    table = make_table(range(1, 3001), loss=np.zeros((6, 2, 3000)))
    for compress in (False, True):
        write_table(table, tmp_path / f"{compress}.h5", compress=compress)
    assert (tmp_path / "True.h5").stat().st_size < (tmp_path / "False.h5").stat().st_size / 5


def test_a_table_is_an_ordinary_hdf5_file(path):
    with h5py.File(path) as file:
        assert json.loads(file.attrs["header"])["name"] == "small"
        np.testing.assert_array_equal(file["columns/loss"][()], make_table().columns["loss"])


@pytest.mark.slow
@pytest.mark.parametrize("compress", [False, True])
def test_a_flipped_bit_is_noticed_wherever_it_is(tmp_path, compress):
    write_table(make_table(), tmp_path / "t.h5", compress=compress)
    whole = (tmp_path / "t.h5").read_bytes()
    bits = np.random.default_rng(11).integers(0, len(whole) * 8, 400).tolist()
    bits += range(0, 8 * 130, 3)  # the seal, where a flip may pass as long as the table stays what it was
    n_noticed = 0
    for bit in bits:
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        (tmp_path / "t.h5").write_bytes(flipped)
        try:
            table = read_table(tmp_path / "t.h5")
        except DamagedFile as error:
            assert "t.h5" in str(error)
            n_noticed += 1
        else:
            assert_same(table, make_table())
    assert n_noticed > 0.95 * len(bits)


@pytest.mark.parametrize("share", [0, 0.001, 0.05, 0.06, 0.3, 0.7, 0.999])
def test_a_file_that_was_cut_off_is_noticed(path, share):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(DamagedFile, match=r"small\.h5"):
        read_table(path)


def test_a_file_that_something_was_added_to_is_noticed(path):
    with path.open("ab") as file:
        file.write(b"\0")
    with pytest.raises(DamagedFile, match="checksum"):
        read_table(path)


def test_foreign_files_are_not_taken_for_tables(tmp_path):
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["columns/loss"] = np.zeros(3)
    (tmp_path / "text.h5").write_text('{"format": "something else"}')
    (tmp_path / "list.h5").write_text("[1, 2]")
    for name in ("foreign.h5", "text.h5", "list.h5"):
        with pytest.raises(DamagedFile, match=rf"{name}: not a table of HPO Foundry"):
            read_table(tmp_path / name)
    for missing in (tmp_path / "nowhere.h5", tmp_path):
        with pytest.raises(FileNotFoundError, match=re.escape(str(missing))):
            read_table(missing)


def test_a_newer_format_asks_for_an_upgrade(path):
    path.write_bytes(path.read_bytes().replace(b'"version": 1', b'"version": 3', 1))
    with pytest.raises(DamagedFile, match=r"small\.h5: table format 3, this release reads up to 2; upgrade"):
        read_table(path)


def reseal(path):
    """Give a file that was changed the checksum that fits it."""
    sealed_hdf5._write_seal(path, TABLE, sealed_hdf5.checksum(path))


@pytest.mark.parametrize(
    "header", ["", "[]", "{}", "not JSON", '{"name": "x", "budgets": {"range": 3}}', b"\xff\xfe", 17.5]
)
def test_a_sealed_file_with_a_wrong_header_is_refused(path, header):
    with h5py.File(path, "r+") as file:
        file.attrs["header"] = header
    reseal(path)
    with pytest.raises(DamagedFile, match=r"small\.h5: not a readable table"):
        read_table(path)


def test_a_sealed_file_with_wrong_columns_is_refused(path):
    with h5py.File(path, "r+") as file:
        del file["columns/loss"]
        file["columns/loss"] = np.zeros((5, 2))
    reseal(path)
    with pytest.raises(DamagedFile, match=r"small\.h5.*'loss'"):
        read_table(path)
    with h5py.File(path, "r+") as file:
        del file["columns"]
    reseal(path)
    with pytest.raises(DamagedFile, match=r"small\.h5"):
        read_table(path)


def test_a_large_table_is_mapped_and_answers_as_a_small_one(large):
    table = read_table(large)
    assert isinstance(table.columns["loss"], np.memmap)
    assert_same(table, make_table())
    mapped, whole = Benchmark(TableProblem(table)), Benchmark(TableProblem(make_table()))
    for config in SPACE.configs():
        for budget in (1, 4):
            for seed in (None, 0, 1):
                assert mapped.objective(config, budget, seed=seed) == whole.objective(config, budget, seed=seed)


def test_the_checksum_of_a_large_table_is_computed_only_where_needed(large, monkeypatch):
    computed = []

    def counted(path):
        computed.append(path)
        return original(path)

    original = sealed_hdf5.checksum
    monkeypatch.setattr(sealed_hdf5, "checksum", counted)
    read_table(large)
    assert computed == []
    read_table(large, verify=True)
    assert len(computed) == 1
    os.utime(large, ns=(1, 1))
    read_table(large)
    assert len(computed) == 2


def test_a_large_table_that_was_changed_is_noticed(large):
    content = bytearray(large.read_bytes())
    content[-20] ^= 1
    stat = large.stat()
    large.write_bytes(content)
    with pytest.raises(DamagedFile, match="checksum"):
        read_table(large)
    os.utime(large, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # now nothing tells it from the file that was written
    with pytest.raises(DamagedFile, match="checksum"):
        read_table(large, verify=True)


@pytest.mark.parametrize("length", [100, 600, 3000, -1])
def test_a_large_table_that_was_cut_off_is_noticed(large, length):
    large.write_bytes(large.read_bytes()[:length])
    with pytest.raises(DamagedFile, match=r"large\.h5"):
        read_table(large)


def test_the_note_about_another_file_does_not_count(large, tmp_path):
    other = tmp_path / "other.h5"
    write_table(make_table((1, 2)), other)
    note = stamp_path(large)
    note.write_text(stamp_path(other).read_text())
    content = bytearray(large.read_bytes())
    content[-20] ^= 1
    large.write_bytes(content)
    for text in (note.read_text(), "", "no JSON", "[]"):
        note.write_text(text)
        with pytest.raises(DamagedFile, match="checksum"):
            read_table(large)
