"""The file of a surrogate."""

from dataclasses import replace

import numpy as np
import pytest
from surrogate_networks import SCENARIO, small_surrogate

from hpo_core.errors import DamagedFile
from hpo_core.storage.sealed_hdf5 import write_sealed
from tabular.yahpo.problem import NetworkProblem
from tabular.yahpo.scenarios import SCENARIOS
from tabular.yahpo.surrogate import KIND, Record, open_surrogate, read_surrogate, shipped_path, write_surrogate

RECORD = Record(0.25, {"x": 0.5, "kind": "b", "n": 4}, 1000, 8, 7, 0.0, 0.01, False)


@pytest.fixture
def surrogate():
    return replace(small_surrogate(), records={"12": RECORD}, published={"12": [[0.0, 1.0]] * 4})


def test_round_trip(surrogate, tmp_path):
    write_surrogate(surrogate, tmp_path / "small.h5")
    read = read_surrogate(tmp_path / "small.h5")
    for name in ("name", "space", "numbers", "categories", "targets", "provenance", "records", "published"):
        assert getattr(read, name) == getattr(surrogate, name), name
    assert read.arrays.keys() == surrogate.arrays.keys()
    for name, array in surrogate.arrays.items():
        assert read.arrays[name].dtype == np.float32 and np.array_equal(read.arrays[name], array), name
    assert read.checksum == surrogate.checksum
    config = RECORD.config
    assert NetworkProblem(SCENARIO, read, "3").evaluate(config, 4, None) == NetworkProblem(
        SCENARIO, surrogate, "3"
    ).evaluate(config, 4, None)


def test_the_checksum_is_of_what_an_evaluation_depends_on(surrogate):
    assert replace(surrogate, records={}, published={}).checksum == surrogate.checksum
    arrays = {**surrogate.arrays, "head.bias": np.nextafter(surrogate.arrays["head.bias"], np.float32(9))}
    targets = (surrogate.targets[1], surrogate.targets[0], *surrogate.targets[2:])
    others = [replace(surrogate, arrays=arrays), replace(surrogate, targets=targets), small_surrogate(seed=1)]
    assert len({surrogate.checksum, *(other.checksum for other in others)}) == 4
    instances = [NetworkProblem(SCENARIO, surrogate, instance).checksum for instance in SCENARIO.instances]
    assert instances[0] != instances[1]


def test_a_damaged_file_is_refused(surrogate, tmp_path):
    path = tmp_path / "small.h5"
    write_surrogate(surrogate, path)
    contents = bytearray(path.read_bytes())
    contents[len(contents) // 2] ^= 1
    path.write_bytes(contents)
    with pytest.raises(DamagedFile, match="checksum"):
        read_surrogate(path)
    write_sealed(path, KIND, {"name": "small"}, surrogate.arrays)
    with pytest.raises(DamagedFile, match="not a readable file of surrogate networks"):
        read_surrogate(path)


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_every_shipped_file_is_complete(scenario):
    surrogate = open_surrogate(scenario.name)
    assert tuple(surrogate.records) and set(surrogate.records) == set(scenario.instances) == set(surrogate.published)
    assert set(scenario.instances) <= set(surrogate.categories[0].codes)
    assert surrogate.categories[0].name == scenario.instance_name
    assert {scenario.loss, scenario.cost} <= {target.name for target in surrogate.targets}
    assert surrogate.provenance["licence"] == "Apache-2.0" and "efdab90" in surrogate.provenance["source"]
    assert all(array.dtype == np.float32 for array in surrogate.arrays.values())
    assert shipped_path(scenario.name).stat().st_size < 3.2e6
