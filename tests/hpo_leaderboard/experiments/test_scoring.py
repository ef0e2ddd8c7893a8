"""How runs are scored: what a suite may say, and what it may not."""

import pytest

from hpo_core.errors import InvalidOption
from hpo_leaderboard.experiments.scoring import Scoring, Targets, scoring_from_json


def test_json_gives_back_what_was_said():
    said = Scoring(
        incumbent="lowest-loss",
        targets={"kind": "fixed", "values": {"protein": [0.22, 0.25], "slice": 0.1}},
        repetitions=20,
        cutoffs={"protein": 1e4},
        split="test",
    )
    assert said.targets == Targets("fixed", values={"protein": (0.22, 0.25), "slice": (0.1,)})
    assert said.cutoffs == {"protein": (1e4,)}
    assert scoring_from_json(said.to_json()) == said
    assert scoring_from_json(Scoring().to_json()) == Scoring()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"incumbent": "best"}, "incumbent must be 'highest-budget' or 'lowest-loss', got 'best'"),
        ({"split": "train"}, "split must be 'validation' or 'test', got 'train'"),
        ({"repetitions": 0}, "repetitions must be an integer >= 1, got 0"),
        ({"cutoffs": {"protein": 0}}, "above 0, got 0.0 for 'protein'"),
        ({"cutoffs": [100]}, "cutoffs must be numbers by benchmark"),
        ({"targets": "sobol"}, "targets must be a table with kind"),
        ({"targets": {"kind": "grid"}}, "kind of the targets must be 'quantiles' or 'sobol' or 'fixed'"),
        ({"targets": {"kind": "fixed"}}, "if, and only if"),
        ({"targets": {"values": {"protein": [0.2]}}}, "if, and only if"),
        ({"targets": {"number": 5}}, "got 'number'"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, message):
    with pytest.raises(InvalidOption, match=message):
        Scoring(**settings)
