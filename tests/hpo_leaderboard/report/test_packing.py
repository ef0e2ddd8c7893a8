"""Files in the page: what is packed comes out again, by Python and by the page's own script."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packed_files import unpacked

import hpo_leaderboard.report
from hpo_leaderboard.report.packing import folded_table, packed, packed_table

SCRIPT = Path(hpo_leaderboard.report.__file__).parent / "templates" / "unpack.js"
NODE = shutil.which("node")
CELLS = st.sampled_from(["", "a", "b", "0.1", "-inf", "é"])


@given(st.binary(max_size=2000))
def test_bytes_come_out_again_and_cannot_end_a_script(content):
    text = packed(content)
    assert "<" not in text
    if content[:1] != b"\x01":  # the mark of a folded table
        assert unpacked(text) == content


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1)))
def test_tables_come_out_again(rows):
    text = "".join(",".join(row) + "\n" for row in rows)
    assert unpacked(packed_table(text)).decode() == text


def test_a_cell_that_equals_the_one_above_is_left_out():
    assert folded_table("x,y\n1,\n1,\n2,5\n") == "\x012\nx\n1\n\n2\ny\n\x02\n\n5"


@pytest.mark.parametrize("text", ["", "a,b", 'a\n"b,c"\n', "a\r\nb\r\n", "a,b\nc\n", "a\x02\n"])
def test_what_is_no_plain_table_stays_as_it_is(text):
    assert folded_table(text) is None
    assert unpacked(packed_table(text)).decode() == text


@pytest.mark.skipif(NODE is None, reason="there is no Node.js on this machine")
def test_the_script_of_the_page_unpacks_all_kinds_of_blocks(tmp_path):
    noise = bytes(range(256)) * 3 + bytes(i * i % 251 for i in range(70_000))
    contents = [b"", b"a", b"abcabcabc" * 5000, noise, *(noise[:n] for n in range(2, 12)), "é\u4e2d".encode() * 99]
    table = "x,y,z\n" + "".join(f"{i // 7},{i % 3 or ''},{i * 0.1}\n" for i in range(999))
    (tmp_path / "packed.json").write_text(json.dumps([*map(packed, contents), packed_table(table)]))
    code = (
        f"{SCRIPT.read_text()}; const read = require('fs').readFileSync;"
        "const all = JSON.parse(read(process.argv[1])).map(unpack.file).map((file) => Buffer.from(file));"
        "console.log(JSON.stringify(all.map((file) => file.toString('hex'))));"
    )
    command = [NODE, "-e", code, str(tmp_path / "packed.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert [bytes.fromhex(text) for text in json.loads(done.stdout)] == [*contents, table.encode()]
