"""Texts of strangers in terminals and spreadsheets."""

import pandas as pd
import pytest

from hpo_core.shown_text import csv_frame, csv_text, plain_labels, shortened, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\t", "two\nlines\t"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\u202eb", "a\\u202eb"),
        ("café ∞", "café ∞"),
        ("\ud800", "\\ud800"),
        ("bell\x07\r", "bell\\x07\\r"),
    ],
)
def test_control_characters_are_shown_not_sent(text, shown):
    assert visible(text) == shown


def test_newlines_of_strangers_are_shown_where_a_line_is_a_line():
    assert visible("a\nb", keep="") == "a\\nb"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@sum", "\t=1", "\r=1"])
def test_formulas_are_texts(text):
    assert csv_text(text) == f"'{text}"


def test_only_texts_of_a_frame_are_changed():
    frame = pd.DataFrame({"name": ["=x", "rs", None], "loss": [-1.0, 2.0, 3.0], "n": [-1, 2, 3]})
    written = csv_frame(frame)
    assert written["name"].tolist()[:2] == ["'=x", "rs"] and written["loss"].tolist() == [-1.0, 2.0, 3.0]
    assert csv_frame(frame[["loss"]]) is not None and frame["name"][0] == "=x"


def test_long_texts_keep_both_ends():
    assert shortened("a" * 30 + "b" * 30, 11) == "aaaaa…bbbbb"
    assert shortened("short", 11) == "short"


def test_names_of_columns_are_texts_of_strangers_too():
    frame = pd.DataFrame({"=1+1": [1.0], "rs": ["@x"]})
    assert csv_frame(frame).to_csv(index=False) == "'=1+1,rs\n1.0,'@x\n"


@pytest.mark.slow
def test_a_dollar_in_a_picture_is_a_dollar_and_long_labels_are_cut(tmp_path):
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    axes.barh(["$a_{$", "b"], [1.0, 2.0], label="$c_{$")
    axes.set_title("$d_{$" + "x" * 10_000)
    axes.set_xscale("log")
    axes.legend()
    plain_labels(figure).savefig(tmp_path / "picture.png")
    assert len(axes.get_title()) == 200
    assert axes.get_xticklabels()[0].get_parse_math()  # powers of ten stay formulas
