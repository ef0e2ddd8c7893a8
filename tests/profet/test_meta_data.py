"""Meta-data: what is refused, and the file that `hpo collect` writes."""

import numpy as np
import pytest

from hpo_core import Float, Int, Space
from hpo_core.errors import DamagedFile, InvalidConfig
from hpo_core.space.plain_data import space_to_json
from hpo_core.storage.sealed_hdf5 import write_sealed
from profet import InvalidMetaData, MetaData, from_arrays, read_meta_data
from profet.meta_data import KIND

SPACE = Space([Float("rate", 1e-4, 1e-1, log=True), Int("units", 8, 128, log=True)], name="bowl")
CODES = SPACE.encode(SPACE.sample(np.random.default_rng(0), 10))
GOOD = np.random.default_rng(1).random((3, 10))


def with_cell(value):
    losses = GOOD.copy()
    losses[1, 4] = value
    return losses


@pytest.mark.parametrize(
    ("losses", "message"),
    [
        ([GOOD[0].tolist(), GOOD[1].tolist()[:-1]], "same configurations"),
        (with_cell(np.nan), "1 of 30 are missing"),
        (with_cell(np.inf), "finite"),
        (GOOD[:1], "at least two tasks"),
        (GOOD[:, :-1], "10 configurations"),
        (GOOD[0], "shape"),
        ([["a"] * 10] * 3, "numbers"),
        (np.vstack([GOOD[:2], np.full((1, 10), 0.3)]), "task 2 is constant"),
        (with_cell(1.5), "0.0..1.0"),
        (with_cell(-0.1), "0.0..1.0"),
    ],
)
def test_bad_losses_are_refused(losses, message):
    with pytest.raises(InvalidMetaData, match=message):
        MetaData("own", SPACE, CODES, losses, loss_range=(0.0, 1.0))


@pytest.mark.parametrize(
    ("costs", "message"),
    [(GOOD[:2], "tasks, configurations"), (-GOOD, "positive"), (with_cell(np.nan), "missing")],
)
def test_bad_costs_are_refused(costs, message):
    with pytest.raises(InvalidMetaData, match=message):
        MetaData("own", SPACE, CODES, GOOD, costs)


def test_bad_configurations_are_refused():
    with pytest.raises(InvalidConfig):
        MetaData("own", SPACE, CODES * 1000.0, GOOD)
    with pytest.raises(InvalidMetaData, match="five configurations"):
        MetaData("own", SPACE, CODES[:4], GOOD[:, :4])
    with pytest.raises(InvalidMetaData, match="logarithms"):
        MetaData("own", SPACE, CODES, with_cell(0.0), log_loss=True)
    with pytest.raises(InvalidMetaData, match="two tasks"):
        from_arrays(CODES, GOOD[:1], SPACE)


def test_parts_of_meta_data():
    data = MetaData("own", SPACE, CODES, GOOD, GOOD + 1.0, ("a", "b", "c"))
    some = data.only(np.array([7, 2, 1, 0, 3]))
    assert np.array_equal(some.losses[:, :, 0], GOOD[:, [7, 2, 1, 0, 3]])
    assert np.array_equal(some.costs, GOOD[:, [7, 2, 1, 0, 3]] + 1.0)
    rest = data.without(1)
    assert rest.tasks == ("a", "c")
    assert np.array_equal(rest.losses[:, :, 0], GOOD[[0, 2]])


def write(path, tasks, losses=GOOD, **header):
    unit = SPACE.to_unit(CODES)
    header = {"family": "svm", "space": space_to_json(SPACE), "tasks": tasks, "provenance": {"rows": "few"}, **header}
    write_sealed(path, KIND, header, {"unit": unit, "loss": losses, "test_loss": losses, "cost": losses + 1.0})


def test_file_of_measured_tasks_is_read(tmp_path):
    write(tmp_path / "svm.h5", [{"name": n, "classes": 3} for n in "xyz"])
    data = read_meta_data(tmp_path / "svm.h5")
    assert (data.family, data.tasks, data.loss_range) == ("svm", ("x", "y", "z"), (0.0, 1.0))
    assert np.array_equal(data.losses[:, :, 0], GOOD)
    np.testing.assert_allclose(data.codes, CODES, rtol=1e-12)  # they went through the unit cube and back
    write(tmp_path / "xgboost.h5", [{"name": n, "classes": None} for n in "xyz"])
    assert read_meta_data(tmp_path / "xgboost.h5").loss_range == (0.0, np.inf)


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "svm.h5"
    with pytest.raises(FileNotFoundError):
        read_meta_data(path)
    write(path, [{"name": n, "classes": 3} for n in "xyz"], space={"name": 3})
    with pytest.raises((DamagedFile, ValueError)):
        read_meta_data(path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DamagedFile, match="checksum"):
        read_meta_data(path)
    path.write_text("nothing")
    with pytest.raises(DamagedFile, match="hpo collect"):
        read_meta_data(path)
