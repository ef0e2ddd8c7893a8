"""What a run spent and found: counted by hand on made-up trials, and on a small table."""

import math

import numpy as np
import pytest

from hpo_core import Benchmark, Float, Int, Proposal, Result, SimpleProblem, Space, Trial, run
from hpo_papers.dai2019.runs.best_found import (
    EPOCHS,
    SECONDS,
    TRAINING,
    average_errors,
    best_at,
    common_range,
    compared,
    difference,
    spent,
)
from hpo_papers.dai2019.runs.followed import SpentLimit, ended_trainings, follow_on

SPACE = Space([Int("x", 0, 99), Float("y", 0.0, 1.0)])


def trial(step, x, budget, loss, start, paid=0.0):
    return Trial(Proposal({"x": x, "y": 0.5}, budget), Result(loss, float(budget), budget, {}), step, 7, 0, start, paid)


TRIALS = [
    trial(0, 1, 2, 0.9, 0.0),
    trial(1, 1, 5, 0.5, 2.0, 2.0),  # goes on
    trial(2, 2, 2, 0.8, 5.0),
    trial(3, 1, 2, 0.7, 7.0),  # another training of the first configuration
    trial(4, 2, 4, 0.3, 9.0, 2.0),  # goes on after a pause
]


def test_a_training_ends_where_the_next_trial_does_not_continue_it():
    ended = ended_trainings(TRIALS, [0.1, 0.2, 0.3, 0.4, 0.5])
    assert [(e.config["x"], e.n, e.loss) for e in ended] == [(1, 5, 0.5), (2, 2, 0.8), (1, 2, 0.7), (2, 4, 0.3)]
    assert [e.epochs for e in ended] == [5, 7, 9, 11]
    assert [e.train_seconds for e in ended] == [5, 7, 9, 11]
    assert [e.decide_seconds for e in ended] == [0.2, 0.3, 0.4, 0.5]


def test_a_run_ends_when_epochs_and_seconds_are_reached():
    assert SpentLimit(11, 0)(TRIALS[:4]) is None and SpentLimit(11, 0)(TRIALS)
    assert SpentLimit(3, 12)(TRIALS) is None and SpentLimit(3, 11)(TRIALS)


RUN = {"epochs": [5, 11], "train": [50.0, 110.0], "decide": [1.0, 3.0], "loss": [0.5, 0.3], "spent": [12, 120.0, 4.0]}
OTHER = {"epochs": [6], "train": [20.0], "decide": [9.0], "loss": [0.4], "spent": [20, 100.0, 30.0]}


def test_the_best_found_error_is_a_step_function_of_what_was_spent():
    assert spent(RUN, EPOCHS).tolist() == [5, 11] and spent(RUN, TRAINING).tolist() == [50, 110]
    assert spent(RUN, SECONDS).tolist() == [51, 113]
    found = best_at(RUN, np.array([4.0, 5.0, 10.9, 11.0, 99.0]))
    assert math.isnan(found[0]) and found[1:].tolist() == [0.5, 0.5, 0.3, 0.3]
    assert best_at(RUN, np.array([112.0, 113.0]), SECONDS).tolist() == [0.5, 0.3]


def test_runs_are_compared_where_all_have_numbers():
    runs = {"a": [RUN], "b": [OTHER]}
    assert common_range(runs, EPOCHS) == (6, 12)
    assert common_range(runs, SECONDS) == (51, 124)
    assert average_errors(runs, EPOCHS, 12, 12) == {"a": pytest.approx(0.3), "b": pytest.approx(0.4)}
    assert difference(runs, "a", "b", 12)[0] == pytest.approx(-0.1)
    row = compared(runs, 12)[0]
    assert (row.what, row.ours, row.low) == ("a: best-found error after 12 epochs", 0.3, None)


def curves(config, budget, seed):
    return Result((100 - config["x"]) / 100 + math.exp(-budget), 2.0 * budget, budget, {})


def test_a_followed_run_knows_where_its_trainings_would_have_ended():
    b = Benchmark(SimpleProblem("curves", SPACE, curves, budgets=(1, 3, 9)))
    found = follow_on(b, "hyperband", {}, 0, 60.0)
    trials = run(b, "hyperband", n_trials=len(found["trainings"]) + 20, seed=0).trials
    assert found["spent"][0] >= 60 and found["spent"][1] == pytest.approx(2 * found["spent"][0])
    assert found["loss"] == sorted(found["loss"], reverse=True) and found["epochs"] == sorted(found["epochs"])
    assert found["loss"][-1] == min(each["loss"] for each in found["trainings"])
    for each in found["trainings"]:
        assert each["final"] == pytest.approx(curves(each["config"], 9, None).loss)
        assert each["loss"] == pytest.approx(curves(each["config"], each["n"], None).loss)
    assert found["trainings"][0]["config"] == trials[0].config and found["trainings"][0]["best"] is None


@pytest.mark.slow
def test_all_methods_with_a_process_begin_with_the_same_configurations():
    b = Benchmark(SimpleProblem("curves", SPACE, curves, budgets=(1, 3, 9)))
    firsts = []
    for name, options in (
        ("gp-ucb", {"n_initial": 6}),
        ("bo-bos", {"n_initial": 6}),
        ("boca", {}),
        ("lc-gp", {"n_initial": 6}),
    ):
        trainings = follow_on(b, name, options, 4, 60.0)["trainings"]
        firsts.append([each["config"] for each in trainings[:6]])
    assert firsts[0] == firsts[1] == firsts[2] == firsts[3]
