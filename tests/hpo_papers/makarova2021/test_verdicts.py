"""The rules of the verdicts, on numbers that are made up."""

import pytest

from hpo_papers.makarova2021.figures import figure_1, figure_2, figure_4, figure_6, figure_7, figure_9, figure_10
from hpo_papers.makarova2021.tables import table_1


def curve(*test):
    return {"validation": [0.2] * len(test), "test": list(test)}


def test_figure_1():
    rising, flat = [curve(0.3, 0.2, 0.26)], [curve(0.3, 0.2, 0.2)]
    lower = [curve(0.3, 0.2, 0.25)]
    good = {"without": {"LM": rising, "XGB": flat, "RF": flat}, "with": {"LM": lower, "XGB": flat, "RF": flat}}
    assert figure_1.verdict({"runs": 1, "curves": good}).word == "reproduced"
    swapped = {"without": good["with"], "with": good["without"]}
    assert "lower with cross-validation" in figure_1.verdict({"runs": 1, "curves": swapped}).reason
    assert figure_1.verdict({"runs": 0, "curves": good}).word == "not possible"


def test_figure_2():
    def algorithm(end, std):
        test = {"mean": [0.2] * 30 + [end], "std": [std] * 31}
        return {"validation": {"mean": [0.2] * 31, "std": [0.01] * 31}, "test": test}

    good = {"LM": algorithm(0.21, 0.02), "XGB": algorithm(0.2, 0.02), "RF": algorithm(0.2, 0.02)}
    assert figure_2.verdict({"runs": 3, "curves": good}).word == "reproduced"
    assert figure_2.verdict({"runs": 2, "curves": good}).word == "not possible"
    assert figure_2.verdict({"runs": 3, "curves": {**good, "RF": algorithm(0.2, 0.005)}}).word == "differs"


@pytest.mark.parametrize(("lm", "word"), [(0.5, "reproduced"), (0.85, "differs")])
def test_figure_4(lm, word):
    found = {name: {"pearson": [value]} for name, value in (("LM", lm), ("XGB", 0.9), ("RF", 0.8))}
    assert figure_4.verdict({"runs": 1, "evaluations": found}).word == word


@pytest.mark.parametrize(("last", "word"), [(0.4, "reproduced"), (0.05, "differs")])
def test_figure_6(last, word):
    saved = dict(zip(("50", "100", "150", "200"), (0.0, 0.1, 0.3, last), strict=True))
    rows = [{"group": g, "label": b, "rtc": v, "ryc": -0.005} for g in ("XGB", "RF") for b, v in saved.items()]
    assert figure_6.verdict({"runs": 1, "rows": rows}).word == word


@pytest.mark.parametrize(("ours", "word"), [(-0.002, "reproduced"), (-0.02, "differs")])
def test_figure_7(ours, word):
    scores = {"Ours": (0.3, ours, 0.01), "Conv_10": (0.8, -0.04, 0.1), "Conv_30": (0.6, -0.03, 0.1)}
    scores["Conv_50"] = (0.4, -0.014, 0.05)
    rows = [
        {"group": group, "label": label, "rtc": rtc, "ryc": ryc, "ryc_std": std}
        for group in ("LM", "XGB", "RF")
        for label, (rtc, ryc, std) in scores.items()
    ]
    assert figure_7.verdict({"runs": 1, "rows": rows}).word == word


@pytest.mark.parametrize(("few", "word"), [(0.3, "substitute"), (0.2, "differs"), (0.0, "differs")])
def test_figure_9(few, word):
    rows = [
        {"group": figure_9.GROUP, "label": label, "rtc": value}
        for label, value in zip(figure_9.LABELS.values(), (min(few, 0.2), few), strict=True)
    ]
    assert figure_9.verdict({"runs": 1, "rows": rows}).word == word


@pytest.mark.parametrize(("n_rising", "word"), [(5, "reproduced"), (4, "differs")])
def test_figure_10(n_rising, word):
    rising, level = ({"3": [1.0] * 3, "5": [1.2] * 3, "10": [ten] * 3} for ten in (1.5, 1.0))
    panels = [{"stds": rising if i < n_rising else level} for i in range(6)]
    assert figure_10.verdict({"runs": 1, "panels": panels}).word == word


def test_table_1():
    ranges = table_1.compute(None)["ranges"]
    assert table_1.verdict({"ranges": ranges}).word == "reproduced"
    assert "rf max_depth" in table_1.verdict({"ranges": [["rf", "max_depth", 1.0, 6.0, True], *ranges[:-1]]}).reason
