"""Which data a collection trains on."""

import pickle

import pytest

from fcnet_data.datasets import InvalidDataset
from fcnet_data.datasets.chosen import ChosenDataset
from hpo_core.errors import InvalidOption


@pytest.fixture
def path(tmp_path):
    rows = "\n".join(f"{'uv'[i % 2]},{i % 5},{i / 4}" for i in range(40))
    (tmp_path / "own.csv").write_text("kind,a,b\n" + rows)
    return str(tmp_path / "own.csv")


def test_the_same_rows_are_the_same_object_also_after_a_journey(path):
    chosen = ChosenDataset(path, target="kind", n_rows=20)
    sent = pickle.loads(pickle.dumps(chosen))
    assert sent.open() is chosen.open() and chosen.open().n_rows == 20
    assert ChosenDataset(path, target="kind").open().n_rows == 40


def test_settings_name_the_file_without_its_folder(path):
    settings = ChosenDataset(path, target="kind").settings
    assert settings.pop("data") == ChosenDataset(path, "kind").open().digest
    assert settings == {"dataset": "own.csv", "target": "kind", "task": "classification"}
    assert set(ChosenDataset("wine").settings) == {"dataset", "data"}  # as the shipped tables have them


def test_a_task_that_is_needed(path):
    assert ChosenDataset(path, "a", "regression").open().task == "regression"
    assert ChosenDataset("wine", task="classification").open().n_classes == 3
    with pytest.raises(InvalidDataset, match="for regression is needed here, 'wine' is for classification"):
        ChosenDataset("wine", task="regression").open()
    with pytest.raises(InvalidOption, match="are for files"):
        ChosenDataset("wine", target="alcohol").open()


def test_a_file_that_changed_is_noticed(path):
    chosen = ChosenDataset(path)
    digest = chosen.open().digest
    assert chosen.open_unchanged(digest) is chosen.open()
    with open(path, "a") as file:
        file.write("\nu,1,77")
    with pytest.raises(InvalidDataset, match="has changed since the collection began"):
        chosen.open_unchanged(digest)


def test_a_class_of_one_row_is_refused(path):
    with open(path, "a") as file:
        file.write("\nw,1,77")
    with pytest.raises(InvalidDataset, match=r"values of 'kind' in 'own' with one row: 'w' \(1 of 3\)"):
        ChosenDataset(path, target="kind").open()
    with pytest.raises(InvalidDataset, match=r"one row: '0', '0\.25'.* and others \(41 of 41\).*task='regression'"):
        ChosenDataset(path, target="b", task="classification").open()
