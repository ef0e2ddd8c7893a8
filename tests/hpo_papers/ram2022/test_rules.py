"""Rules of the verdicts of Ram et al. (2022), on numbers made to fulfil them and to break each of their claims."""

import pytest

from hpo_papers.ram2022.boosting import section_1, table_2
from hpo_papers.ram2022.boosting.retraining_table import verdict as retraining_verdict
from hpo_papers.ram2022.figures import figure_2, figure_3, figure_6, tolerance_grid
from hpo_papers.ram2022.theory import table_5


def setting(never, always, choice, ratio=1.0, se=0.001):
    gain = never - always
    return {"never": never, "always": always, "choice": choice, "ratio": ratio, "gain": gain, "gain_se": se}


F_TAKEN, F_MISSED = setting(0.3, 0.2, 0.2, 0.1), setting(0.3, 0.2, 0.3, 0.1)
G_TAKEN, G_MISSED = setting(0.2, 0.3, 0.2, 2.0), setting(0.2, 0.3, 0.3, 2.0)


@pytest.mark.parametrize(
    ("rows", "word"),
    [
        ([F_TAKEN, F_MISSED, G_TAKEN], "reproduced"),
        ([F_TAKEN, F_MISSED, F_MISSED, G_TAKEN], "differs"),
        ([F_TAKEN, G_TAKEN, G_MISSED], "differs"),
        ([F_TAKEN, setting(0.2, 0.3, 0.2, 0.1), G_TAKEN], "differs"),  # f is better in half of the settings only
        ([F_TAKEN], "differs"),  # no setting in which g is clearly better
        ([F_TAKEN, setting(0.2, 0.3, 0.2, 2.0, se=0.2)], "differs"),  # not clearly
    ],
)
def test_figures_4_and_5(rows, word):
    assert tolerance_grid.verdict({"rows": rows}).word == word


def test_figure_2_asks_for_both_kinds_of_settings_and_a_choice_that_is_mostly_right():
    assert figure_2.verdict({"rows": [F_TAKEN, G_TAKEN, F_MISSED]}).word == "reproduced"
    assert figure_2.verdict({"rows": [F_TAKEN, G_TAKEN, F_MISSED, G_MISSED]}).word == "differs"
    assert figure_2.verdict({"rows": [F_TAKEN, F_TAKEN]}).word == "differs"


def tolerance_rows(changes):
    """Rows of gamma: (change of the error, saving)."""
    return [
        {
            "gamma": gamma,
            "risk": 0.1 * (1 + change),
            "exact": 0.1,
            "epochs": 10,
            "exact_epochs": 10 * saving,
            "rho": 0.01,
        }
        for gamma, (change, saving) in changes.items()
    ]


@pytest.mark.parametrize(
    ("changed", "word"),
    [({}, "reproduced"), ({0.1: (0.06, 2)}, "differs"), ({0.1: (0.0, 4.4)}, "differs"), ({1.0: (0.1, 20)}, "differs"),
     ({1.0: (0.3, 5)}, "differs"), ({10.0: (0.1, 9)}, "differs")],
)  # fmt: skip
def test_figure_3(changed, word):
    rows = tolerance_rows({0.1: (0.04, 2.0), 1.0: (0.2, 5.0), 10.0: (0.9, 20.0), **changed})
    assert figure_3.verdict({"rows": {figure_3.MAIN: rows}}).word == word


@pytest.mark.parametrize(
    ("changed", "word"),
    [({}, "reproduced"), ({0.005: (0.11, 2)}, "differs"), ({0.005: (0.05, 1.2)}, "differs"),
     ({0.1: (0.3, 2.5)}, "differs"), ({0.1: (0.01, 4)}, "differs")],
)  # fmt: skip
def test_figure_6(changed, word):
    gammas = dict.fromkeys(figure_6.GAMMAS, (0.05, 2.0))
    rows = tolerance_rows({**gammas, 0.1: (0.3, 4.0), **changed})
    assert figure_6.verdict({"rows": rows}).word == word


def search(group, selected, oracle, retrained, share=0.1):
    scores = {"selected": selected, "oracle": oracle, "retrained": retrained}
    return {"group": group, "share": share, "auroc": scores, "accuracy": scores}


def test_table_2_asks_for_misses_whose_loss_falls_with_n():
    falling = [search(1000, 0.88, 0.9, 0.9), search(5000, 0.89, 0.9, 0.9), search(10000, 0.895, 0.9, 0.9)]
    assert table_2.verdict({"searches": falling}).word == "substitute"
    found = [search(5000, 0.9, 0.9, 0.9)] * 4
    assert table_2.verdict({"searches": falling + found}).word == "differs"
    rising = [search(1000, 0.895, 0.9, 0.9), *falling[1:]]
    assert table_2.verdict({"searches": rising}).word == "differs"


def test_tables_3_and_4_ask_for_an_f_that_is_better_more_often_and_by_more():
    better, worse = search(1000, 0.8, 0.9, 0.84), search(1000, 0.8, 0.9, 0.79)
    assert retraining_verdict({"searches": [better, better, better, worse]}, "auroc").word == "substitute"
    assert retraining_verdict({"searches": [better, better, worse, worse, worse]}, "auroc").word == "differs"
    assert retraining_verdict({"searches": [better] * 20 + [worse]}, "auroc").word == "differs"  # g hardly ever better
    much_worse = search(1000, 0.8, 0.9, 0.7)
    assert retraining_verdict({"searches": [better, better, better, much_worse]}, "auroc").word == "differs"


def test_section_1_is_within_ten_points_of_the_printed_percentages():
    better, equal, worse = (search(1000, 0.8, 0.9, again) for again in (0.84, 0.8, 0.79))
    assert section_1.verdict({"searches": [better] * 13 + [equal] * 3 + [worse] * 4}).word == "substitute"
    assert section_1.verdict({"searches": [better] * 18 + [worse] * 2}).word == "differs"


def test_table_5_measures_changes_between_samples_that_are_equal_otherwise():
    others = {"rest": 0.1, "optimization": 0.0, "hold_in": 0.0}
    sizes = ((512, 0.1), (512, 0.3), (1024, 0.1), (1024, 0.3))
    rows = [
        {"L": L, "n": n, "share": share, "trial": trial, "rho_in": rho_in, "rho_out": rho_out, **others,
         "misspecification": 0.02 * (n == 512) + 0.001 * trial}
        for L in (36, 18) for n, share in sizes for trial in range(3)
        for rho_in, rho_out in ((0.0, 0.0), (0.0, table_5.ROUGH), (table_5.ROUGH, 0.0))
    ]  # fmt: skip
    found = table_5.changes(rows)
    assert found["E_mcm, larger n"] == pytest.approx((-1, -0.02, 0.0))
    assert found["E_mcm, larger mu"][1] == pytest.approx(0.0)
    assert table_5.verdict({"rows": rows}).word == "differs"  # one arrow of ten is clear
