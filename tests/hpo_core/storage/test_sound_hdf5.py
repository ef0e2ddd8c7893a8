"""Sealed files with a seal in order and a structure that is not: refused before anything is read."""

import json
import os
import time

import h5py
import numpy as np
import pytest

from hpo_core.errors import DamagedFile, InvalidOption
from hpo_core.storage import sealed_hdf5, sound_hdf5
from hpo_core.storage.sealed_hdf5 import SEAL_SIZE, Kind, checksum, read_sealed, write_sealed
from hpo_core.storage.stamps import stamp_path

KIND = Kind("things", 1, "thing")


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path / "cache"))
    write_sealed(tmp_path / "t.h5", KIND, {"name": "x"}, {"a": np.arange(5.0), "b": np.arange(3)})
    return tmp_path / "t.h5"


def reseal(path):
    seal = json.dumps({"format": KIND.format, "version": 1, "sha256": checksum(path)}).encode().ljust(SEAL_SIZE)
    with path.open("r+b") as file:
        file.write(seal)


def changed(path, change):
    with h5py.File(path, "r+") as file:
        change(file, file["columns"])
    reseal(path)


def external(file, columns):
    columns.create_dataset("c", (6,), dtype="f8", external=[("/etc/hostname", 0, 48)])


def virtual(file, columns):
    layout = h5py.VirtualLayout((6,), "f8")
    layout[:] = h5py.VirtualSource("/etc/hostname", "x", (6,))
    columns.create_virtual_dataset("c", layout)


def external_link(file, columns):
    columns["c"] = h5py.ExternalLink("other.h5", "/columns/a")


def soft_link(file, columns):
    columns["c"] = h5py.SoftLink("/columns/a")


def linked_group(file, columns):
    file.move("columns", "elsewhere")
    file["columns"] = h5py.SoftLink("/elsewhere")


def texts(file, columns):
    columns["c"] = ["a", "b"]


def group(file, columns):
    columns.create_group("c")


def other_packing(file, columns):
    columns.create_dataset("c", data=np.arange(100.0), compression="lzf")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (external, "external arrays are not read"),
        (virtual, "(virtual and external arrays are not read|longer than the file)"),  # it is kept in a heap
        (external_link, "other files are not followed"),
        (soft_link, "other places and other files are not followed"),
        (linked_group, "'columns' lies elsewhere"),
        (texts, "holds no plain numbers"),
        (group, "'c' is no array"),
        (other_packing, "another way than by gzip"),
    ],
)
def test_what_lies_elsewhere_or_is_no_array_of_numbers_is_refused(path, change, words):
    read_sealed(path, KIND)
    changed(path, change)
    with pytest.raises(DamagedFile, match=rf"t\.h5: .*{words}"):
        read_sealed(path, KIND)


@pytest.mark.parametrize("options", [{"chunks": (1_000_000,)}, {}, {"chunks": (1_000_000,), "compression": "gzip"}])
def test_numbers_that_were_never_written_are_refused_without_making_room_for_them(path, options):
    changed(path, lambda file, columns: columns.create_dataset("c", (30_000_000,), "f8", **options))
    assert path.stat().st_size < 100_000
    with pytest.raises(DamagedFile, match="not written as a whole"):
        read_sealed(path, KIND)


def bomb(file, columns):
    """400 MB of zeros, in 0.2 MB."""
    made = columns.create_dataset("c", (500, 100_000), "f8", chunks=(1, 100_000), compression="gzip")
    made[0] = 0.0
    chunk = made.id.read_direct_chunk((0, 0))[1]
    for i in range(1, 500):
        made.id.write_direct_chunk((i, 0), chunk)


def many_names(file, columns):
    """One array of 8 MB under 40 names."""
    columns.create_dataset("c", data=np.zeros(1_000_000), compression="gzip")
    for i in range(40):
        columns[f"c{i}"] = columns["c"]


@pytest.mark.parametrize("change", [bomb, many_names])
def test_arrays_that_unpack_to_hundreds_of_megabytes_are_refused_before_that(path, change):
    changed(path, change)
    assert path.stat().st_size < 1_000_000
    start = time.process_time()
    with pytest.raises(DamagedFile, match="unpack"):
        read_sealed(path, KIND)
    assert time.process_time() - start < 0.5


def test_nobody_writes_a_file_that_nobody_would_read(tmp_path, monkeypatch):
    monkeypatch.setattr(sealed_hdf5, "MOST_UNPACKED", 100)
    write_sealed(tmp_path / "t.h5", KIND, {}, {"a": np.zeros(20)})
    with pytest.raises(InvalidOption, match="too many to compress"):
        write_sealed(tmp_path / "t.h5", KIND, {}, {"a": np.zeros(20)}, compress=True)


def test_a_heap_of_texts_without_an_end_is_refused(path):
    """The HDF5 library itself never returns from the header of this file."""
    content = bytearray(path.read_bytes())
    start = content.index(sound_hdf5.HEAP)
    content[start + 8] += 211  # it is said to be longer than it is
    path.write_bytes(content)
    reseal(path)
    with pytest.raises(DamagedFile, match="a heap of texts"):
        read_sealed(path, KIND)


def test_a_text_that_is_said_to_be_longer_than_the_file_is_refused(path):
    """The HDF5 library makes room for four gigabytes before it finds that there is no such text."""
    content = bytearray(path.read_bytes())
    heap = content.index(sound_hdf5.HEAP) - SEAL_SIZE
    content[content.index(heap.to_bytes(8, "little")) - 1] = 255  # the highest byte of its length
    path.write_bytes(content)
    reseal(path)
    with pytest.raises(DamagedFile, match="longer than the file"):
        read_sealed(path, KIND)


@pytest.mark.parametrize("header", ["[1]", "5", '{"a":' * 5000, '{"a": "\\ud800"}', "{" * 3, b"\xff\xfe"])
def test_a_header_that_is_no_plain_object_is_refused(path, header):
    def change(file, columns):
        file.attrs["header"] = np.bytes_(header) if isinstance(header, bytes) else header

    changed(path, change)
    with pytest.raises(DamagedFile, match=r"t\.h5: not a readable thing"):
        read_sealed(path, KIND)


@pytest.mark.parametrize("version", ["1", None, 1.5, [], 10**400, -1, 0])
def test_a_seal_with_another_kind_of_version_is_refused(path, version):
    whole = path.read_bytes()
    seal = {**json.loads(whole[:SEAL_SIZE]), "version": version}
    path.write_bytes(json.dumps(seal).encode()[:SEAL_SIZE].ljust(SEAL_SIZE) + whole[SEAL_SIZE:])
    with pytest.raises(DamagedFile):
        read_sealed(path, KIND)


def test_a_note_that_came_along_with_a_file_does_not_count(path, monkeypatch):
    """Size, time of change and checksum of a note beside a file are easily forged."""
    monkeypatch.setattr(sealed_hdf5, "CHECKED_AT_OPENING", 64)
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    stat, seal = path.stat(), json.loads(content[:SEAL_SIZE])
    forged = json.dumps([stat.st_size, stat.st_mtime_ns, seal["sha256"]])
    path.with_name("t.h5.verified").write_text(forged)
    with pytest.raises(DamagedFile, match="checksum"):
        read_sealed(path, KIND)


def test_what_was_found_right_is_not_computed_again_until_the_file_changes(path, monkeypatch):
    monkeypatch.setattr(sealed_hdf5, "CHECKED_AT_OPENING", 64)
    computed = []
    monkeypatch.setattr(sealed_hdf5, "checksum", lambda file: computed.append(file) or checksum(file))
    for _ in range(2):
        read_sealed(path, KIND)
    assert len(computed) == 1 and stamp_path(path).is_file()
    content, stat = bytearray(path.read_bytes()), path.stat()
    content[-5] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # nothing but the time of its last change of any kind tells
    with pytest.raises(DamagedFile, match="checksum"):
        read_sealed(path, KIND)
