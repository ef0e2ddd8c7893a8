"""What was understood of a dataset, in words."""

import numpy as np

from fcnet_data.datasets import open_dataset
from fcnet_data.datasets.description import described


def test_a_regression_with_categories_and_constant_columns(tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{i / 2},{'rgb'[i % 3]},{'no' if i % 2 else 'yes'},1,{rng.normal():.3f}" for i in range(30)]
    (tmp_path / "own.csv").write_text("price,colour,ok,one,a\n" + "\n".join(rows))
    assert described(open_dataset(tmp_path / "own.csv", target="price")) == [
        "data: own, 30 rows, 5 features; categories: colour (3 values), ok (2 values)",
        "left out, one value in all rows: one",
        "target: first column 'price', regression since it holds numbers that are not whole: 0 to 14.5",
    ]
    middle = described(open_dataset(tmp_path / "own.csv", target="ok"))[-1]
    assert middle == (
        "target: column 3 of 5 'ok', classification into 2 classes since it holds texts: no (15 rows), yes (15)"
    )


def test_many_classes_and_scarce_ones(tmp_path):
    labels = [f"k{i}" for i in range(12) for _ in range(4 if i == 7 else 9)]
    (tmp_path / "own.csv").write_text("a,y\n" + "\n".join(f"{i},{label}" for i, label in enumerate(labels)))
    _, target, scarce = described(open_dataset(tmp_path / "own.csv"))
    assert target.endswith("k0 (9 rows), k1 (9), k10 (9), k11 (9), k2 (9), k3 (9), k4 (9), k5 (9) and 4 more")
    assert scarce.startswith("classes with fewer than 5 rows") and scarce.endswith(": k7")


def test_a_dataset_of_the_catalogue():
    assert described(open_dataset("diabetes"))[-1] == "target: last column 'target', regression: 25 to 346"
