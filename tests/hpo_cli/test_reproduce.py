"""`hpo reproduce`: lists, plans, runs, and its exit status."""

import json

import pytest

from hpo_cli.main import main


def test_list_has_every_item_also_those_with_a_switch(capsys):
    assert main(["reproduce", "--list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    items = {row["item"]: row for row in rows}
    assert items["makarova2022/table-3"]["switch"] == ""
    assert items["makarova2022/table-3-own"]["switch"] == "own-bounds"


def test_a_plan_runs_nothing_and_keeps_to_the_time(capsys, tmp_path):
    words = [
        "reproduce",
        "makarova2022",
        "--own-bounds",
        "--engine",
        "serial",
        "--dry-run",
        "--out",
        str(tmp_path / "x"),
    ]
    assert main([*words, "--json"]) == 0
    whole = {row["item"]: row for row in json.loads(capsys.readouterr().out)}
    assert main([*words, "--json", "--time", "10m"]) == 0
    short = {row["item"]: row for row in json.loads(capsys.readouterr().out)}
    assert whole["makarova2022/table-3-own"]["runs"] == 10 > short["makarova2022/table-3-own"]["runs"] >= 1
    assert sum(row["cpu_seconds"] for row in short.values()) <= 600
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_an_item_with_page_and_rows(capsys, tmp_path):
    assert main(["reproduce", "makarova2022/table-3", "--engine", "serial", "--out", str(tmp_path), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["item"], row["verdict"]) == ("makarova2022/table-3", "reproduced")
    assert "hpo reproduce makarova2022/table-3" in (tmp_path / "index.html").read_text()
    assert "**reproduced**" in (tmp_path / "reproduction.md").read_text()


def test_no_time_leaves_items_open(capsys, tmp_path):
    words = ["reproduce", "makarova2022/table-4", "--engine", "serial", "--out", str(tmp_path), "--time", "0s"]
    assert main(words) == 3
    captured = capsys.readouterr()
    assert "not finished" in captured.out
    assert "goes on from there" in captured.err


def test_unknown_names(capsys, tmp_path):
    assert main(["reproduce", "makarova2022/table-9", "--out", str(tmp_path)]) == 2
    assert "no item 'table-9'" in capsys.readouterr().err
