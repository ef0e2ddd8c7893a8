"""Text of files: what is not UTF-8 is named with the right way out, and what is packed is not unpacked without end."""

import bz2
import gzip
import io
import lzma
import time
import zipfile

import pytest

from hpo_core.errors import DamagedFile
from hpo_core.storage.text_files import opened_text, read_utf8


def zipped(content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", content)
    return buffer.getvalue()


PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zip": zipped}


@pytest.mark.parametrize("ending", ["", *PACKERS])
def test_text_is_read_packed_or_not_without_its_byte_order_mark(tmp_path, ending):
    content = "ä,b\r\n1,2\n".encode("utf-8-sig")
    (tmp_path / f"a.csv{ending}").write_bytes(PACKERS.get(ending, bytes)(content))
    assert read_utf8(tmp_path / f"a.csv{ending}") == "ä,b\r\n1,2\n"


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        ("größe".encode("latin1"), "a.csv", "iconv -f WINDOWS-1252 -t UTF-8 a.csv"),
        ("10 €,ÿ".encode("cp1252"), "a.csv", "iconv -f WINDOWS-1252"),  # 0xff is no sign of UTF-16
        ("a,b\n".encode("utf-16"), "a.csv", "iconv -f UTF-16"),
        (b"\x80\0\0\1", "a.csv", "binary data"),
        (zipped(b"a"), "a.csv", "a zip archive or an Excel file"),
        (gzip.compress(b"a"), "a.csv", "packed by gzip"),
        (gzip.compress("ß".encode("latin1")), "a.csv.gz", "unpack it, then `iconv -f WINDOWS-1252 -t UTF-8 a.csv >"),
    ],
    ids=["latin1", "cp1252", "utf-16", "binary", "zip", "gzip", "latin1 in gzip"],  # gzip's bytes hold the time
)
def test_text_that_is_not_utf8_is_named_with_what_it_is(tmp_path, content, name, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DamagedFile, match=words):
        read_utf8(tmp_path / name)


@pytest.mark.parametrize("ending", [".gz", ".xz", ".zip"])
def test_a_small_file_that_unpacks_to_a_lot_is_refused(tmp_path, ending):
    path = tmp_path / f"a.csv{ending}"
    path.write_bytes(PACKERS[ending](bytes(50_000_000)))
    start = time.process_time()
    with pytest.raises(DamagedFile, match=r"unpacks to more than 4,194,304 bytes.*unpack it first"):
        read_utf8(path)
    assert time.process_time() - start < 1.0


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("content", [b"", b"no such thing", b"\x1f\x8b"])
def test_what_is_not_packed_as_its_ending_says_is_refused(tmp_path, ending, content):
    path = tmp_path / f"a.csv{ending}"
    path.write_bytes(content)
    if ending == ".gz" and not content:
        assert read_utf8(path) == ""  # nothing is nothing, packed
        return
    with pytest.raises(DamagedFile, match="cannot be read"), opened_text(path) as text:
        text.read()
