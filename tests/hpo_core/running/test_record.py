"""Records of runs: incumbents by hand, tables, files."""

import dataclasses
import json
import math

import numpy as np
import pytest

from hpo_core import Proposal, Result, Run, Trial, run
from hpo_core.errors import CannotWrite, DamagedFile, InvalidOption, NoSuccess


def trial(loss, budget=1, start=0.0, cost=1.0, failure=None, info=None, step=0, config=None):
    return Trial(
        Proposal(config or {"x": 1}, budget), Result(loss, cost, budget, info or {}), step, 7, 0, start, 0.0, failure
    )


def record(*trials):
    return Run("b", "o", 0, 1, "n_trials", tuple(trials))


# --- trial ---------------------------------------------------------------------------------------------------------


def test_a_trial_needs_only_proposal_and_result():
    t = Trial(Proposal({"x": 1}), Result(0.5, 2.0, 100, {}))
    assert (t.config, t.budget, t.loss, t.cost, t.end, t.failure) == ({"x": 1}, 100, 0.5, 2.0, 2.0, None)


# --- incumbent -----------------------------------------------------------------------------------------------------


def test_the_incumbent_is_the_lowest_loss_so_far():
    r = record(*(trial(loss, start=float(i)) for i, loss in enumerate([3.0, 5.0, 1.0, 1.0, 2.0])))
    best = r.incumbent()
    assert best.losses.tolist() == [3.0, 3.0, 1.0, 1.0, 1.0]
    assert best.indices.tolist() == [0, 0, 2, 2, 2]  # the first of equals stays
    assert best.ends.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_the_incumbent_moves_to_the_highest_budget_seen():
    pairs = [(3.0, 1), (1.0, 1), (2.0, 9), (0.5, 1), (4.0, 9), (1.5, 9)]
    best = record(*(trial(loss, budget) for loss, budget in pairs)).incumbent()
    assert best.losses.tolist() == [3.0, 1.0, 2.0, 2.0, 2.0, 1.5]
    assert best.indices.tolist() == [0, 1, 2, 2, 2, 5]


def test_failed_trials_are_no_incumbents_whatever_their_budget():
    failed = trial(math.inf, 9, failure="crash")
    best = record(failed, trial(2.0, 1), failed).incumbent()
    assert best.losses.tolist() == [math.inf, 2.0, 2.0]
    assert best.indices.tolist() == [-1, 1, 1]


def test_the_best_trial_is_the_incumbent_at_the_end():
    trials = [trial(loss, budget, config={"x": i}) for i, (loss, budget) in enumerate([(3.0, 9), (0.5, 1), (2.0, 9)])]
    r = record(*trials, trial(math.inf, 9, failure="crash"))
    assert r.best is trials[2]
    assert (r.best.config, r.best.loss, r.best.budget) == ({"x": 2}, 2.0, 9)
    assert r.best_config == {"x": 2}
    r.best_config["x"] = 99
    assert r.best_config == {"x": 2}  # a copy: who changes it does not change the record


@pytest.mark.parametrize(
    ("trials", "words"), [((), "0 trials"), ((trial(math.inf, failure="crash"),) * 2, "first of 2 failed with crash")]
)
def test_a_run_without_success_has_no_best_trial(trials, words):
    with pytest.raises(NoSuccess, match=words):
        _ = record(*trials).best
    with pytest.raises(LookupError):
        _ = record(*trials).best_config


def test_the_incumbent_at_a_time_counts_what_is_completed():
    best = record(trial(3.0, start=0.0), trial(1.0, start=1.0)).incumbent()
    assert [best.loss_at(s) for s in (0.0, 0.99, 1.0, 1.99, 2.0, 100.0)] == [math.inf, math.inf, 3.0, 3.0, 1.0, 1.0]


def test_a_run_without_trials_has_an_empty_trajectory():
    best = record().incumbent()
    assert [len(column) for column in best] == [0, 0, 0]
    assert best.loss_at(1.0) == math.inf


# --- equality ------------------------------------------------------------------------------------------------------


def test_runs_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        record().seed = 3


@pytest.mark.parametrize(
    "other",
    [
        record(trial(np.nextafter(0.1, 1))),
        record(trial(0.1, budget=2)),
        record(trial(0.1, info={"test_loss": 1})),
        record(trial(0.1, config={"x": 2})),
        record(trial(0.1, step=1)),
        record(trial(0.1), trial(0.1)),
        dataclasses.replace(record(trial(0.1)), reason="exhausted"),
        "a run",
    ],
)
def test_runs_that_differ_are_not_equal(other):
    assert record(trial(0.1)) != other


def test_equality_ignores_key_order_and_number_types_and_sees_through_arrays_and_nan():
    a = record(trial(0.1, config={"x": 1, "y": 2}, info={"folds": np.array([1.0, 2.0]), "test_loss": math.nan}))
    b = record(
        trial(np.float64(0.1), config={"y": np.int64(2), "x": 1}, info={"test_loss": math.nan, "folds": [1.0, 2.0]})
    )
    assert a == b
    assert hash(a) == hash(b)


def test_equality_takes_any_info():
    assert record(trial(0.1, info={"kind": {1, 2}})) == record(trial(0.1, info={"kind": {1, 2}}))
    assert record(trial(0.1, info={"kind": {1, 2}})) != record(trial(0.1, info={"kind": {1, 3}}))


# --- frame ---------------------------------------------------------------------------------------------------------


def test_the_frame_has_a_row_per_trial():
    frame = run("branin", "rs", n_trials=4, workers=2).frame()
    assert frame.columns.tolist() == [
        "step", "budget", "loss", "cost", "start", "end", "worker", "seed", "failure", "x1", "x2"
    ]  # fmt: skip
    assert sorted(frame.step) == [0, 1, 2, 3]
    assert (frame.end == frame.start + frame.cost).all()


def test_a_hyperparameter_called_like_a_column_keeps_its_own():
    frame = record(trial(0.1, config={"loss": "mse", "lr": 0.5})).frame()
    assert frame.loss.tolist() == [0.1]
    assert frame["config.loss"].tolist() == ["mse"]


def test_hyperparameters_that_are_switched_off_are_missing_values():
    frame = record(trial(0.1, config={"x": 1.0}), trial(0.1, config={"x": 2.0, "y": 5.0})).frame()
    assert frame.y.isna().tolist() == [True, False]


# --- files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "r",
    [
        run("counting-ones-4-4", "hyperband", n_trials=130, workers=3, seed=9),
        record(trial(math.inf, failure="loss was nan", cost=0.1), trial(0.1 + 0.2)),
        record(trial(1e-300, info={"folds": [0.1, math.nan], "name": "ä\u2028\n"}, config={"x": None, "y": True})),
        record(),
    ],
    ids=["hyperband", "failed", "odd values", "empty"],
)
def test_a_file_gives_back_an_equal_run(r, tmp_path):
    r.save(tmp_path / "r.jsonl")
    loaded = Run.load(tmp_path / "r.jsonl")
    assert loaded == r
    assert [t.loss for t in loaded.trials] == [t.loss for t in r.trials]
    assert [t.end for t in loaded.trials] == [t.end for t in r.trials]
    assert [t.proposal for t in loaded.trials] == [t.proposal for t in r.trials]


def test_numpy_values_are_saved_as_plain_ones(tmp_path):
    r = record(trial(np.float32(0.5), config={"x": np.int64(3)}, info={"folds": np.arange(2.0)}))
    r.save(tmp_path / "r.jsonl")
    assert Run.load(tmp_path / "r.jsonl") == r


def test_what_cannot_be_saved_is_refused_and_the_old_file_stays(tmp_path):
    path = tmp_path / "r.jsonl"
    record(trial(0.1)).save(path)
    with pytest.raises(InvalidOption, match="set"):
        record(trial(0.1, info={"kind": {1}})).save(path)
    assert Run.load(path) == record(trial(0.1))
    assert [p.name for p in tmp_path.iterdir()] == ["r.jsonl"]


def test_a_saved_run_has_the_permissions_of_any_other_file(tmp_path):
    (tmp_path / "other").touch()
    record(trial(0.1)).save(tmp_path / "r.jsonl")
    assert (tmp_path / "r.jsonl").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_write_that_breaks_off_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "r.jsonl"
    record(trial(0.1)).save(path)

    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CannotWrite, match="disk full"):
        record(trial(0.2)).save(path)
    assert Run.load(path) == record(trial(0.1))
    assert [p.name for p in tmp_path.iterdir()] == ["r.jsonl"]


def as_first_version(lines):
    """The lines of a file as the first version of the format had them, without a checksum."""
    first = {key: value for key, value in json.loads(lines[0]).items() if key != "sha256"}
    return [json.dumps({**first, "version": 1}), *lines[1:]]


def test_files_of_the_first_version_are_read(tmp_path):
    path = tmp_path / "r.jsonl"
    r = record(trial(0.1), trial(math.inf, failure="crash"))
    r.save(path)
    path.write_text("\n".join(as_first_version(path.read_text().splitlines())) + "\n")
    assert Run.load(path) == r


def test_tuples_of_a_configuration_survive(tmp_path):
    r = record(trial(0.1, config={"layers": (64, 32), "pair": ((1, 2), "a")}))
    r.save(tmp_path / "r.jsonl")
    assert Run.load(tmp_path / "r.jsonl") == r
    assert Run.load(tmp_path / "r.jsonl").best_config == {"layers": (64, 32), "pair": ((1, 2), "a")}


def test_one_digit_that_was_altered_is_found(tmp_path):
    path = tmp_path / "r.jsonl"
    record(trial(0.125), trial(0.25)).save(path)
    for old, new in (('"loss": 0.125', '"loss": 0.126'), ('"seed": 0', '"seed": 1')):
        whole = path.read_text()
        assert old in whole
        (tmp_path / "altered.jsonl").write_text(whole.replace(old, new, 1))
        with pytest.raises(DamagedFile, match="checksum"):
            Run.load(tmp_path / "altered.jsonl")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("loss", value) for value in ("0.1", True, math.nan, -math.inf, 10**400, None)),
        *(("cost", value) for value in (-1.0, None, math.inf)),
        *(("config", value) for value in ([], None, "x")),
        *(("info", value) for value in ([], 5)),
        *(("step", value) for value in (-1, 0.5, "0")),
        *(("worker", value) for value in (-1, 1, None)),
        *(("failure", value) for value in (5, ["crash"], "\ud800")),
        *(("budget", value) for value in (None, "1", -1.0)),
        *(("asked", value) for value in ("1", [])),
        *(("seed", value) for value in (-1, 1.5)),
    ],
)
def test_a_field_of_another_type_or_range_is_refused(tmp_path, field, value):
    path = tmp_path / "r.jsonl"
    record(trial(0.1)).save(path)
    first, line = as_first_version(path.read_text().splitlines())
    path.write_text("\n".join([first, json.dumps({**json.loads(line), field: value})]))
    with pytest.raises(DamagedFile, match=r"r\.jsonl is not a whole run"):
        Run.load(path)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda lines: lines[:-1], "holds 1 of its 2 trials"),
        (lambda lines: [*lines[:-1], lines[-1][:30]], "do not match its checksum"),
        (lambda lines: [*as_first_version(lines)[:-1], lines[-1][:30]], "not a whole run"),
        (lambda lines: ["{}", *lines[1:]], "not a run saved by Run.save"),
        (lambda lines: ["[1]", *lines[1:]], "not a run saved by Run.save"),
        (lambda lines: [], "not a run saved by Run.save"),
        (lambda lines: [lines[0].replace('"version": 2', '"version": 3'), *lines[1:]], "version 3 .* up to 2"),
        (lambda lines: [as_first_version(lines)[0], '{"loss": 1}', lines[2]], "not a whole run"),
    ],
)
def test_damaged_files_are_named(damage, words, tmp_path):
    path = tmp_path / "r.jsonl"
    record(trial(0.1), trial(0.2)).save(path)
    path.write_text("\n".join(damage(path.read_text().splitlines())))
    with pytest.raises(DamagedFile, match=words):
        Run.load(path)


def test_a_line_of_the_file_is_json(tmp_path):
    record(trial(math.inf, failure="crash")).save(tmp_path / "r.jsonl")
    line = json.loads((tmp_path / "r.jsonl").read_text().splitlines()[1])
    assert line["loss"] is None
    assert line["failure"] == "crash"
