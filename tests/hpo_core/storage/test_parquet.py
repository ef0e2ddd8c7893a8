"""Parquet files: read, or refused with the file's name."""

import pandas as pd
import pytest

from hpo_core.errors import DamagedFile
from hpo_core.storage import parquet

pytest.importorskip("pyarrow")


def test_a_frame_comes_back(tmp_path):
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
    frame.to_parquet(tmp_path / "a.parquet")
    pd.testing.assert_frame_equal(parquet.read_parquet(tmp_path / "a.parquet", "parquet"), frame)


@pytest.mark.slow
def test_equal_numbers_without_end_are_refused_before_they_are_unpacked(tmp_path):
    """10 million zeros take a few kilobytes."""
    path = tmp_path / "a.parquet"
    pd.DataFrame({"a": range(10_000_000)}).assign(a=0).to_parquet(path)
    assert path.stat().st_size < 50_000
    with pytest.raises(DamagedFile, match="80,000,000 bytes of numbers"):
        parquet.read_parquet(path, "parquet")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"a,b\n"])
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "a.parquet").write_bytes(content)
    with pytest.raises(DamagedFile, match=r"a\.parquet cannot be read as Parquet"):
        parquet.read_parquet(tmp_path / "a.parquet", "parquet")
