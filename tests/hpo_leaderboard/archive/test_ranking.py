"""New optimizers among archived ones."""

import json

import pytest
from small_archives import packed, run_store

from hpo_core.errors import InvalidOption
from hpo_leaderboard.archive.building import FAST, MODEL, SLOW_PEER, archived_suite, is_peer, seeds_of
from hpo_leaderboard.archive.ranking import join_runs, make_field
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.identity import optimizer_version
from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.experiments.suite import make_suite, open_suite
from hpo_leaderboard.report import score_store

RE = {"name": "re", "label": "re", "options": {"population": 5, "tournament": 2}}
SUITE = make_suite("small", ["mini-wine", "branin"], ["rs"], n_seeds=50, n_trials=12)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return packed(run_store(tmp_path_factory.mktemp("made") / "a.sqlite", ["mini-wine", "branin"], ["rs", "de", RE]))


def test_only_what_the_archive_lacks_is_run(archive):
    field = make_field(archive, SUITE, [Member("rs"), Member("re"), Member("tpe")])
    assert [member.label for member in field.suite.optimizers] == ["tpe"]
    assert field.suite.seeds == range(2)  # as many as the archived ones have
    assert len(field.rows) == archive.n_runs and field.said == []
    assert make_field(archive, SUITE, [Member("rs")]).suite is None
    assert make_field(archive, SUITE, [Member("tpe")], seeds=range(3, 9)).suite.seeds == range(3, 9)


def test_runs_under_other_limits_or_of_another_version_are_none_of_the_suite(archive):
    for change in ({"n_trials": 13}, {"workers": 2}, {"version": 2}):
        other = make_suite("small", ["mini-wine", "branin"], ["rs"], **{"n_trials": 12, **change})
        with pytest.raises(InvalidOption, match="no runs of suite 'small'"):
            make_field(archive, other)


def test_benchmarks_that_the_archive_lacks_are_not_run(archive):
    larger = make_suite("small", ["mini-wine", "mini-airfoil"], ["rs"], n_trials=12)
    field = make_field(archive, larger, [Member("tpe")])
    assert [member.label for member in field.suite.benchmarks] == ["mini-wine"]
    assert {archive.said(row)["benchmark"]["label"] for row in field.rows} == {"mini-wine"}
    assert "1 of the suite's benchmarks" in field.said[0]


def with_other_code(archive, name):
    """The archive, as if an optimizer had been other code."""
    from dataclasses import replace

    here = optimizer_version(name, None)
    settings = tuple(text.replace(here, "code 0123456789ab") for text in archive.settings)
    return replace(archive, settings=settings)


def test_changed_code_is_said_and_kept_or_run_again(archive):
    aged = with_other_code(archive, "re")
    kept = make_field(aged, SUITE, [Member("re")])
    assert kept.suite is None and len(kept.rows) == archive.n_runs
    assert kept.said[0].startswith(f"re is {optimizer_version('re', None)} here and was code 0123456789ab")
    assert "are kept" in kept.said[0]
    again = make_field(aged, SUITE, [], stale="rerun")
    assert [(m.label, dict(m.options)) for m in again.suite.optimizers] == [("re", RE["options"])]
    assert {archive.said(row)["optimizer"]["label"] for row in again.rows} == {"rs", "de"}
    with pytest.raises(InvalidOption, match="stale must be one of"):
        make_field(aged, SUITE, [], stale="burn")


def test_archived_and_new_runs_are_ranked_together(archive, tmp_path):
    field = make_field(archive, SUITE, [Member("tpe")])
    run_experiment(field.suite, tmp_path / "mine.sqlite", make_engine("serial"))
    assert join_runs(archive, field, tmp_path / "mine.sqlite", tmp_path / "joint.sqlite") == []
    scored = score_store(tmp_path / "joint.sqlite")
    assert sorted(scored.groups[0].optimizers) == ["de", "re", "rs", "tpe"]
    assert scored.methods.title == "small" and scored.left_out == []
    whole = run_store(tmp_path / "whole.sqlite", ["mini-wine", "branin"], ["rs", "de", RE, "tpe"])
    columns = ["optimizer", "rank", "regret", "reached", "n_runs"]
    expected = score_store(whole).groups[0].board[columns]
    assert scored.groups[0].board[columns].to_dict() == expected.to_dict()


def test_an_archive_holds_every_optimizer_with_seeds_by_its_speed():
    suite = archived_suite(open_suite("fcnet"), without=["skopt-gp"])
    labels = {member.label: member for member in suite.optimizers}
    assert {"re", "re-100", "gp", "optuna-tpe", "bohb"} <= set(labels) and "skopt-gp" not in labels
    assert [labels[name].n_seeds for name in ("rs", "gp", "smac3")] == [FAST, MODEL, SLOW_PEER]
    assert dict(labels["re"].options) == {"population": 20, "tournament": 5}
    few = archived_suite(open_suite("fcnet"), seeds=range(7))
    assert {member.n_seeds for member in few.optimizers} == {7, SLOW_PEER}
    with pytest.raises(InvalidOption, match="did you mean skopt-gp"):
        archived_suite(open_suite("fcnet"), without=["skoptgp"])
    assert is_peer("smac3") and not is_peer("smac") and seeds_of("es") == MODEL


def test_a_description_gets_its_own_seed_back(archive):
    for row in range(archive.n_runs):
        said = json.loads(archive.description(row))
        assert said["seed"] == archive.columns["seed"][row] and said["run_seed"] > 1
