"""Runs as other tools log them: what counts as an evaluation, and with which value."""

import json

import numpy as np
import pytest
from score_tables import NAN, tasks_table, trials_table

import hpo_foundry as hpo
from hpo_core.errors import InvalidOption
from hpo_leaderboard.exports.logged_runs import logged_runs
from hpo_leaderboard.scores.from_runs import tables_of
from hpo_leaderboard.store.frames import Frames


def logged(losses, tasks=None, **columns):
    trials = trials_table(losses, **columns)
    runs = tables_of(trials).runs
    return logged_runs(Frames(trials, runs, tasks_table(trials) if tasks is None else tasks))


def test_values_are_the_lowest_so_far_and_failures_count():
    (run,), left_out = logged({("a", "rs", 0): [np.inf, 5.0, 7.0, np.inf, 3.0, 3.0]})
    assert run.value.tolist() == [np.inf, 5.0, 5.0, 5.0, 3.0, 3.0]
    assert run.observed.tolist() == [np.inf, 5.0, 7.0, np.inf, 3.0, 3.0]
    assert run.improvements.tolist() == [1, 4]
    assert (run.n_evaluations, left_out) == (6, [])


def test_the_regret_is_measured_from_a_known_optimum_and_never_negative():
    trials = trials_table({("a", "rs", 0): [3.0, 2.0 - 1e-15]})
    (run,), _ = logged({("a", "rs", 0): [3.0, 2.0 - 1e-15]}, tasks_table(trials, optimum=2.0))
    assert run.regret.tolist() == [1.0, 0.0]
    (run,), _ = logged({("a", "rs", 0): [3.0, -2.0]}, tasks_table(trials, optimum=NAN))
    assert run.regret.tolist() == [3.0, -2.0]


def test_noise_chooses_the_incumbent_and_its_noise_free_loss_counts():
    """The second trial is luckier than the first and worse; the third is the best but looks worse."""
    (run,), _ = logged({("a", "rs", 0): [2.0, 1.0, 3.0, 0.5]}, exact={("a", "rs", 0): [2.0, 2.5, 0.1, 1.5]})
    assert run.value.tolist() == [2.0, 2.0, 2.0, 1.5]
    assert run.improvements.tolist() == [0, 3]


def test_only_trials_at_the_full_budget_are_evaluations():
    run = ("a", "hyperband", 0)
    losses = {run: [1.0, 4.0, 2.0, 3.0], ("a", "rs", 0): [5.0]}
    (hyperband, rs), left_out = logged(losses, budget={run: [0.1, 1.0, 0.3, 1.0]})
    assert (hyperband.value.tolist(), hyperband.seconds.tolist()) == ([4.0, 3.0], [2.0, 4.0])
    assert rs.value.tolist() == [5.0]
    assert len(left_out) == 1 and left_out[0].startswith("hyperband: 2 trials below the full budget")


def test_runs_without_a_success_are_left_out_and_named():
    low = ("a", "sh", 1)
    losses = {("a", "sh", 0): [np.inf, np.inf], low: [1.0], ("a", "rs", 0): [5.0]}
    runs, left_out = logged(losses, budget={low: [0.5]})
    assert [run.optimizer for run in runs] == ["rs"]
    assert "sh: 2 runs without a successful trial at the full budget" in left_out


def test_names_of_coco_are_read_whatever_the_label_and_others_are_numbered():
    runs = [hpo.run(hpo.Benchmark(name), "rs", n_trials=2) for name in ("forrester", "bbob-mixint/f3-i7-d5", "branin")]
    found = {run.problem.function_name: run.problem for run in logged_runs(runs).runs}
    assert found["Rastrigin"][:5] == ("bbob-mixint", 3, "Rastrigin", 7, 5)
    assert found["branin"] == ("hpo-foundry", 1, "branin", 1, 2, None)
    assert found["forrester"] == ("hpo-foundry", 2, "forrester", 1, 1, None)


def test_two_labels_of_one_problem_are_refused():
    trials = trials_table({(label, "rs", 0): [1.0] for label in ("first", "second")})
    frames = tables_of(trials)
    described = json.dumps({"benchmark": {"name": "bbob/f1-i1-d2"}})
    frames = Frames(trials, frames.runs.assign(description=described), tasks_table(trials))
    with pytest.raises(InvalidOption, match="'bbob/f1-i1-d2' has 'first' and 'second'"):
        logged_runs(frames)


def test_the_order_of_a_table_of_trials_does_not_matter():
    trials = trials_table({("a", o, s): [3.0, 1.0 + s] for o in ("rs", "de") for s in (0, 1)})
    shuffled = trials.sort_values(["seed", "optimizer", "step"], ascending=[False, True, True])
    found = [(run.optimizer, run.seed, run.value.tolist(), run.observed.tolist()) for run in logged_runs(shuffled).runs]
    assert found == [(o, s, [3.0, 1.0 + s], [3.0, 1.0 + s]) for o in ("de", "rs") for s in (0, 1)]


def test_trials_without_configurations_are_refused():
    with pytest.raises(InvalidOption, match="without a column `config`"):
        logged_runs(trials_table({("a", "rs", 0): [3.0]}).drop(columns="config"))


def test_positions_are_numbers_in_the_order_of_the_function():
    b = hpo.Benchmark("bbob/f1-i1-d10")
    run = hpo.run(b, "rs", n_trials=3)
    (found,) = logged_runs([run]).runs
    assert found.position(2) == [run.trials[2].config[f"x{i}"] for i in range(1, 11)]
    (mixed,) = logged_runs([hpo.run(hpo.Benchmark("mini-wine"), "rs", n_trials=1)]).runs
    assert mixed.position(0) == []
