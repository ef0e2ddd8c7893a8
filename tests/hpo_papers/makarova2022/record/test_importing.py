"""The record: what the package carries, and how it is made."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from hpo_core.errors import DamagedFile, InvalidOption
from hpo_papers.makarova2022.record.contents import PATH, read_record, record
from hpo_papers.makarova2022.record.importing import STOPS, write_record


def test_what_the_package_carries():
    found = record()
    assert PATH.stat().st_size < 12e6
    assert found.provenance["licence"] == "Apache License 2.0"
    assert found.runs["cv", "XGB"]["folds"].shape == (19, 10, 200, 10)
    assert found.runs["fcnet", "bore"]["loss"].shape == (4, 50, 500)
    assert found.runs["nas", "rs"]["config"].shape == (3, 50, 200, 6)
    assert set(found.runs) == {
        *(("cv", name) for name in ("RF", "XGB")),
        *((study, name) for study in ("fcnet", "nas") for name in ("rs", "tpe", "bore")),
    }


def test_first_rows_as_they_were_recorded():
    runs = record().runs["cv", "RF"]
    assert runs.datasets[0] == "aa-openml308"
    assert runs["loss"][0, 0, 0] == 0.016166834240724792
    assert runs["hp.n_estimators"][0, 0, 1] == 2.020916476971013
    assert runs["folds"][0, 0, 0, 0] == pytest.approx(0.015834720430813094, rel=1e-7)
    assert record().runs["fcnet", "rs"]["loss"][0, 0, 1] == pytest.approx(0.09443726, rel=1e-7)
    assert record().runs["fcnet", "rs"]["config"][0, 0, 1].tolist() == [1, 1, 0, 2, 0, 2, 0, 5, 1]
    assert record().runs["nas", "rs"]["loss"][1, 0, 0] == 0.27416
    assert record().stops["fcnet", "bore"]["Ours_0.0001"][0, 0] == 143


def small_tables(folder):
    """Two evaluations of one run of each study."""
    shared = {"seed": [0, 0], "iteration": [0, 1]}
    folds = {f"fold_{i}": [0.1 * i, 0.2] for i in range(10)}
    more = {"loss": [0.45, 0.2], "test": [0.5, 0.3], "cost": [1.0, 2.0]}
    scores = {"ei": [0.0, 1e-9], "pi": [0.0, 0.1], "reference_bound": [np.nan, 0.7]}
    cv = [
        pd.DataFrame({"dataset": "one", "algo": algo, "config": [json.dumps({"a": 1.5}), json.dumps({"a": 2.5})]})
        .assign(**shared, **folds, **more, **scores)
        for algo in ("RF", "XGB")
    ]  # fmt: skip
    tables = {
        "hpobench": [
            pd.DataFrame({"dataset": "slice", "optimizer": o, "hp_b": [3, 1], "hp_w": ["tanh", "relu"]})
            .assign(**shared, **more, reference_bound=[np.nan, 0.1])
            for o in ("rs", "tpe", "bore")
        ],
        "nb201": [
            pd.DataFrame({"dataset": "cifar10", "optimizer": o, "hp_x0": ["skip", "none"]})
            .assign(**shared, loss=[0.3, 0.2], reference_bound=[np.nan, 0.1 if o == "bore" else np.nan])
            for o in ("rs", "tpe", "bore")
        ],
    }  # fmt: skip
    pd.concat(cv).to_csv(folder / "cv.csv.gz", index=False)
    for name, parts in tables.items():
        pd.concat(parts).to_csv(folder / f"{name}.csv", index=False)
    for stems in STOPS.values():
        dataset = "one" if "cv" in stems[0] else "cifar10-valid" if "nas" in stems[0] else "slice"
        rows = pd.DataFrame({"dataset": [dataset], "seed": 0, "method": "Conv_10", "stop_iter": 30.0})
        for stem in stems:
            (rows.assign(algo="RF") if "cv" in stem else rows).to_csv(folder / f"{stem}.csv", index=False)


def test_a_record_of_tables(tmp_path):
    small_tables(tmp_path)
    write_record(tmp_path / "record.h5", tmp_path, tmp_path)
    found = read_record(tmp_path / "record.h5")
    assert found.runs["cv", "XGB"].datasets == ("one",)
    assert found.runs["cv", "XGB"]["hp.a"][0, 0, :2].tolist() == [1.5, 2.5]
    assert np.isnan(found.runs["cv", "XGB"]["loss"][0, 1]).all()
    assert found.runs["fcnet", "tpe"]["config"][3, 0, :2].tolist() == [[3, 1], [1, 0]]
    assert found.runs["nas", "bore"]["bound"][1, 0, 1] == 0.1
    assert "bound" not in found.runs["nas", "rs"].arrays
    assert found.stops["cv", "RF"]["Conv_10"][0, 0] == 30
    assert found.stops["nas", "bore"]["Conv_10"][1, 0] == 30
    assert ("cv", "XGB") not in found.stops


def test_missing_and_damaged_files_are_told(tmp_path):
    with pytest.raises(InvalidOption, match=r"cv\.csv\.gz"):
        write_record(tmp_path / "record.h5", tmp_path, tmp_path)
    (tmp_path / "other.h5").write_bytes(gzip.compress(b"nothing"))
    with pytest.raises(DamagedFile, match="record of Makarova"):
        read_record(tmp_path / "other.h5")
