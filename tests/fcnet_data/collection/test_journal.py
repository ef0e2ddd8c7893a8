"""The journal of a collection: what is finished stays, whatever happens to the process, the disk or the file."""

import resource
import signal

import numpy as np
import pytest

from fcnet_data.collection.journal import CollectionStopped, Journal, OtherCollection

SETTINGS = {"what": "test"}
FLOAT = np.dtype(np.float64)


def journal(path, settings=SETTINGS):
    return Journal(path, settings, FLOAT, (2,))


def filled(path, n=3):
    made = journal(path)
    for item in range(n):
        made.append(item, np.array([item, item / 2]))
    made.close()
    return path


def items(path):
    return {item: numbers.tolist() for item, numbers in journal(path).finished.items()}


def test_items_are_found_again(tmp_path):
    assert items(filled(tmp_path / "j")) == {0: [0.0, 0.0], 1: [1.0, 0.5], 2: [2.0, 1.0]}


@pytest.mark.parametrize("cut", [1, 8, 23])
def test_a_record_that_was_cut_off_is_measured_again_and_the_rest_kept(tmp_path, cut):
    path = filled(tmp_path / "j")
    path.write_bytes(path.read_bytes()[:-cut])
    again = journal(path)
    assert set(again.finished) == {0, 1}
    again.append(7, np.array([7.0, 7.0]))
    again.close()
    assert items(path)[7] == [7.0, 7.0]


def test_an_altered_record_counts_as_missing_and_its_neighbours_do_not(tmp_path):
    path = filled(tmp_path / "j")
    content = bytearray(path.read_bytes())
    content[-30] ^= 1  # in the second record of 24 bytes each
    path.write_bytes(content)
    assert set(items(path)) == {0, 2}


@pytest.mark.parametrize("length", [0, 5])
def test_a_first_line_that_was_cut_off_is_written_again(tmp_path, length):
    path = filled(tmp_path / "j", 0)
    path.write_bytes(path.read_bytes()[:length])
    assert items(path) == {}
    assert items(filled(path))[2] == [2.0, 1.0]


def test_a_journal_of_other_settings_is_refused_and_left_alone(tmp_path):
    path = filled(tmp_path / "j")
    before = path.read_bytes()
    with pytest.raises(OtherCollection, match=r"other settings.*delete it.*test"):
        journal(path, {"what": "else"})
    assert path.read_bytes() == before


def test_on_a_full_disk_what_is_finished_stays(tmp_path):
    made = journal(tmp_path / "j")
    made.append(0, np.array([1.0, 2.0]))
    size = made.path.stat().st_size
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, limits[1]))
    try:
        with pytest.raises(CollectionStopped, match=r"1 finished items are kept.*same command"):
            made.append(1, np.array([3.0, 4.0]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, ignored)
    assert made.path.stat().st_size == size
    made.append(1, np.array([3.0, 4.0]))
    made.close()
    assert items(made.path) == {0: [1.0, 2.0], 1: [3.0, 4.0]}


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(CollectionStopped, match="cannot write"):
        journal(tmp_path / "file" / "j")
