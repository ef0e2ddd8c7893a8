"""Files in the schema of the FC-Net tables whose numbers lie in other files, or nowhere."""

import h5py
import numpy as np
import pytest
from original_cases import sound_original

from hpo_core.errors import DamagedFile
from tabular.fcnet_files.importing import read_original


def elsewhere(group, metric, shape):
    group[metric] = h5py.ExternalLink("/etc/passwd", "/x")


def external(group, metric, shape):
    group.create_dataset(metric, shape, "f8", external=[("/etc/passwd", 0, int(np.prod(shape)) * 8)])


def never_written(group, metric, shape):
    group.create_dataset(metric, (shape[0], 1_000_000), "f8", chunks=(1, 1000))


def other_type(group, metric, shape):
    group[metric] = np.zeros(shape, dtype=np.int64)  # as many bytes as the floats of the first configuration


@pytest.mark.parametrize(
    ("change", "every", "words"),
    [
        (elsewhere, True, "a link to another place"),
        (elsewhere, False, "a link to another place"),
        (external, True, "external arrays are not read"),
        (external, False, "external arrays are not read"),
        (never_written, True, "not written as a whole"),
        (other_type, False, "numbers of type int64"),
    ],
)
def test_numbers_that_lie_elsewhere_or_nowhere_are_refused(tmp_path, change, every, words):
    path = sound_original(tmp_path / "broken.hdf5")
    read_original(path, "x")
    with h5py.File(path, "r+") as file:
        for name in sorted(file) if every else sorted(file)[-1:]:
            shape = file[name]["valid_mse"].shape
            del file[name]["valid_mse"]
            change(file[name], "valid_mse", shape)
    with pytest.raises(DamagedFile, match=rf"broken\.hdf5.*{words}"):
        read_original(path, "x")
