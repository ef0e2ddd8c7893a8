"""The user's own files: every format gives the same data, and what cannot be read is refused with the reason."""

import importlib.util
import io
from collections import Counter

import numpy as np
import pytest

from fcnet_data import datasets
from fcnet_data.datasets import InvalidDataset, open_dataset
from hpo_core.errors import DamagedFile, InvalidOption, MissingExtra

needs_pyarrow = pytest.mark.skipif(
    importlib.util.find_spec("pyarrow") is None, reason="pyarrow comes with the extra 'collect'"
)

CSV = "size,colour,ok,price\n1.5,red,yes,10\n2.5,blue,no,20\n3.5,green,yes,15\n4.5,red,no,30\n"


def write(path, text):
    path.write_text(text)
    return path


def test_csv(tmp_path):
    data = open_dataset(write(tmp_path / "shop.csv", CSV))
    assert (data.name, data.task, data.target_name) == ("shop", "regression", "price")
    assert data.feature_names == ("size", "colour=blue", "colour=green", "colour=red", "ok=yes")
    assert data.features[1].tolist() == [2.5, 1, 0, 0, 0]
    assert data.target.tolist() == [10, 20, 15, 30]
    assert data.source == "file shop.csv"
    assert data.columns == ("size", "colour", "ok", "price")


def test_target_and_task(tmp_path):
    path = write(tmp_path / "shop.csv", CSV)
    data = open_dataset(path, target="colour")
    assert (data.task, data.class_names, data.target.tolist()) == (
        "classification",
        ("blue", "green", "red"),
        [2, 0, 1, 2],
    )
    prices = open_dataset(path, task="classification")
    assert (prices.class_names, prices.target.tolist()) == (("10", "15", "20", "30"), [0, 2, 1, 3])
    first = open_dataset(path, target="size")
    assert (first.task, first.target.tolist()) == ("regression", [1.5, 2.5, 3.5, 4.5])
    assert first.feature_names == ("colour=blue", "colour=green", "colour=red", "ok=yes", "price")


@needs_pyarrow
@pytest.mark.parametrize("target", ["y", "a", "c"])
def test_formats_agree_wherever_the_target_is(tmp_path, target):
    import pandas

    rng = np.random.default_rng(0)
    table = pandas.DataFrame({"y": rng.integers(0, 3, 60), "a": rng.normal(size=60), "c": rng.choice(["u", "v"], 60)})
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_csv(tmp_path / "numbered.csv")  # with row numbers, as by default
    table.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    table.to_parquet(tmp_path / "t.parquet")
    rows = "\n".join(f"{y},{a!r},{c}" for y, a, c in table.itertuples(index=False))
    declared = "@relation t\n@attribute y numeric\n@attribute a numeric\n@attribute c {u,v}\n@data\n"
    write(tmp_path / "t.arff", declared + rows)
    files = ("t.csv", "numbered.csv", "t.tsv", "t.parquet", "t.arff")
    found = [open_dataset(tmp_path / file, target=target) for file in files]
    assert len({data.digest for data in found}) == 1
    assert {data.columns for data in found} == {("y", "a", "c")}
    assert {data.task for data in found} == {"regression" if target == "a" else "classification"}


@needs_pyarrow
def test_parquet(tmp_path):
    import pandas

    pandas.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]}).to_parquet(tmp_path / "t.parquet")
    data = open_dataset(tmp_path / "t.parquet")
    assert (data.features.tolist(), data.class_names) == ([[1.0], [2.0], [3.0]], ("x", "y"))


@needs_pyarrow
def test_types_of_parquet_columns(tmp_path):
    import decimal

    import pandas

    def opened(**columns):
        buffer = io.BytesIO()
        pandas.DataFrame({**columns, "y": np.arange(30) / 2}).to_parquet(buffer)
        (tmp_path / "t.parquet").write_bytes(buffer.getvalue())
        return open_dataset(tmp_path / "t.parquet")

    assert opened(d=[decimal.Decimal(k) for k in range(30)]).features[:, 0].tolist() == list(range(30))
    assert opened(b=pandas.array([True, False] * 15, dtype="boolean")).feature_names == ("b=True",)
    ids = opened(i=[2**60 + k % 3 for k in range(30)])  # one float64, so they are names and not amounts
    assert ids.feature_names == tuple(f"i={2**60 + k}" for k in range(3))
    with pytest.raises(InvalidDataset, match=r"column 'w' .* values of type Timestamp"):
        opened(w=pandas.date_range("2020-01-01", periods=30))
    with pytest.raises(InvalidDataset, match=r"column 'l' .* values of type ndarray"):
        opened(l=[[1, 2]] * 30)


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.files.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="pyarrow"):
        open_dataset(write(tmp_path / "t.parquet", "PAR1"))


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("a.csv", "a,b\n1,2\n?,4\n3,5\n", InvalidDataset, r"missing values in 1 of 3 rows \(columns a\)"),
        ("a.csv", "a,b,y\n1,,2\n2,,3\n", InvalidDataset, r"columns without any value \(b\)"),
        ("a.csv", "a,b\n1,2\n2,\n3,4\n", InvalidDataset, r"missing values in 1 of 3 rows \(columns b\)"),
        ("a.csv", "a,b\n1,2\n2,2\n", InvalidDataset, "'b' of 'a' must take at least two values"),
        ("a.csv", "a,b\n1,u\n2,u\n", InvalidDataset, "'b' of 'a' must take at least two values"),
        ("a.csv", "a,b\n1,2\n1,3\n", InvalidDataset, "no feature that varies"),
        ("a.csv", "b\n1\n2\n", InvalidDataset, "one column, 'b'"),
        ("a.csv", "a,b\n1,2\n", InvalidDataset, "1 rows; a dataset needs at least 2"),
        ("a.csv", "a,a,b\n1,2,3\n4,5,6\n", InvalidDataset, "different names, twice there are a$"),
        ("a.csv", "a,c,b\n1,2,3\n4,5,inf\n", InvalidDataset, r"infinite numbers .*\(columns b\)"),
        ("a.csv", "a,b\n1,2\n2,1e200\n", InvalidDataset, r"above 1e\+150 \(columns b\)"),
        ("a.csv", "", DamagedFile, "a.csv is empty"),
        ("a.csv", "a,b\n", DamagedFile, "no rows"),
        ("a.csv", "a\x00\x01,b\n" + "\n".join(f"t{i},{i}" for i in range(300)), InvalidDataset, "300 different texts"),
        ("a.xml", "<a/>", InvalidDataset, "must end with one of"),
    ],
)
def test_bad_files(tmp_path, name, text, error, message):
    with pytest.raises(error, match=message):
        open_dataset(write(tmp_path / name, text))


def test_binary_rubbish_is_damaged(tmp_path):
    (tmp_path / "a.csv").write_bytes(bytes(range(128, 256)) * 20)
    (tmp_path / "b.csv.gz").write_bytes(b"not gzip")
    (tmp_path / "c.parquet").write_bytes(b"not parquet")
    for name in ("a.csv", "b.csv.gz", "c.parquet"):
        if name.endswith(".parquet") and importlib.util.find_spec("pyarrow") is None:
            continue
        with pytest.raises(DamagedFile):
            open_dataset(tmp_path / name)


def test_absent_file_and_unknown_column(tmp_path):
    with pytest.raises(InvalidDataset, match="no such file"):
        open_dataset(tmp_path / "absent.csv")
    path = write(tmp_path / "shop.csv", CSV)
    with pytest.raises(InvalidOption, match="did you mean price"):
        open_dataset(path, target="pricee")
    with pytest.raises(InvalidDataset, match="'red' for example; use task='classification'"):
        open_dataset(path, target="colour", task="regression")
    with pytest.raises(InvalidOption, match="task must be"):
        open_dataset(path, task="ranking")
    wide = write(tmp_path / "wide.csv", ",".join(f"c{i}" for i in range(20)) + "\n" + ",".join("1" * 20))
    with pytest.raises(InvalidOption, match="it has 20, from c0, c1, c2, c3, c4 and 15 more"):
        open_dataset(wide, target="zzz")


def test_a_file_that_was_written_anew_is_read_anew(tmp_path):
    path = write(tmp_path / "shop.csv", CSV)
    before = open_dataset(path)
    assert open_dataset(path) is before
    write(path, CSV.replace("30", "300"))
    assert open_dataset(path).target.tolist() == [10, 20, 15, 300]


def test_digest_depends_on_the_data_alone(tmp_path):
    one, two = (open_dataset(write(tmp_path / name, CSV)) for name in ("one.csv", "two.csv"))
    other = open_dataset(write(tmp_path / "other.csv", CSV.replace("30", "31")))
    assert one.digest == two.digest != other.digest
    assert Counter(map(len, (one.digest, other.digest))) == {16: 2}
