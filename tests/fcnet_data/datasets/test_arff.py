"""ARFF files, as Weka and KEEL write them."""

import numpy as np
import pytest

from fcnet_data.datasets import open_dataset
from hpo_core.errors import DamagedFile

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


def test_arff(tmp_path):
    data = open_dataset(write(tmp_path / "small.arff", ARFF))
    assert data.feature_names == ("the size", "colour=red", "colour=green", "colour=dark blue", "label=q")
    assert data.features.tolist() == [[1.5, 1, 0, 0, 0], [2.5, 0, 0, 1, 1], [3.5, 0, 1, 0, 1]]
    assert data.dropped == ()  # grey is declared and never occurs
    assert open_dataset(tmp_path / "small.arff", target="colour").class_names == ("red", "green", "dark blue")
    assert open_dataset(tmp_path / "small.arff", target="the size").target.tolist() == [1.5, 2.5, 3.5]


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "no @data line"),
        ("@attribute a real\n@attribute b real\n@data\n{0 1}\n", "sparse ARFF is not read"),
        ("@attribute a real\n@attribute b real\n@data\n1,x\n", "cannot be read as .arff"),
        ("@attribute a {x,y}\n@attribute b real\n@data\nx,1\ny,2\nz,3\n", "'z' of 'a', which it does not declare"),
        ("@attribute a real\n@attribute b real\n@data\n", "holds no rows"),
    ],
)
def test_bad_files(tmp_path, text, message):
    with pytest.raises(DamagedFile, match=message):
        open_dataset(write(tmp_path / "a.arff", text))
