"""Sealed files of which a part is read."""

import numpy as np
import pytest

from hpo_core.errors import DamagedFile
from hpo_core.storage import sealed_hdf5
from hpo_core.storage.sealed_hdf5 import Kind, read_sealed, write_sealed

KIND = Kind("test parts", 1, "file of parts")


@pytest.fixture
def path(tmp_path):
    arrays = {
        "a": np.random.default_rng(0).random((30, 4)),
        "b": np.arange(30, dtype=np.uint8),
        "common": np.arange(7.0),
    }
    write_sealed(tmp_path / "p.h5", KIND, {"first": 10, "end": 20}, arrays, compress=True, piece=10)
    return tmp_path / "p.h5", arrays


def part(header):
    rows = slice(header["first"], header["end"])
    return {"a": rows, "b": rows}


def test_named_arrays_are_read_in_part_and_others_as_a_whole(path):
    file, arrays = path
    header, found = read_sealed(file, KIND, part=part)
    assert header == {"first": 10, "end": 20}
    np.testing.assert_array_equal(found["a"], arrays["a"][10:20])
    np.testing.assert_array_equal(found["b"], arrays["b"][10:20])
    np.testing.assert_array_equal(found["common"], arrays["common"])
    for name, array in read_sealed(file, KIND)[1].items():
        np.testing.assert_array_equal(array, arrays[name])


def test_the_whole_file_is_checked_before_a_part_is_read(path):
    file, _ = path
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(DamagedFile, match="checksum"):
        read_sealed(file, KIND, part=part)


def test_a_part_that_the_header_does_not_have_is_a_damaged_file(path):
    with pytest.raises(DamagedFile, match="KeyError"):
        read_sealed(path[0], KIND, part=lambda header: {"a": slice(*header["rows"])})


def test_other_pieces_give_the_same_numbers(path, tmp_path):
    file, arrays = path
    write_sealed(tmp_path / "whole.h5", KIND, {}, arrays, compress=True)
    assert sealed_hdf5.checksum(tmp_path / "whole.h5") != sealed_hdf5.checksum(file)
    np.testing.assert_array_equal(read_sealed(tmp_path / "whole.h5", KIND)[1]["a"], arrays["a"])
