"""Rows as text, JSON and CSV."""

import csv
import io
import json
import math
import os

import numpy as np
import pytest

from hpo_cli.parts.rendering import Column, Output

COLUMNS = [
    Column("name", "{name}"),
    Column("loss", "{loss:.3g}", right=True),
    Column("words", lambda row: row["words"].upper(), cut=True),
]
ROWS = [
    {"name": "a", "loss": np.float32(0.5), "words": "one, two", "config": {"x": np.int64(3)}},
    {"name": "longer", "loss": math.inf, "words": 'said "no"', "config": {"x": math.nan}},
]


def printed(form, capsys, rows=ROWS, done=True):
    out = Output(form)
    out.say("a remark")
    out.table(COLUMNS, rows)
    out.close(done)
    return capsys.readouterr()


def test_text_is_aligned_and_remarks_stand_with_it(capsys):
    assert printed("text", capsys) == (
        'a remark\nname    loss  words\na        0.5  ONE, TWO\nlonger   inf  SAID "NO"\n',
        "",
    )


def test_json_holds_all_of_the_rows_and_nothing_else(capsys):
    out, err = printed("json", capsys)
    assert json.loads(out) == [
        {"name": "a", "loss": 0.5, "words": "one, two", "config": {"x": 3}},
        {"name": "longer", "loss": None, "words": 'said "no"', "config": {"x": None}},
    ]
    assert len(out.splitlines()) == 4  # a row each, and the brackets
    assert err == "a remark\n"


def test_csv_holds_all_of_the_rows_and_nothing_else(capsys):
    out, err = printed("csv", capsys)
    assert list(csv.DictReader(io.StringIO(out))) == [
        {"name": "a", "loss": "0.5", "words": "one, two", "config": '{"x": 3}'},
        {"name": "longer", "loss": "", "words": 'said "no"', "config": '{"x": null}'},
    ]
    assert err == "a remark\n"


def test_without_rows(capsys):
    assert printed("text", capsys, []).out == "a remark\nname  loss  words\n"
    assert printed("json", capsys, []).out == "[]\n"
    assert printed("json", capsys, [], done=False).out == ""


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_rows_are_printed_as_they_come(capsys, form):
    seen = []

    def rows():
        for row in ROWS:
            yield row
            seen.append(capsys.readouterr().out)

    printed(form, capsys, rows())
    assert "a" in seen[0] and "longer" not in seen[0]
    assert "longer" in seen[1]


def test_an_array_that_is_cut_short_is_closed(capsys):
    def rows():
        yield ROWS[0]
        raise KeyboardInterrupt

    out = Output("json")
    with pytest.raises(KeyboardInterrupt):
        out.table(COLUMNS, rows())
    out.close(done=False)
    assert len(json.loads(capsys.readouterr().out)) == 1


def test_several_tables_make_one_array(capsys):
    out = Output("json")
    out.table(COLUMNS, ROWS[:1])
    out.table(COLUMNS, ROWS[1:])
    out.close()
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == ["a", "longer"]


@pytest.mark.parametrize(
    ("width", "line"), [(40, "a          1  " + "W" * 25 + "…"), (20, "a          1"), (5, "a          1")]
)
def test_a_narrow_terminal_cuts_what_may_be_cut(capsys, monkeypatch, width, line):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((width, 20)))
    row = {"name": "a", "loss": 1.0, "words": "w" * 100}
    title, shown = printed("text", capsys, [row, {**row, "name": "longer"}]).out.splitlines()[1:3]
    assert shown == line
    assert title.split() == ["name", "loss", "words"][: len(line.split())]


def test_a_card_has_sections(capsys):
    facts = [("", "runs", 12345), ("", "best", 0.1), ("space", "rate", {"low": 0.5, "values": [1, 2]})]
    Output().card("a store", facts)
    assert capsys.readouterr().out == "a store\n  runs  12,345\n  best  0.1\n  space\n    rate  low=0.5, values=1, 2\n"
    out = Output("json")
    out.card("a store", facts)
    out.close()
    rows = json.loads(capsys.readouterr().out)
    assert rows[0] == {"section": "", "name": "runs", "value": 12345}
    assert rows[2] == {"section": "space", "name": "rate", "value": {"low": 0.5, "values": [1, 2]}}
