"""Labels that mean something to matplotlib, spreadsheets, terminals or browsers are texts everywhere."""

import csv

import hostile_stores as hostile
import pytest

from hpo_cli.main import main

LABEL = "=$x_{ <img src=x onerror=alert(1)>" + "x" * 900


@pytest.fixture
def store(tmp_path):
    return hostile.small_store(tmp_path / "s.sqlite")


@pytest.mark.slow
def test_a_report_shows_any_label(store, tmp_path, capsys):
    made = hostile.relabelled(store, tmp_path / "t.sqlite", "optimizer", "rs", LABEL)
    assert main(["report", str(made), "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "index.html").read_text()
    assert "&lt;img src=x" in page and "<img src=x" not in page
    assert "=$x_{ &lt;img src=x" in (tmp_path / "out" / "group-1" / "regret-evaluations.svg").read_text()
    for path in (tmp_path / "out").rglob("*.csv"):
        with path.open(newline="") as file:
            assert not any(cell.startswith("=") for row in csv.reader(file) for cell in row)


def test_an_export_has_no_formulas(store, tmp_path, capsys):
    made = hostile.relabelled(store, tmp_path / "t.sqlite", "optimizer", "rs", "=1+1")
    assert main(["store", "export", str(made), "--out", str(tmp_path / "t.csv")]) == 0
    with (tmp_path / "t.csv").open(newline="") as file:
        names = {row["optimizer"] for row in csv.DictReader(file)}
    assert names == {"'=1+1", "de"}


def test_notes_and_failures_do_not_steer_the_terminal(store, tmp_path, capsys):
    made = hostile.resealed(store, tmp_path / "t.sqlite", "runs", {"failure": "\x1b[2Jgone\nbroke: nothing"}, row=9)
    hostile.resealed(made, tmp_path / "u.sqlite", "about", {"value": "\x1b]0;owned\x07"})
    assert main(["store", "info", str(tmp_path / "u.sqlite")]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and "\\x1b[2Jgone\\nbroke" in shown
