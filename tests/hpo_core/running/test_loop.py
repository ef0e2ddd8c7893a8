"""The run loop, on schedules worked out by hand."""

import math

import numpy as np
import pytest

from hpo_core import Benchmark, Float, Int, Proposal, Result, SimpleProblem, Space, run
from hpo_core.errors import InvalidConfig, InvalidOption, UnknownName
from hpo_core.running.optimizer import InvalidLoss, Pending, UnknownProposal
from hpo_core.running.trial_seeds import trial_seeds

SPACE = Space([Int("i", 0, 99)])


class Scripted:
    """Asks for given proposals in turn (None: wait), and keeps a diary of what was asked and told."""

    def __init__(self, script):
        self.script, self.diary = list(script), []

    def ask(self):
        if not self.script:
            return None
        proposal = self.script.pop(0)
        if proposal is not None:
            self.diary.append(("ask", proposal.config["i"]))
        return proposal

    def tell(self, proposal, loss, cost):
        self.diary.append(("tell", proposal.config["i"], loss, cost))


def configs(*numbers):
    return [None if i is None else Proposal({"i": i}) for i in numbers]


def problem(costs, losses=None, budgets=(1,)):
    """Cost and loss by the value of i; the cost grows in proportion to the budget."""

    def evaluate(config, budget, seed):
        i = config["i"]
        return Result(float(i) if losses is None else losses[i], costs[i] * budget, budget, {"seed": seed})

    return Benchmark(SimpleProblem("table", SPACE, evaluate, budgets=budgets))


def order(r):
    return [(t.config["i"], t.worker, t.start, t.end) for t in r.trials]


# --- the clock -----------------------------------------------------------------------------------------------------


def test_workers_are_busy_for_the_cost_of_their_trials():
    o = Scripted(configs(0, 1, 2, 3))
    r = run(problem([5.0, 1.0, 2.0, 10.0]), o, n_trials=4, workers=2)
    # worker 0 runs trial 0 until 5; worker 1 runs 1 until 1, then 2 until 3, then 3 until 13
    assert order(r) == [(1, 1, 0.0, 1.0), (2, 1, 1.0, 3.0), (0, 0, 0.0, 5.0), (3, 1, 3.0, 13.0)]
    assert [entry[:2] for entry in o.diary] == [
        ("ask", 0), ("ask", 1), ("tell", 1), ("ask", 2), ("tell", 2), ("ask", 3), ("tell", 0), ("tell", 3)
    ]  # fmt: skip
    assert [t.step for t in r.trials] == [1, 2, 0, 3]
    assert o.diary[2] == ("tell", 1, 1.0, 1.0)


def test_results_of_one_moment_are_told_in_order_of_their_start_before_the_next_is_asked_for():
    o = Scripted(configs(0, 1, 2, 3))
    run(problem([2.0, 2.0, 2.0, 2.0]), o, n_trials=4, workers=3)
    assert [entry[:2] for entry in o.diary] == [
        ("ask", 0), ("ask", 1), ("ask", 2), ("tell", 0), ("tell", 1), ("tell", 2), ("ask", 3), ("tell", 3)
    ]  # fmt: skip


def test_none_waits_for_a_result():
    o = Scripted(configs(0, None, 1))
    r = run(problem([3.0, 1.0]), o, n_trials=2, workers=2)
    assert order(r) == [(0, 0, 0.0, 3.0), (1, 0, 3.0, 4.0)]  # worker 1 idles until the result of trial 0


def test_none_with_nothing_pending_ends_the_run():
    r = run(problem([1.0, 1.0]), Scripted(configs(0, 1)), n_trials=10)
    assert len(r.trials) == 2
    assert r.reason.startswith("exhausted")


def test_no_trial_starts_once_max_cost_has_passed_and_running_ones_are_finished():
    r = run(problem([4.0] * 9), Scripted(configs(*range(9))), max_cost=8.0)
    assert [t.end for t in r.trials] == [4.0, 8.0]
    assert r.reason.startswith("max_cost")
    r = run(problem([4.0] * 9), Scripted(configs(*range(9))), max_cost=9.0)
    assert [t.end for t in r.trials] == [4.0, 8.0, 12.0]
    assert r.incumbent().loss_at(9.0) == 0.0
    r = run(problem([4.0, 3.0, 2.0, 1.0, 9.0]), Scripted(configs(4, 3, 2, 1)), max_cost=2.5, workers=2)
    assert order(r) == [(3, 1, 0.0, 1.0), (2, 1, 1.0, 3.0), (4, 0, 0.0, 9.0)]


def test_n_trials_counts_the_trials_that_are_started():
    r = run(problem([1.0] * 9), Scripted(configs(*range(9))), n_trials=5, workers=3)
    assert [t.step for t in r.trials] == [0, 1, 2, 3, 4]
    assert r.reason == "n_trials: 5 were started"


def test_a_run_that_only_a_cost_can_end_is_given_up_when_nothing_costs():
    r = run(problem([0.0]), Scripted(configs(*[0] * 5000)), n_trials=None, max_cost=1.0)
    assert r.reason.startswith("stalled")
    assert len(r.trials) == 1000


# --- stopping ------------------------------------------------------------------------------------------------------


def test_a_criterion_sees_the_completed_trials_and_gives_the_reason():
    seen = []

    def stop(trials):
        seen.append([t.config["i"] for t in trials])
        return "enough" if len(trials) == 2 else None

    r = run(problem([9.0, 1.0, 1.0, 1.0]), Scripted(configs(0, 1, 2, 3)), stop=stop, workers=2)
    assert seen == [[1], [1, 2]]
    assert r.reason == "enough"
    assert [t.config["i"] for t in r.trials] == [1, 2]  # trial 0 was running and is given up


def test_a_criterion_alone_can_end_a_run():
    r = run("branin", "rs", n_trials=None, stop=lambda trials: "seven" if len(trials) == 7 else None)
    assert len(r.trials) == 7


# --- seeds ---------------------------------------------------------------------------------------------------------


def test_the_seed_of_a_trial_is_a_function_of_run_seed_and_step():
    stream = trial_seeds(3)
    expected = [next(stream) for _ in range(600)]
    a = run("branin", "rs", n_trials=600, seed=3)
    b = run("branin", "grid", n_trials=30, seed=3, workers=4)
    assert [t.seed for t in a.trials] == expected
    assert [t.seed for t in sorted(b.trials, key=lambda t: t.step)] == expected[:30]
    assert len(set(expected)) == 600
    assert next(trial_seeds(4)) != expected[0]
    whole = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(2**32 - 1,))).integers(2**31, size=600)
    assert expected == whole.tolist()  # whatever the size of the blocks they are drawn in


def test_the_objective_gets_the_seed_of_the_trial():
    r = run(problem([1.0] * 3), Scripted(configs(0, 1, 2)), n_trials=3, seed=5)
    assert [t.result.info["seed"] for t in r.trials] == [t.seed for t in r.trials]


@pytest.mark.parametrize("workers", [1, 4])
def test_a_run_is_a_function_of_its_seed(workers):
    a, b = (run("counting-ones-4-4", "hyperband", n_trials=60, seed=1, workers=workers) for _ in range(2))
    assert a == b
    assert a != run("counting-ones-4-4", "hyperband", n_trials=60, seed=2, workers=workers)


# --- failures ------------------------------------------------------------------------------------------------------


class Crash(Exception):
    def __init__(self, cost):
        super().__init__("out of memory")
        self.cost = cost


def failing(config, budget, seed):
    i = config["i"]
    if i == 0:
        raise ValueError("no convergence")
    if i == 1:
        raise Crash(7.0)
    if i == 2:
        raise Crash("a lot")
    losses = {3: math.nan, 4: math.inf, 5: -math.inf}
    return Result(losses.get(i, 0.5), math.nan if i == 6 else 2.0, budget, {})


def test_failures_are_recorded_with_cost_and_reason_and_told_as_infinity():
    o = Scripted(configs(*range(8)))
    r = run(Benchmark(SimpleProblem("failing", SPACE, failing)), o, n_trials=8)
    assert [(t.loss, t.cost, t.failure) for t in r.trials] == [
        (math.inf, 0.0, "ValueError: no convergence"),
        (math.inf, 7.0, "Crash: out of memory"),
        (math.inf, 0.0, "Crash: out of memory"),
        (math.inf, 2.0, "loss was nan"),
        (math.inf, 2.0, "loss was inf"),
        (math.inf, 2.0, "loss was -inf"),
        (math.inf, 0.0, "cost was nan"),
        (0.5, 2.0, None),
    ]
    assert [entry[2:] for entry in o.diary if entry[0] == "tell"] == [(t.loss, t.cost) for t in r.trials]
    assert r.trials[-1].start == 13.0


def test_a_failure_ends_the_run_if_asked_to():
    r = run(
        Benchmark(SimpleProblem("failing", SPACE, failing)), Scripted(configs(7, 3, 7)), n_trials=3, on_failure="stop"
    )
    assert len(r.trials) == 2
    assert r.reason == "failure: loss was nan"


def test_a_configuration_outside_the_space_is_a_mistake_and_no_failure():
    with pytest.raises(InvalidConfig):
        run(problem([1.0]), Scripted(configs(500)), n_trials=1)


# --- continued trainings -------------------------------------------------------------------------------------------


def budgeted(*pairs):
    return [Proposal({"i": i}, budget) for i, budget in pairs]


def test_a_larger_budget_continues_the_training_at_the_difference_of_the_costs():
    script = budgeted((1, 1), (1, 3), (1, None), (1, 3))
    r = run(problem([1.0, 10.0], budgets=(1, 3, 9)), Scripted(script), n_trials=4)
    assert [t.cost for t in r.trials] == [10.0, 20.0, 60.0, 30.0]  # the last is a training of its own
    assert [t.result.cost for t in r.trials] == [10.0, 30.0, 90.0, 30.0]
    assert [t.end for t in r.trials] == [10.0, 30.0, 90.0, 120.0]
    first, second, third, fourth = (t.seed for t in r.trials)
    assert first == second == third != fourth
    stream = trial_seeds(0)
    assert fourth == [next(stream) for _ in range(4)][3]  # by its step, whatever was continued before


def test_what_the_optimizer_is_told_is_the_cost_of_the_trial():
    o = Scripted(budgeted((1, 1), (1, 3)))
    run(problem([1.0, 10.0], budgets=(1, 3)), o, n_trials=2)
    assert [entry[3] for entry in o.diary if entry[0] == "tell"] == [10.0, 20.0]


def test_the_switch_trains_anew():
    r = run(problem([1.0, 10.0], budgets=(1, 3)), Scripted(budgeted((1, 1), (1, 3))), n_trials=2, resume=False)
    assert [t.cost for t in r.trials] == [10.0, 30.0]
    assert r.trials[0].seed != r.trials[1].seed


def test_budgets_that_stand_for_the_same_one_are_trainings_of_their_own():
    b = Benchmark(problem([1.0, 10.0], budgets=(1, 3)), nearest_budget=True)
    r = run(b, Scripted(budgeted((1, 1.2), (1, 1.9), (1, 2.5))), n_trials=3)
    assert [(t.budget, t.cost) for t in r.trials] == [(1, 10.0), (1, 10.0), (3, 20.0)]
    assert r.trials[0].seed != r.trials[1].seed == r.trials[2].seed


def test_the_training_that_came_closest_is_continued():
    script = budgeted((1, 9), (1, 1), (1, 3), (1, 9))
    r = run(problem([1.0, 1.0], budgets=(1, 3, 9)), Scripted(script), n_trials=4)
    assert [t.cost for t in r.trials] == [9.0, 1.0, 2.0, 6.0]
    assert r.trials[1].seed == r.trials[2].seed == r.trials[3].seed != r.trials[0].seed


def test_of_two_trainings_the_further_and_of_equals_the_later_is_continued():
    r = run(problem([1.0, 1.0], budgets=(1, 3, 9)), Scripted(budgeted((1, 3), (1, 1), (1, 9))), n_trials=3)
    assert [t.cost for t in r.trials] == [3.0, 1.0, 6.0]
    r = run(problem([1.0, 1.0], budgets=(1, 3, 9)), Scripted(budgeted((1, 1), (1, 1), (1, 3))), n_trials=3)
    assert r.trials[2].seed == r.trials[1].seed != r.trials[0].seed


def test_two_workers_never_continue_the_same_training():
    script = [*budgeted((1, 1)), None, *budgeted((1, 3), (1, 3))]
    r = run(problem([1.0, 1.0], budgets=(1, 3)), Scripted(script), n_trials=3, workers=2)
    assert sorted(t.cost for t in r.trials) == [1.0, 2.0, 3.0]


def test_a_training_that_is_still_running_is_not_continued():
    r = run(problem([1.0, 1.0], budgets=(1, 3)), Scripted(budgeted((1, 1), (1, 3))), n_trials=2, workers=2)
    assert [t.cost for t in r.trials] == [1.0, 3.0]


def test_a_training_that_failed_is_not_continued():
    losses = [0.0, math.nan]
    r = run(problem([1.0, 1.0], losses, budgets=(1, 3)), Scripted(budgeted((1, 1), (1, 3))), n_trials=2)
    assert [t.cost for t in r.trials] == [1.0, 3.0]


def test_a_training_that_got_cheaper_costs_nothing_more():
    def evaluate(config, budget, seed):
        return Result(0.0, 10.0 / budget, budget, {})

    b = Benchmark(SimpleProblem("odd", SPACE, evaluate, budgets=(1, 2)))
    assert [t.cost for t in run(b, Scripted(budgeted((1, 1), (1, 2))), n_trials=2).trials] == [10.0, 0.0]


# --- arguments -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_trials": 0}, "n_trials must be an integer >= 1, got 0"),
        ({"n_trials": 2.5}, "got 2.5"),
        ({"workers": 0}, "workers must be an integer >= 1"),
        ({"workers": None}, "workers must be an integer >= 1"),
        ({"max_cost": -1}, "max_cost must be None or a finite number"),
        ({"max_cost": math.nan}, "max_cost"),
        ({"stop": 42}, "a function of the completed trials, got 42"),
        ({"n_trials": None}, "a run needs an end"),
        ({"on_failure": "ignore"}, "'continue' or 'stop', got 'ignore'"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_arguments_are_refused_with_the_rule(options, words):
    with pytest.raises(ValueError, match=words):
        run("branin", "rs", **options)


def test_numpy_numbers_are_numbers():
    assert len(run("branin", "rs", n_trials=np.int64(3), max_cost=np.float32(100), workers=np.int32(1)).trials) == 3


def test_an_unknown_optimizer_is_answered_with_the_nearest_name():
    with pytest.raises(UnknownName, match="did you mean hyperband"):
        run("branin", "hyperbnd")


@pytest.mark.parametrize("optimizer", [42, None])
def test_what_cannot_ask_and_tell_is_refused(optimizer):
    with pytest.raises(InvalidOption, match="an object with ask and tell, got"):
        run("branin", optimizer)


def test_a_benchmark_a_problem_and_a_name_run_alike():
    b = Benchmark("branin")
    assert run("branin", "rs", n_trials=5) == run(b, "rs", n_trials=5) == run(b.problem, "rs", n_trials=5)


def test_an_optimizer_without_a_name_is_called_after_its_class():
    assert run(problem([1.0]), Scripted(configs(0)), n_trials=1).optimizer == "Scripted"


def test_info_never_reaches_an_optimizer():
    told = []

    class Curious(Scripted):
        def tell(self, *arguments):
            told.append(arguments)

    run(problem([1.0]), Curious(configs(0)), n_trials=1)
    assert told == [(Proposal({"i": 0}), 0.0, 1.0)]


# --- the ledger of pending proposals -------------------------------------------------------------------------------


def test_the_ledger_knows_proposals_by_identity_and_else_by_equality():
    ledger = Pending()
    first, second = (ledger.add(Proposal({"x": 1.0}), note) for note in ("first", "second"))
    assert ledger.take(second, 0.0) == "second"
    assert ledger.take(Proposal({"x": 1.0}), 0.0) == "first"
    with pytest.raises(UnknownProposal, match=r"told already \(0 pending\)"):
        ledger.take(first, 0.0)


@pytest.mark.parametrize("loss", [math.nan, -math.inf])
def test_the_ledger_refuses_losses_that_are_none(loss):
    ledger = Pending()
    proposal = ledger.add(Proposal({"x": 1.0}), "note")
    with pytest.raises(InvalidLoss, match="stays pending"):
        ledger.take(proposal, loss)
    assert list(ledger) == ["note"]
    assert ledger.take(proposal, math.inf) == "note"


def test_log_scales_and_floats_run_too():
    b = Benchmark(
        SimpleProblem("f", Space([Float("x", 1e-4, 1.0, log=True)]), lambda c, b, s: Result(c["x"], 1.0, b, {}))
    )
    assert run(b, "rs", n_trials=50).incumbent().losses[-1] < 0.01


def test_a_bool_is_no_number_of_trials():
    with pytest.raises(InvalidOption, match="got True"):
        run("branin", "rs", n_trials=True)
