"""Text files: separators, headers, numbers; every row stays as it is or the file is refused."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcnet_data.datasets import InvalidDataset, open_dataset
from fcnet_data.datasets.text_files import numbers_of, read_text
from hpo_core.errors import DamagedFile

ROWS = "\n".join(f"{i},{i % 7},{i % 3}" for i in range(30))


@pytest.fixture
def read(tmp_path):
    """A function that reads a text as a file."""

    def of(text, header=None):
        content = text if isinstance(text, bytes) else text.encode()
        (tmp_path / "t.csv").write_bytes(content)
        return read_text(tmp_path / "t.csv", header)

    return of


NAME = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=6)


@given(
    names=st.lists(NAME.filter(lambda n: not n[0].isdigit()), min_size=2, max_size=5, unique=True),
    separator=st.sampled_from(",;\t|"),
    n_rows=st.integers(2, 6),
)
def test_names_of_any_characters_come_back(tmp_path_factory, names, separator, n_rows):
    """Commas, semicolons, quotes and letters of any language; the writer is Python's."""
    names = [f"n {name} n" for name in names]
    rows = [[k + i / 8 for i in range(len(names))] for k in range(n_rows)]
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows([names, *rows])
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    table = read_text(path, None)
    assert list(table.columns) == names
    np.testing.assert_array_equal(table.to_numpy(), rows)


@pytest.mark.parametrize("separator", [";", "\t", "|", " "])
def test_separators(read, separator):
    assert read("a,b,y\n" + ROWS).equals(read(("a,b,y\n" + ROWS).replace(",", separator)))


def test_a_separator_inside_a_name_is_none(read):
    assert list(read('"p;q",b,y\n' + ROWS).columns) == ["p;q", "b", "y"]
    assert list(read("size (m; w),b,y\n" + ROWS).columns) == ["size (m; w)", "b", "y"]
    assert read('"p;q",y\n"u;v",1\n"u;w",2\n')["p;q"].tolist() == ["u;v", "u;w"]


def test_the_mark_at_the_start_of_files_from_spreadsheets_is_no_part_of_the_first_name(read):
    assert list(read("\ufeffprice,b,y\n" + ROWS).columns) == ["price", "b", "y"]
    assert read("\ufeff" + ROWS).to_numpy().shape == (30, 3)


def test_files_without_header_keep_their_first_row(read):
    assert read("1,2,3\n4,5,6\n").to_numpy().tolist() == [[1, 2, 3], [4, 5, 6]]
    mixed = read("M,1,2\nF,3,4\n")
    assert list(mixed.columns) == ["x0", "x1", "x2"] and mixed["x0"].tolist() == ["M", "F"]


def test_a_header_may_hold_numbers(read):
    table = read("2019,2020,y\n" + ROWS)
    assert list(table.columns) == ["2019", "2020", "y"] and len(table) == 30
    assert len(read("2019,2020,u\n1,2,v\n3,4,w\n")) == 3  # a text above texts says nothing


@pytest.mark.parametrize("start", [0, 1])
def test_row_numbers_without_a_name_are_left_out(read, start):
    numbered = "\n".join(f"{i + start},{line}" for i, line in enumerate(ROWS.splitlines()))
    assert list(read(",a,b,y\n" + numbered).columns) == ["a", "b", "y"]
    assert list(read('"","a","b","y"\n' + numbered).columns) == ["a", "b", "y"]  # as R writes it
    assert list(read("id,a,b,y\n" + numbered).columns) == ["id", "a", "b", "y"]
    other = "\n".join(f"{i * 2},{line}" for i, line in enumerate(ROWS.splitlines()))
    assert list(read(",a,b,y\n" + other).columns) == ["x0", "a", "b", "y"]


def test_a_separator_at_the_end_of_every_line_makes_no_column(read):
    text = "a,b,y,\n" + "\n".join(f"{line}," for line in ROWS.splitlines())
    assert list(read(text).columns) == ["a", "b", "y"]


@pytest.mark.parametrize(
    ("text", "row", "n_fields"),
    [
        ("a,b\n" + ROWS, 2, 3),  # row names without a name: pandas would take the first column for them
        ("a,b,y\n" + ROWS.replace("\n", ",\n"), 2, 4),
        ("a,b,y\n1,2,3\n1,2\n2,3,4", 3, 2),
        ("# made by me\na,b,y\n" + ROWS, 2, 1),
    ],
)
def test_rows_of_unequal_length_are_refused(read, text, row, n_fields):
    with pytest.raises(DamagedFile, match=f"row {row} has {n_fields}"):
        read(text)


@pytest.mark.parametrize(
    ("content", "likely"),
    [
        ("größe,y\n1,2\n".encode("latin1"), "WINDOWS-1252"),
        (("a,y\n" + "1,2\n" * 9000 + "é,2\n").encode("latin1"), "WINDOWS-1252"),
        ("a,y\n1,2\n".encode("utf-16"), "UTF-16"),
    ],
)
def test_other_encodings_are_refused_with_a_way_out(read, content, likely):
    with pytest.raises(DamagedFile, match=f"not UTF-8 text.*iconv -f {likely}"):
        read(content)


def test_decimal_commas_are_refused_and_not_taken_for_categories(read):
    with pytest.raises(InvalidDataset, match=r"column 'b' .*commas in its numbers \(0,5\).*write 0\.5"):
        read("a;b\n" + "\n".join(f"{i};{i},5" for i in range(9)))
    assert read('a,b\n1,"x,5"\n2,"1,5"\n')["b"].tolist() == ["x,5", "1,5"]


@pytest.mark.parametrize("missing", ["?", "", "NA", "N/A", "null", "nan"])
def test_marks_of_missing_values(read, missing):
    column = read(f"a,b\n1,2\n{missing},3\n")["a"]
    assert column.dtype == float and column.isna().tolist() == [False, True]


def test_numbers_are_read_to_the_last_digit(tmp_path):
    values = np.random.default_rng(2).normal(size=(200, 2)) * 10.0 ** np.arange(-100, 100)[:, None]
    (tmp_path / "a.csv").write_text("a,b\n" + "\n".join(f"{a!r},{b!r}" for a, b in values.tolist()))
    assert np.array_equal(open_dataset(tmp_path / "a.csv").features[:, 0], values[:, 0])


def test_underscores_are_text(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1_2,1\n1_3,2\n1_2,3\n")
    assert open_dataset(tmp_path / "a.csv").feature_names == ("a=1_3",)


def test_whole_numbers_that_a_float_cannot_tell_apart_stay_texts():
    assert numbers_of(["9007199254740992", "9007199254740993"]).tolist() == ["9007199254740992", "9007199254740993"]
    assert numbers_of(["9007199254740992", "9007199254740994", "1"]).dtype == float
    assert numbers_of(["-9007199254740993", "-9007199254740992"]).dtype == object
    assert numbers_of(["1e300", "1"]).dtype == float
