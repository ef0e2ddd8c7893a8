"""Tables whose numbers no training has: neither written nor read."""

import json

import h5py
import numpy as np
import pytest

from hpo_core import Categorical, Float, Space
from hpo_core.errors import DamagedFile, InvalidOption
from hpo_core.storage.sealed_hdf5 import SEAL_SIZE, checksum
from tabular import read_table, write_table
from tabular.hdf5 import TABLE
from tabular.table import Table

SPACE = Space([Categorical("layers", [(64, 32), (16,), (8, 8)])])
NAN, INF = np.nan, np.inf


def make(loss=((1.0, 2.0), (3.0, NAN), (INF, 4.0)), cost=((1.0, 1.0), (1.0, NAN), (0.0, 2.0)), **said):
    columns = {"loss": np.array(loss), "cost": np.array(cost)}
    return Table("t", SPACE, columns, dict.fromkeys(columns, "u"), (1,), "epochs", {"source": "made up", **said})


def test_tuples_of_a_space_survive(tmp_path):
    write_table(make(), tmp_path / "t.h5")
    assert read_table(tmp_path / "t.h5").space == SPACE


def test_tuples_survive_in_a_list_too(tmp_path):
    space = Space([*SPACE, Float("x", 0.0, 1.0)], listed=np.array([[0, 0.5], [2, 0.25], [1, 1.0]]))
    table = make()
    write_table(Table(**{**vars(table), "space": space}), tmp_path / "t.h5")
    assert read_table(tmp_path / "t.h5").space == space


BAD = [
    ({"loss": ((1.0, 2.0), (-INF, 1.0), (1.0, 1.0))}, "minus infinity"),
    ({"loss": ((1.0, 2.0), (NAN, NAN), (1.0, 1.0))}, "every configuration must have a loss"),
    ({"loss": ((1.0, 2.0), (NAN, 1.0), (1.0, 1.0))}, "only its last repetitions"),
    ({"cost": ((1.0, 2.0), (-1.0, 1.0), (1.0, 1.0))}, "0 or more"),
    ({"cost": ((1.0, 2.0), (INF, 1.0), (1.0, 1.0))}, "0 or more"),
    ({"cost": ((1.0, NAN), (1.0, NAN), (1.0, 1.0))}, "must have a cost"),
]


@pytest.mark.parametrize(("columns", "words"), BAD)
def test_numbers_that_no_training_has_are_refused(tmp_path, columns, words):
    with pytest.raises(InvalidOption, match=words):
        write_table(make(**columns), tmp_path / "t.h5")
    write_table(make(), tmp_path / "t.h5")
    _resealed(tmp_path / "t.h5", lambda file: _put(file, columns))
    with pytest.raises(DamagedFile, match=rf"t\.h5.*{words}"):
        read_table(tmp_path / "t.h5")


def _put(file, columns):
    for name, numbers in columns.items():
        file["columns"][name][...] = numbers


def _resealed(path, change):
    with h5py.File(path, "r+") as file:
        change(file)
    seal = {"format": TABLE.format, "version": 1, "sha256": checksum(path)}
    with path.open("r+b") as file:
        file.write(json.dumps(seal).encode().ljust(SEAL_SIZE))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", 5),
        ("name", "a" * 1000),
        ("budgets", {"range": [1, 10**12]}),
        ("budgets", [0]),
        ("budgets", ["a"]),
        ("units", []),
        ("units", {"loss": 5, "cost": "s"}),
        ("budget_unit", None),
        ("provenance", "x"),
        ("provenance", {"optimum": {"loss": -1000.0}}),
        ("provenance", {"optimum": 5}),
        ("resumable", "no"),
        ("space", {"hyperparameters": 5}),
        ("space", None),
    ],
)
def test_a_header_that_says_something_else_is_refused(tmp_path, field, value):
    def change(file):
        file.attrs["header"] = json.dumps({**json.loads(file.attrs["header"]), field: value})

    write_table(make(), tmp_path / "t.h5")
    _resealed(tmp_path / "t.h5", change)
    with pytest.raises(DamagedFile, match=r"t\.h5: not a readable table"):
        read_table(tmp_path / "t.h5")
