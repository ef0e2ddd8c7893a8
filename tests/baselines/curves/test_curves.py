"""Optimizers that follow learning curves: what they stop, what they let go on, and what they cost."""

import math

import numpy as np
import pytest

from baselines import optimizer
from baselines.curves.parts.epoch_process import EpochProcess, at_epochs, seen_epochs
from baselines.curves.parts.stepwise import Stepwise, StepwiseTraining, ladder
from baselines.halving.hyperband import Hyperband
from hpo_core import Benchmark, Categorical, Float, Int, Proposal, Result, SimpleProblem, Space, run
from hpo_core.errors import InvalidBudget, InvalidOption
from hpo_models.features import Features

EPOCHS = 30
SPACE = Space([Float("a", 0.0, 1.0), Float("b", 0.0, 1.0), Int("c", 0, 9), Categorical("d", ["x", "y", "z"])])


def final_loss(config):
    away = (config["a"] - 0.7) ** 2 + (config["b"] - 0.2) ** 2 + 0.02 * abs(config["c"] - 6)
    return 0.1 + away + 0.3 * "xyz".index(config["d"])


def curve(config, budget, seed):
    """A drop by an exponential to the final loss, the same for every configuration, with a little noise."""
    noise = 0.003 * math.sin(budget * 12.9898 + (seed or 0) % 97)
    return Result(final_loss(config) + 0.6 * math.exp(-budget / 5) + noise, float(budget), budget, {})


def benchmark(evaluate=curve, epochs=EPOCHS):
    return Benchmark(SimpleProblem("curves", SPACE, evaluate, budgets=range(1, epochs + 1)))


def trained(trials):
    """Epochs of each training, in the order of their beginning; trainings have configurations of their own."""
    epochs = {}
    for trial in trials:
        epochs[str(trial.config)] = trial.budget
    return list(epochs.values())


def test_a_ladder_ends_at_the_full_budget():
    assert ladder(range(1, 11)) == list(range(1, 11))
    assert ladder(range(1, 11), 3) == [1, 4, 7, 10]
    assert ladder((1, 3, 9, 27), 2) == [3, 27]
    with pytest.raises(InvalidBudget, match="at least two budgets"):
        ladder((100,))
    with pytest.raises(InvalidOption, match="step"):
        ladder((1, 2), 0)


class Recorder:
    """Proposes configurations 0, 1... up to a number, and keeps what it is told; some have losses already."""

    def __init__(self, n, earlier=None):
        self.n, self.asked, self.ended, self.earlier = n, 0, {}, earlier or {}

    def begin(self):
        if self.asked == self.n:
            return None
        self.asked += 1
        return Proposal({"k": self.asked - 1}), list(self.earlier.get(self.asked - 1, []))

    def end(self, training, loss):
        self.ended[training.proposal.config["k"]] = (loss, list(training.losses), training.number)


def test_trainings_go_on_step_by_step_until_their_verdict():
    recorder = Recorder(3)
    stepwise = Stepwise([2, 4, 8], recorder.begin, lambda t: 77.0 if t.losses[-1] > 10 else None, recorder.end)
    asked = []
    for loss in (1.0, 0.9, 0.8, 5.0, 11.0, math.inf):
        proposal = stepwise.ask()
        asked.append((proposal.config["k"], proposal.budget))
        stepwise.tell(proposal, loss, 1.0)
    assert asked == [(0, 2), (0, 4), (0, 8), (1, 2), (1, 4), (2, 2)]
    assert recorder.ended == {
        0: (0.8, [1.0, 0.9, 0.8], 1),
        1: (77.0, [5.0, 11.0], 2),
        2: (math.inf, [math.inf], 3),
    }
    assert stepwise.ask() is None


def test_several_trainings_run_side_by_side_and_the_longest_waiting_goes_first():
    recorder = Recorder(9)
    stepwise = Stepwise([1, 2], recorder.begin, lambda training: None, recorder.end)
    first, second = stepwise.ask(), stepwise.ask()
    assert (first.config["k"], second.config["k"]) == (0, 1)
    stepwise.tell(second, 1.0, 1.0)
    stepwise.tell(first, 1.0, 1.0)
    asked = [stepwise.ask() for _ in range(3)]
    assert [(p.config["k"], p.budget) for p in asked] == [(1, 2), (0, 2), (2, 1)]


def test_a_training_that_has_losses_goes_on_after_them():
    recorder = Recorder(2, {1: [0.7, 0.6]})
    stepwise = Stepwise([2, 4, 8], recorder.begin, lambda training: None, recorder.end)
    asked = []
    for loss in (1.0, 0.9, 0.8, 0.5):
        proposal = stepwise.ask()
        asked.append((proposal.config["k"], proposal.budget))
        stepwise.tell(proposal, loss, 1.0)
    assert asked == [(0, 2), (0, 4), (0, 8), (1, 8)]
    assert recorder.ended[1] == (0.5, [0.7, 0.6, 0.5], 2)


def test_epochs_that_the_process_sees():
    assert seen_epochs(50, 50) == [10, 20, 30, 40, 50]  # Dai et al., appendix D, but for epoch 1
    assert seen_epochs(100, 100) == [20, 40, 60, 80, 100]
    assert seen_epochs(23, 50) == [10, 20, 23]
    assert seen_epochs(20, 50) == [10, 20]
    assert seen_epochs(2, 3) == [1, 2] and seen_epochs(1, 4) == [1]


def test_places_in_the_process():
    """The second basis function is 1 after the first epoch, 0 after the last, and linear in the logarithm between."""
    rows = np.array([[0.1, 0.2], [0.3, 0.4]])
    x, basis = at_epochs(rows, 16.0, 16)
    np.testing.assert_array_equal(x, rows)
    np.testing.assert_array_equal(basis, [[1.0, 0.0], [1.0, 0.0]])
    x, basis = at_epochs(rows[0], np.array([1.0, 2.0, 8.0, 16.0]), 16)
    np.testing.assert_array_equal(x, [rows[0]] * 4)
    np.testing.assert_allclose(basis, [[1.0, 1.0], [1.0, 0.75], [1.0, 0.25], [1.0, 0.0]])
    np.testing.assert_array_equal(at_epochs(rows[0], 1.0, 1).basis, [[1.0, 0.0]])  # a ladder of one step


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), [("lc-gp", {"every": 10}), ("bo-bos", {})])
def test_hopeless_trainings_are_stopped_and_the_best_are_trained_to_the_end(name, options):
    b = benchmark()
    o = optimizer(name, SPACE, b.budgets, seed=0, **options)
    r = run(b, o, n_trials=None, max_cost=12 * EPOCHS, seed=0)
    losses = {str(trial.config): final_loss(trial.config) for trial in r.trials}
    epochs = trained(r.trials)
    assert len(epochs) > 15  # trainings for the price of 12
    complete = [loss for loss, n in zip(losses.values(), epochs, strict=True) if n == EPOCHS]
    stopped = [loss for loss, n in zip(losses.values(), epochs, strict=True) if n < EPOCHS][:-1]  # the last was cut off
    assert len(complete) >= 3
    assert np.mean(np.array(stopped) > min(complete)) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lc-gp", "bo-bos"])
def test_a_training_is_asked_for_one_budget_after_another(name):
    b = benchmark()
    o = optimizer(name, SPACE, b.budgets, seed=1, step=5)
    asked = {}
    for trial in run(b, o, n_trials=40, seed=1).trials:
        asked.setdefault(str(trial.config), []).append(trial.budget)
    assert [5, 10, 15, 20, 25, 30] in asked.values()  # six steps of five epochs
    for budgets in asked.values():
        assert budgets == [5 * k for k in range(1, len(budgets) + 1)]


@pytest.mark.slow
def test_without_a_threshold_it_is_gp_ucb():
    """threshold=0 stops nothing, so the process sees what gp-ucb sees."""
    noiseless = benchmark(lambda config, budget, seed: curve(config, budget, 0))
    o = optimizer("lc-gp", SPACE, noiseless.budgets, seed=2, threshold=0.0, every=EPOCHS - 1)
    ours = run(noiseless, o, n_trials=9 * EPOCHS)
    theirs = run(noiseless, optimizer("gp-ucb", SPACE, seed=2), n_trials=9)
    assert [t.config for t in ours.trials if t.budget == EPOCHS] == [t.config for t in theirs.trials]


def ask_for_epochs(o, losses):
    """Epochs of the next training when it is told these losses; a stopped one may be the next to be proposed again."""
    begun = o.n_trainings + 1
    for n, loss in enumerate(losses, 1):
        proposal = o.ask()
        if o.n_trainings > begun:
            o.tell(proposal, 5.0, 1.0)
            return n - 1
        o.tell(proposal, float(loss), 1.0)
    return n


GOOD = 0.1 + 0.6 * np.exp(-np.arange(1, EPOCHS + 1) / 5)
BAD = GOOD + 0.5


def after_good_trainings(name, n=5, **options):
    """The optimizer after n trainings like GOOD, ever better by a little, so that none is predicted to be worse."""
    o = optimizer(name, SPACE, range(1, EPOCHS + 1), seed=3, **options)
    for k in range(n):
        assert ask_for_epochs(o, GOOD + 0.001 * (n - k)) == EPOCHS
    return o


def test_optimal_stopping_begins_after_the_initial_epochs():
    """A curve of the best one's shape that lies 0.5 higher; N0 = 16 % of 30 = 5 epochs unless given."""
    assert ask_for_epochs(after_good_trainings("bo-bos", kappa=1e9), BAD) == 6
    assert ask_for_epochs(after_good_trainings("bo-bos", kappa=1e9, initial_epochs=12), BAD) == 13
    assert ask_for_epochs(after_good_trainings("bo-bos", kappa=1e9), GOOD - 0.05) == EPOCHS


def test_a_growing_price_of_false_stops_lets_trainings_go_on():
    """In the second training of the process K1 is 105 by default, and 1e5 at a rate of 0.001: hardly a stop is safe."""

    def second(rate):
        o = after_good_trainings("bo-bos", kappa=1e9, rate=rate)
        assert ask_for_epochs(o, GOOD - 0.03) == EPOCHS
        return ask_for_epochs(o, GOOD - 0.01)

    assert second(0.95) < 15 < second(0.001)


def test_the_price_grows_from_the_first_training_of_the_process():
    """However many trainings are random: at a rate of 0.001 K1 is 100 in the first of the process, which is stopped."""
    for n in (2, 9):
        o = after_good_trainings("bo-bos", n, kappa=1e9, rate=0.001, n_initial=n)
        assert ask_for_epochs(o, GOOD + 0.02) < 15


def test_the_second_condition_waits_until_the_process_knows_enough():
    """kappa = 1 asks for more than most points can give: the full training known as well as the present epoch."""
    loose, tight = (ask_for_epochs(after_good_trainings("bo-bos", kappa=kappa), BAD) for kappa in (1e9, 1.0))
    assert loose < tight


def test_initial_trainings_run_to_the_end():
    o = optimizer("bo-bos", SPACE, range(1, EPOCHS + 1), seed=3, n_initial=4)
    assert [ask_for_epochs(o, losses) for losses in (GOOD, BAD, BAD, BAD)] == [EPOCHS] * 4


@pytest.mark.slow
def test_a_stopped_training_goes_on_and_never_starts_again():
    """Twelve configurations: when each has begun, only stopped trainings are left to propose."""
    space = Space([Int("i", 0, 3), Int("j", 0, 2)])

    def evaluate(config, budget, seed):
        return Result(0.2 + 0.1 * (config["i"] + config["j"]) + math.exp(-budget / 4), 1.0, budget, {})

    b = Benchmark(SimpleProblem("few", space, evaluate, budgets=range(1, 21)))
    o = optimizer("bo-bos", space, b.budgets, seed=0, n_initial=3)
    reached, last, resumed = {}, None, 0
    for _ in range(400):
        proposal = o.ask()
        key = str(proposal.config)
        if len(reached) == 12 and min(reached.values()) == 20:
            break
        assert proposal.budget == reached.get(key, 0) + 1
        resumed += key in reached and key != last
        reached[key], last = proposal.budget, key
        o.tell(proposal, evaluate(proposal.config, proposal.budget, None).loss, 1.0)
    assert len(reached) == 12 and resumed > 3


def test_the_process_reads_the_full_loss_off_the_beginning_of_a_curve():
    """Trainings of low j are stopped at 40 %, where their losses are 1.6 to 2.3 times those at the end.

    Taken for complete ones they would hide that low j is good: the same with `n_full=8`, in which all are complete.
    """
    space = Space([Int("i", 0, 9), Int("j", 0, 5)])
    everything = space.grid.codes(np.arange(space.grid.size))
    i, j = everything.T
    ends = 1.0 + 0.05 * np.abs(i - 7) + 0.1 * j

    def fraction(n_full):
        """Mean rank, from 0 to 1, of the points that are the best tenth by the process."""
        process = EpochProcess(space, seed=0, n_initial=25, n_full=n_full)
        for number in range(1, 26):
            proposal, begun = process.begin()
            x, y = proposal.config["i"], proposal.config["j"]
            n = 8 if y < 3 and not begun else 20
            end = 1.0 + 0.05 * abs(x - 7) + 0.1 * y
            losses = [end * (20 / epoch) ** (0.5 + 0.08 * x / 2) for epoch in range(1, n + 1)]
            process.learn(StepwiseTraining(proposal, number, losses if n_full == 20 else losses[-8:]), losses[-1])
        process.begin()
        rows = Features(space).from_unit(space.to_unit(everything))
        means, _ = process.latest.predict(at_epochs(rows, n_full, n_full))
        return np.mean(np.argsort(np.argsort(ends))[np.argsort(means)[:6]]) / len(ends)

    assert fraction(20) < 0.15
    assert fraction(8) > 0.3


def test_the_variant_of_the_authors_code_stops_the_hopeless_after_six_random_configurations():
    o = optimizer("bo-bos", SPACE, range(1, EPOCHS + 1), seed=3, variant="reference-code", kappa=1e9, n_paths=5_000)
    for k in range(6):
        losses = BAD if k == 0 else GOOD + 0.001 * (6 - k)
        assert ask_for_epochs(o, losses) == EPOCHS  # random ones, even if hopeless
    flat = np.full(EPOCHS, 0.8)  # the update of the paper's text predicts 0 for its end
    assert ask_for_epochs(o, flat) < EPOCHS
    assert ask_for_epochs(o, GOOD - 0.05) == EPOCHS


def test_the_variant_of_the_authors_code_never_stops_losses_above_one():
    o = optimizer("bo-bos", SPACE, range(1, EPOCHS + 1), seed=3, variant="reference-code", kappa=1e9, n_paths=500)
    assert [ask_for_epochs(o, 3.0 + losses) for losses in [GOOD] * 6 + [BAD]] == [EPOCHS] * 7


def test_an_unknown_variant_is_refused():
    with pytest.raises(InvalidOption, match="ours, reference-code"):
        optimizer("bo-bos", SPACE, range(1, EPOCHS + 1), variant="text")


@pytest.mark.slow
def test_prediction_stops_at_its_checks_only():
    """Every tenth of 30 epochs, from the fourth loss on; with every=7, after 7."""
    assert ask_for_epochs(after_good_trainings("lc-gp", n=1), BAD) in (6, 9)
    assert ask_for_epochs(after_good_trainings("lc-gp", n=1, every=7), BAD) in (7, 14)
    assert ask_for_epochs(after_good_trainings("lc-gp", n=0), BAD) == EPOCHS  # nothing to beat yet
    assert ask_for_epochs(after_good_trainings("lc-gp", n=1), GOOD - 0.05) == EPOCHS


@pytest.mark.parametrize("name", ["lc-gp", "bo-bos"])
def test_a_diverging_training_ends_at_once(name):
    o = after_good_trainings(name, n=1)
    assert ask_for_epochs(o, [0.5, 1e35, 1e35, 1e35]) == 2


@pytest.mark.slow
def test_lcnet_hyperband_asks_for_the_budgets_of_hyperband():
    b = benchmark(epochs=27)
    ours, theirs = (
        run(b, o, n_trials=66, seed=0).trials
        for o in (optimizer("lcnet-hb", SPACE, b.budgets, seed=0, units=8), Hyperband(SPACE, budgets=b.budgets))
    )
    assert [trial.budget for trial in ours] == [trial.budget for trial in theirs]


@pytest.mark.slow
def test_lcnet_hyperband_proposes_better_configurations_after_its_first_run():
    """The median of 27 random configurations is 0.75 on average and below 0.54 in 1 % of 400 simulations."""
    b = benchmark(epochs=27)
    r = run(b, optimizer("lcnet-hb", SPACE, b.budgets, seed=1, units=20), n_trials=69, seed=1)
    new, seen = [], set()
    for trial in r.trials:
        if str(trial.config) not in seen:
            seen.add(str(trial.config))
            new.append(final_loss(trial.config))
    first, later = new[:27], new[27:]
    assert np.median(first) > 0.54
    assert len(later) >= 15 and np.median(later) < 0.45


@pytest.mark.slow
def test_what_is_proposed_again_starts_above_where_it_was():
    """Runs of Hyperband from budgets 1, 3, 9 and 27 on: 40, 17, 8 and 4 trials, of which 27, 12, 6 and 4 begin one."""
    space = Space([Int("i", 0, 9), Int("j", 0, 9)])
    o = optimizer("lcnet-hb", space, (1, 3, 9, 27), seed=0, units=5)
    reached, again = {}, 0
    for step in range(69):
        proposal = o.ask()
        key = str(proposal.config)
        if 40 <= step < 52 or 57 <= step < 63 or step >= 65:
            assert proposal.budget > reached.get(key, 0)
            again += key in reached
        reached[key] = max(reached.get(key, 0), proposal.budget)
        o.tell(proposal, proposal.config["i"] + proposal.config["j"] + 1.0 / proposal.budget, 1.0)
    assert again > 0


@pytest.mark.parametrize(
    ("name", "options", "rule"),
    [
        ("lc-gp", {"threshold": 1.5}, "threshold"),
        ("lc-gp", {"every": 0}, "every"),
        ("lc-gp", {"n_initial": 0}, "n_initial"),
        ("bo-bos", {"kappa": 0.5}, "kappa"),
        ("bo-bos", {"rate": 0.0}, "rate"),
        ("bo-bos", {"initial_epochs": 0}, "initial_epochs"),
        ("lcnet-hb", {"units": 0}, "units"),
        ("lcnet-hb", {"eta": 1}, "eta"),
    ],
)
def test_bad_options_are_refused(name, options, rule):
    with pytest.raises(InvalidOption, match=rule):
        optimizer(name, SPACE, range(1, 10), **options)
