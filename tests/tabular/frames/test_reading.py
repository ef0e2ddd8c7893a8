"""CSV files of recorded evaluations: what becomes of a text, and files that are none."""

import gzip
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_core.errors import DamagedFile, InvalidOption
from tabular.frames.reading import column_values, is_csv, read_results, typed


def written(tmp_path, text, name="r.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_columns_have_one_type_each(tmp_path):
    frame = read_results(
        written(tmp_path, "i,f,b,t,gap,none,big\n1, 0.1,True,x,1,None,9999999999999999999\n-2,1e-3,false,,, None,1\n")
    )
    assert {name: frame[name].to_numpy().dtype.kind for name in ("i", "f", "b", "gap", "big")} == {
        "i": "i",
        "f": "f",
        "b": "b",
        "gap": "f",
        "big": "f",
    }
    assert column_values(frame, "t").tolist() == ["x", None]
    assert column_values(frame, "none").tolist() == ["None", "None"]
    assert np.isnan(frame["gap"][1])


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=20))
def test_floats_are_read_to_the_last_bit(numbers):
    assert typed([repr(number) for number in numbers]).astype(float).tolist() == numbers


def test_texts_that_only_look_like_numbers_stay_text():
    assert typed(["1_000", "2"]).tolist() == ["1_000", "2"]
    assert typed(["1", "two"]).tolist() == ["1", "two"]
    assert typed(["inf", "-inf", "1"]).tolist() == [np.inf, -np.inf, 1.0]
    assert typed(["", "nan"]).tolist() == [None, None]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("a,b\n", "header and no rows"),
        ("a;b\n1;2\n", "separated by commas"),
        ("a\tb\n1\t2\n", "separated by commas"),
        (",a\n0,1\n", "column 1 has no name"),
        ("a,a\n0,1\n", "two columns are named 'a'"),
        ("a,b\n1,2\n3,4,5\n", "row 2 has 3 values, and there are 2 columns"),
        ("a,b\n1,2\n3\n", "row 2 has 1 values"),
        ("a,b\n1,\xe4\n".encode("latin-1"), "not UTF-8"),
    ],
)
def test_files_that_are_no_table(tmp_path, text, words):
    with pytest.raises(DamagedFile, match=words):
        read_results(written(tmp_path, text))


def test_missing_and_broken_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_results(tmp_path / "none.csv")
    for name in ("r.csv.gz", "r.csv.zip", "r.csv.xz"):
        with pytest.raises(DamagedFile, match="cannot be read"):
            read_results(written(tmp_path, b"not compressed", name))


def test_compressed_files(tmp_path):
    text = "a,b\n1,x\n2,y\n"
    with gzip.open(tmp_path / "r.csv.gz", "wt") as file:
        file.write(text)
    with zipfile.ZipFile(tmp_path / "r.csv.zip", "w") as archive:
        archive.writestr("r.csv", text)
    for name in ("r.csv.gz", "r.csv.zip"):
        assert is_csv(tmp_path / name)
        assert read_results(tmp_path / name).to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}
    assert not is_csv(tmp_path / "own.h5")


def test_columns_of_frames():
    frame = pd.DataFrame(
        {
            "category": pd.Categorical(["x", "y", "x"]),
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "numbers": np.array([np.float32(0.5), 2, None], dtype=object),
            "bools": [True, False, True],
            "mixed": [1, "one", 2],
            "dates": pd.to_datetime(["2020-01-01"] * 3),
        }
    )
    assert column_values(frame, "category").tolist() == ["x", "y", "x"]
    np.testing.assert_array_equal(column_values(frame, "nullable"), [1.0, np.nan, 3.0])
    np.testing.assert_array_equal(column_values(frame, "numbers"), [0.5, 2.0, np.nan])
    assert column_values(frame, "bools").dtype == bool
    with pytest.raises(InvalidOption, match="'mixed' holds int and str: 'one' in row 2"):
        column_values(frame, "mixed")
    with pytest.raises(InvalidOption, match="Timestamp"):
        column_values(frame, "dates")
