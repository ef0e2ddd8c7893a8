"""Entropy search, multi-task optimization and Fabolas."""

import numpy as np
import pytest

from baselines import optimizer
from baselines.parts.information import Information
from baselines.parts.loss_transforms import tempered
from baselines.parts.representers import representers
from hpo_core import Benchmark, Categorical, Float, Ordinal, Proposal, Result, SimpleProblem, Space, Trial, run
from hpo_core.errors import InvalidBudget, InvalidOption
from hpo_models.features import Features
from hpo_models.gp.fabolas import relative_sizes
from hpo_models.gp.product import Points, condition
from hpo_models.gp.product_posterior import Parts

BUDGETS = tuple(2.0**k for k in range(-7, 1))
GRID = Space([Ordinal("x", list(range(13))), Ordinal("y", list(range(13)))])
BEST = {"x": 9, "y": 4}


def bowl(config, budget, seed=None):
    """Lowest at (9, 4) at every budget; smaller budgets are flatter, higher and noisy, and cost their square."""
    away = ((config["x"] - 9) / 4) ** 2 + ((config["y"] - 4) / 3) ** 2
    small = 1 - relative_sizes(BUDGETS)[BUDGETS.index(budget)]
    noise = 0.0 if seed is None else 0.02 * small * np.random.default_rng(seed).standard_normal()
    loss = 0.1 + 0.2 * small**2 + (0.6 - 0.3 * small) * (1 - np.exp(-away / 2)) + noise
    return Result(float(loss), float(0.003 + budget**2), budget, {})


def problem():
    return Benchmark(SimpleProblem("bowl", GRID, bowl, budgets=BUDGETS, optimum=0.1))


def seconds_to(name, regret, seed, max_cost, **options):
    """Seconds until the incumbent at the full budget has a regret, inf if it never had."""
    b = problem()
    o = optimizer(name, b.space, b.budgets, seed, **options)
    r = run(b, o, n_trials=None, max_cost=max_cost, seed=seed, resume=False)
    for end, place in zip(*r.incumbent()[::2], strict=True):
        trial = r.trials[place]
        if trial.budget == 1.0 and b.objective(trial.config).loss - 0.1 <= regret:
            return end
    return np.inf


@pytest.mark.slow
def test_small_budgets_save_time():
    # a full evaluation takes a second: gp needs about eleven, and the other two can hardly do with less than one; both
    # claims hold for any three of the seeds 0..9
    gp = np.median([seconds_to("gp", 0.02, seed, 40.0) for seed in range(3)])
    assert np.median([seconds_to("fabolas", 0.02, seed, 5.0) for seed in range(3)]) < gp / 2.5
    assert np.median([seconds_to("mtbo", 0.02, seed, 10.0) for seed in range(3)]) < gp / 2


@pytest.mark.slow
def test_samples_of_the_hyperparameters_serve_fabolas_too():
    assert seconds_to("fabolas", 0.1, 1, 3.0, n_samples=3) <= 3.0


@pytest.mark.parametrize("name", ["fabolas", "mtbo"])
def test_the_full_budget_gets_at_least_half_of_the_time(name):
    b = problem()
    r = run(b, optimizer(name, b.space, b.budgets, 3), n_trials=None, max_cost=8.0, seed=3, resume=False)
    waited, longest = 0.0, 0.0
    for trial in r.trials[10:]:
        waited = 0.0 if trial.budget == 1.0 else waited + trial.cost
        longest = max(longest, waited)
    full = sum(trial.cost for trial in r.trials if trial.budget == 1.0)
    assert 0 < longest < 1.5  # a full evaluation takes a second, by a model; the last of the others may exceed it
    assert full > 0.4 * r.trials[-1].end
    assert min(trial.loss for trial in r.trials if trial.budget == 1.0) == b.objective(BEST).loss


@pytest.mark.parametrize("name", ["fabolas", "mtbo"])
def test_the_predicted_incumbent_is_evaluated_in_full_when_its_time_has_come(name):
    b = problem()
    o = optimizer(name, b.space, b.budgets, 2)
    run(b, o, n_trials=10, seed=2, resume=False)
    o._known.clear()
    o._spent = 1e9
    (process,) = o._processes(o._told())
    means, _ = process.predict(o._target(o._rows[:10]))
    proposal = o.ask()
    assert proposal.budget == 1.0 and o._spent == 0.0
    np.testing.assert_array_equal(o._rows[10], o._rows[int(np.argmin(means))])
    o.tell(proposal, b.objective(proposal.config).loss, 1.0)
    o._spent = 1e9
    assert o.ask().budget == 1.0


@pytest.mark.parametrize("name", ["fabolas", "mtbo"])
def test_where_nothing_informs_smaller_budgets_go_on(name, monkeypatch):
    monkeypatch.setattr(Information, "gains", lambda self, points: np.zeros(len(points.x)))
    b = problem()
    o = optimizer(name, b.space, b.budgets, 2)
    r = run(b, o, n_trials=18, seed=2, resume=False)
    assert 0.5 < np.mean([trial.budget < 1.0 for trial in r.trials[o.n_initial :]]) < 1.0


def test_the_most_telling_budget_by_hand():
    # f(x, s) = u(x) + q (2 v(x) - 0.6 u(x)) with q = (1 - s)^2 and u, v of variance 1: seen at s, with a noise of 0.01,
    # it lowers the variance of f(x, 1) by (1 - 0.6 q)^2 / ((1 - 0.6 q)^2 + 4 q^2 + 0.01); it costs exp(3 s) seconds
    o = optimizer("fabolas", GRID, BUDGETS)
    groups, far = o._features.groups, np.array([[0.99, 0.99]])
    parts = Parts(np.array([1e-2, 1e-2]), np.array([[1.0, 0.0], [-0.6, 2.0]]), 0.01)
    process = condition(o._loss_points(far, np.array([7])), np.zeros(1), parts, groups)

    class Costs:
        def predict(self, points):
            return np.exp(3.0 * points.basis[:, 1])

    row = o._features.sample_prior(np.random.default_rng(0), 1)[0]
    sizes = relative_sizes(BUDGETS)
    q = (1 - sizes) ** 2
    for overhead in (0.0, 0.5, 2.0, 8.0, 30.0):
        expected = (1 - 0.6 * q) ** 2 / ((1 - 0.6 * q) ** 2 + 4 * q**2 + 0.01) / (np.exp(3 * sizes) + overhead)
        assert o._most_telling([process], Costs(), row, overhead) == int(np.argmax(expected))
        o._tried.add((row.round(9).tobytes(), int(np.argmax(expected))))
        order = np.argsort(-expected)
        assert o._most_telling([process], Costs(), row, overhead) == int(order[1])
        o._tried.clear()


@pytest.mark.parametrize(("name", "n_initial"), [("fabolas", 10), ("mtbo", 5)])
def test_random_configurations_go_on_while_all_losses_are_equal_but_not_for_ever(name, n_initial):
    def flat(losses):
        o = optimizer(name, GRID, BUDGETS, 0)
        ready = []
        for loss in losses:
            ready.append(o._ready())
            o.tell(o.ask(), loss, 1.0)
        return ready.index(True)

    assert flat([0.7] * (4 * n_initial + 1)) == 4 * n_initial
    assert flat([0.7] * (n_initial + 3) + [0.6, 0.5]) == n_initial + 4
    assert flat([0.7, np.inf, 0.6] + [0.7] * n_initial) == n_initial


def test_an_overhead_leads_to_larger_budgets():
    b = problem()
    budgets = {}
    for overhead in (0.0, 100.0):
        o = optimizer("fabolas", b.space, b.budgets, 4, overhead=overhead)
        r = run(b, o, n_trials=20, seed=4, resume=False)
        budgets[overhead] = np.mean([np.log2(trial.budget) for trial in r.trials[10:]])
    assert budgets[100.0] > budgets[0.0] + 2
    with pytest.raises(InvalidOption, match="overhead"):
        optimizer("fabolas", b.space, b.budgets, overhead=-1.0)


def test_tempered_losses_are_linear_below_the_median_and_logarithmic_far_above():
    losses = 100 + np.array([1.0, 1.1, 1.2, 2.0, 1e7, 1e10, 3.0])
    values = tempered(losses)
    assert (np.argsort(values) == np.argsort(losses)).all()
    assert values.mean() == pytest.approx(0, abs=1e-12) and values.std() == pytest.approx(1)
    assert (values[1] - values[0]) / (values[2] - values[1]) == pytest.approx(1, abs=0.1)
    assert (values[5] - values[4]) / (values[3] - values[0]) == pytest.approx(np.log(1000) / np.log(2), rel=1e-3)
    np.testing.assert_array_equal(tempered(np.full(3, 0.7)), np.zeros(3))


def test_what_was_tried_at_a_budget_is_not_the_best_new_one():
    o = optimizer("fabolas", GRID, BUDGETS)
    first = o.ask()
    row, place = o._rows[0], o.sizes.index(first.budget)
    rows, gains = np.stack([row, row, row]), np.array([3.0, 2.0, 1.0])
    found = o._best_new(rows, np.array([place, place + 1, place + 2]), gains)
    assert found[1] == place + 1
    assert o._best_new(rows, np.array([place + 1, place, place]), np.array([0.0, 3.0, 2.0])) is None


def test_fabolas_begins_with_small_budgets():
    b = problem()
    o = optimizer("fabolas", b.space, b.budgets, 0)
    first = [o.ask() for _ in range(10)]
    assert [proposal.budget for proposal in first] == [1 / 64, 1 / 32, 1 / 16, 1 / 8] * 2 + [1 / 64, 1 / 32]
    assert len({str(proposal.config) for proposal in first}) > 5
    assert o.sizes == list(BUDGETS)
    assert optimizer("fabolas", b.space, range(1, 201)).sizes == [2, 3, 6, 12, 25, 50, 100, 200]
    assert optimizer("fabolas", b.space, range(1, 1001)).sizes == [8, 16, 31, 62, 125, 250, 500, 1000]
    assert optimizer("fabolas", b.space, (1, 1000)).sizes == [1, 1000]
    with pytest.raises(InvalidBudget, match="at least two budgets"):
        optimizer("fabolas", b.space, (1,))


def test_the_smaller_budget_of_mtbo():
    space = problem().space
    assert optimizer("mtbo", space, BUDGETS).sizes == [1 / 8, 1]
    assert optimizer("mtbo", space, BUDGETS, auxiliary=1 / 32).sizes == [1 / 32, 1]
    assert optimizer("mtbo", space, range(1, 101)).sizes == [13, 100]
    assert optimizer("mtbo", space, (1, 3)).sizes == [1, 3]
    assert optimizer("mtbo", space, (1,)).sizes == [1]
    with pytest.raises(InvalidOption, match="auxiliary"):
        optimizer("mtbo", space, BUDGETS, auxiliary=0.0)


@pytest.mark.parametrize("name", ["fabolas", "mtbo"])
def test_pending_proposals_differ_and_nothing_is_asked_for_twice(name):
    b = problem()
    o = optimizer(name, b.space, b.budgets, 5)
    r = run(b, o, n_trials=30, seed=5, workers=4, resume=False)
    asked = [(str(trial.config), trial.budget) for trial in r.trials]
    assert len(set(asked[10:])) == len(asked[10:]) and not set(asked[10:]) & set(asked[:10])


def test_the_model_believes_in_what_is_pending():
    b = problem()
    o = optimizer("fabolas", b.space, b.budgets, 5)
    run(b, o, n_trials=12, seed=5, resume=False)
    (process,) = o._processes(o._told())
    assert o._believed([process])[0] is process
    proposal = o.ask()
    (believed,) = o._believed([process])
    assert len(believed.y) == 13
    place = o.sizes.index(proposal.budget)
    point = o._loss_points(o._rows[12:13], np.array([place]))
    assert believed.predict(point)[1] < process.predict(point)[1]


def line(offset, scale=1.0):
    """A valley at x = 0.7 on [0, 1]^3 that moves with the offset."""
    space = Space([Float("x", 0, 1), Float("y", 0, 1), Float("z", 0, 1)])

    def evaluate(config, budget, seed):
        away = (config["x"] - 0.7 - offset) ** 2 + (config["y"] - 0.2) ** 2 + (config["z"] - 0.5) ** 2
        return Result(scale * away, 1.0, budget, {})

    return Benchmark(SimpleProblem(f"line {offset}", space, evaluate, optimum=0.0))


def test_an_earlier_run_is_made_use_of_whatever_its_scale():
    earlier = [run(line(0.05, 1e4), "rs", n_trials=60, seed=1), run(line(-0.05, 1e-3), "rs", n_trials=60, seed=2)]
    b = line(0.0)
    warm = [run(b, optimizer("mtbo", b.space, seed=s, warm_start=earlier), n_trials=6, seed=s) for s in range(3)]
    cold = [run(b, optimizer("mtbo", b.space, seed=s), n_trials=6, seed=s) for s in range(3)]
    best = [[min(trial.loss for trial in r.trials) for r in runs] for runs in (warm, cold)]
    assert max(best[0]) < 0.01 < min(best[1])
    assert max(r.trials[0].loss for r in warm) < 0.1  # before anything was observed here


@pytest.mark.parametrize("name", ["fabolas", "mtbo"])
def test_the_predicted_incumbent_was_evaluated_somewhere_and_is_better_than_most(name):
    b = problem()
    o = optimizer(name, b.space, b.budgets, seed=0)
    assert o.incumbent is None  # nothing is predicted before there is a model
    r = run(b, o, n_trials=20, resume=False)
    at_full = [b.objective(trial.config).loss for trial in r.trials]
    assert o.incumbent in [trial.config for trial in r.trials[:-1]]
    assert b.objective(o.incumbent).loss < np.quantile(at_full, 0.25)


def test_an_earlier_run_that_misleads_is_outweighed():
    upside_down = line(0.0, -1.0)
    b = line(0.0)
    r = run(b, optimizer("mtbo", b.space, warm_start=[run(upside_down, "rs", n_trials=40)]), n_trials=30)
    assert min(trial.loss for trial in r.trials) < 0.01


def test_warm_start_and_a_smaller_budget_go_together():
    b = problem()
    earlier = run(b, "rs", n_trials=30, seed=1)
    r = run(b, optimizer("mtbo", b.space, b.budgets, warm_start=[earlier]), n_trials=12, resume=False)
    assert {trial.budget for trial in r.trials} == {0.125, 1.0}


def test_many_earlier_observations_are_thinned_and_other_spaces_refused():
    b = line(0.0)
    o = optimizer("mtbo", b.space, warm_start=[run(b, "rs", n_trials=300, seed=s) for s in range(2)])
    assert [len(values) for _, values in o._earlier] == [100, 100]
    assert o.ask().budget is None
    with pytest.raises(InvalidOption, match="warm_start must lie in the space"):
        optimizer("mtbo", b.space, warm_start=[[Trial(Proposal({"x": 3.0}), Result(1.0, 1.0, 1, {}))]])


def test_entropy_search_finds_a_minimum():
    # the median of the best of 20 random points is 0.044
    b = line(0.0)
    best = [min(t.loss for t in run(b, optimizer("es", b.space, seed=s), n_trials=20, seed=s).trials) for s in range(3)]
    assert np.median(best) < 0.01


def test_representers_are_a_sample_of_the_improvement():
    space = Space([Float("x", 0, 1), Categorical("c", ["a", "b"])])
    features = Features(space)

    def log_density(rows):  # a normal around 0.3 for "a", four times as much as the one around 0.8 for "b"
        first = rows[:, 1] == 1.0
        return np.where(
            first,
            np.log(4.0) - 0.5 * ((rows[:, 0] - 0.3) / 0.05) ** 2,
            -0.5 * ((rows[:, 0] - 0.8) / 0.05) ** 2,
        )

    best = np.array([0.3, 1.0, 0.0])
    rows = np.concatenate([representers(features, log_density, np.random.default_rng(s), best)[1:] for s in range(20)])
    at_a = rows[:, 1] == 1.0
    assert 0.75 < at_a.mean() < 0.97  # between modes that are far apart the chains begin, and stay, nearer to the best
    assert rows[at_a, 0].mean() == pytest.approx(0.3, abs=0.01) and rows[at_a, 0].std() == pytest.approx(0.05, abs=0.01)
    assert rows[~at_a, 0].mean() == pytest.approx(0.8, abs=0.02)


def test_representers_of_a_small_space_are_different():
    features = Features(Space([Ordinal("o", [1, 2, 3])]))
    rows = representers(features, lambda some: np.zeros(len(some)), np.random.default_rng(0), np.array([1 / 6]))
    assert sorted(rows[:, 0]) == pytest.approx([1 / 6, 1 / 2, 5 / 6])
    impossible = representers(features, lambda some: np.full(len(some), -np.inf), np.random.default_rng(0), rows[0])
    assert len(impossible) == len(np.unique(impossible))


def test_information_is_where_the_minimum_may_be():
    x = np.array([[0.05], [0.35], [0.65], [0.95]])
    parts = Parts(np.array([0.12]), np.ones((1, 1)), 1e-6)
    process = condition(Points(x, np.ones((4, 1))), np.array([0.0, 1.0, 1.0, 0.0]), parts, np.zeros(1, dtype=int))

    def target(rows):
        return Points(rows, np.ones((len(rows), 1)))

    features = Features(Space([Float("x", 0, 1)]))
    information = Information(features, process, target, x[0], 0.0, np.random.default_rng(0))
    gains = information.gains(target(np.array([[0.05], [0.5], [0.2], [0.8]])))
    assert gains[0] < 0.05  # observed already, and nearly without noise
    assert (
        gains[0] < gains[1] < gains[2:].min() and gains[2:].min() > 0.2
    )  # the gaps, of which the middle one lies higher
