"""Files of rows and of spaces."""

import json

import pandas as pd
import pytest

from hpo_core import Categorical, Condition, Float, Space
from hpo_core.errors import DamagedFile
from tabular.surrogates.errors import InvalidRecords
from tabular.surrogates.rows.reading import read_rows, read_space

ON_B = Condition("x", "kind", ("b",))
FRAME = pd.DataFrame({"x": [0.1, 0.2], "kind": ["a", None], "n": [1, 2]})


@pytest.mark.parametrize("name", ["r.csv", "r.csv.gz", "r.csv.zip", "r.parquet"])
def test_files_hold_the_rows_that_were_written(tmp_path, name):
    path = tmp_path / name
    FRAME.to_parquet(path) if name.endswith("parquet") else FRAME.to_csv(path, index=False)
    read = read_rows(path)
    assert list(read.columns) == ["x", "kind", "n"]
    assert read["x"].tolist() == [0.1, 0.2] and read["n"].tolist() == [1, 2]
    assert read["kind"].isna().tolist() == [False, True]


def test_files_that_hold_no_rows(tmp_path):
    with pytest.raises(InvalidRecords, match=r"from .csv, .*got 'r.xlsx'.*from_frame"):
        read_rows(tmp_path / "r.xlsx")
    with pytest.raises(FileNotFoundError, match=r"no file at .*r.parquet"):
        read_rows(tmp_path / "r.parquet")
    (tmp_path / "r.parquet").write_text("x,y\n1,2\n")
    with pytest.raises(DamagedFile, match="cannot be read as Parquet"):
        read_rows(tmp_path / "r.parquet")


def test_a_space_as_configspace_writes_it(tmp_path):
    space = Space([Categorical("kind", ["a", "b"]), Float("x", 1e-3, 1, log=True, default=0.1)], [ON_B])
    space.to_configspace().to_json(tmp_path / "space.json")
    assert read_space(tmp_path / "space.json") == space
    (tmp_path / "space.json").write_text(json.dumps({"hyperparameters": 3}))
    with pytest.raises(DamagedFile, match="not a ConfigSpace file"):
        read_space(tmp_path / "space.json")
    with pytest.raises(FileNotFoundError):
        read_space(tmp_path / "none.json")
