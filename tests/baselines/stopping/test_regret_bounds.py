"""The bound on the regret, its thresholds, and that it is a function of the trials."""

import math

import numpy as np
import pytest
from made_trials import LINE, trial, trials_of

from baselines import criterion
from baselines.stopping.cv_regret_bound import estimation_error
from baselines.stopping.parts.bound_checks import trusted
from baselines.stopping.parts.fits import Fits
from baselines.stopping.parts.regret import (
    Bound,
    BoundSettings,
    RegretBounds,
    bound_ends,
    collapsed,
    neighbour_correlation,
)
from baselines.stopping.parts.surrogate import CandidateSet, better_part
from baselines.stopping.parts.usable_trials import UsableTrialsReader
from hpo_core import Benchmark, Categorical, Float, Int, Ordinal, Space, run
from hpo_models.acquisition import confidence_factor
from hpo_models.gp.fit import Hyperparameters, Mode
from hpo_models.gp.regression import condition, fit, standardise

GRID = Space([Int("a", 1, 6), Ordinal("b", [1, 2, 4, 8]), Categorical("c", ["u", "v", "w"])])


def grid_features(config):
    """Inputs as the notes of the paper's code describe them: unit interval, one-hot."""
    category = [float(config["c"] == value) for value in "uvw"]
    return [(config["a"] - 0.5) / 6, ([1, 2, 4, 8].index(config["b"]) + 0.5) / 4, *category]


def grid_run(n, seed=0):
    rng = np.random.default_rng(seed)
    configs = GRID.sample(rng, n)
    losses = [(c["a"] - 4) ** 2 + 0.3 * c["b"] + (c["c"] == "u") + 0.05 * rng.standard_normal() for c in configs]

    return [trial(loss, config=config, step=i) for i, (loss, config) in enumerate(zip(losses, configs, strict=True))]


def test_bound_is_equation_8():
    trials = grid_run(50)  # at which hyperparameters are searched for
    losses = np.array([t.loss for t in trials])
    best = np.argsort(losses)[:25]  # the better half
    x = np.array([grid_features(trials[i].config) for i in best])
    y, _, std = standardise(losses[best])
    gp = fit(x, y, groups=np.array([0, 1, 2, 2, 2]))
    everywhere = np.array([grid_features(config) for config in GRID.configs()])
    beta = 0.2 * 2 * math.log(3 * 25**2 * math.pi**2 / 0.6)
    upper = min(m + math.sqrt(beta) * s for m, s in zip(*gp.predict(x), strict=True))
    lower = min(m - math.sqrt(beta) * s for m, s in zip(*gp.predict(everywhere), strict=True))
    rule = criterion("regret-bound", GRID, threshold=1e-3, candidates="all")
    assert rule.bound(trials) == pytest.approx((upper - lower) * std, rel=1e-6)


def test_confidence_factor_and_the_better_part():
    assert confidence_factor(9, 20) == pytest.approx(0.4 * math.log(9 * 400 * math.pi**2 / 0.6))
    losses = np.array([5.0, 1.0, 4.0, 1.0, 3.0, 2.0, 9.0])
    assert better_part(losses, 0.5, 2).tolist() == [1, 3, 5]
    assert better_part(losses, 0.5, 5).tolist() == [1, 3, 5, 4, 2]
    assert better_part(losses, 0.5, 20).tolist() == [1, 3, 5, 4, 2, 0, 6]


def test_what_t_is_in_beta():
    trials = grid_run(60)
    subset = RegretBounds(GRID, BoundSettings(candidates="all"))(trials).value
    everything = RegretBounds(GRID, BoundSettings(candidates="all", counts="trials"))(trials).value
    assert everything > subset  # beta is larger for 60 than for 30


def test_random_candidates_never_give_more_than_all_or_refined_ones():
    for n in (25, 45, 70):
        trials = grid_run(n, seed=n)
        bound = {
            kind: criterion("regret-bound", GRID, threshold=1.0, candidates=kind).bound(trials)
            for kind in ("random", "all", "refined")
        }
        assert bound["random"] <= bound["refined"] + 1e-9
        assert bound["refined"] <= bound["all"] + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_refining_never_loses_what_it_has_found(seed):
    reader = UsableTrialsReader(Space([Float(name, 0.0, 1.0) for name in "abcde"]))
    candidates = CandidateSet(reader, "refined", seed)
    lowest = reader.features.sample_prior(np.random.default_rng(seed), 2000)[7]  # one of the random candidates

    def height(rows):
        return ((rows - lowest) ** 2).sum(axis=1)

    assert candidates.lowest(height, np.full((1, 5), 0.5)) == 0.0


@pytest.mark.slow
def test_bound_covers_the_true_regret_of_a_smooth_function():
    rng = np.random.default_rng(4)
    xs = rng.random(40).tolist()
    trials = trials_of([math.sin(6 * x) for x in xs], xs)  # optimum -1 at x = pi / 4
    rule = criterion("regret-bound:0.01", LINE)
    regrets = [min(t.loss for t in trials[:n]) + 1.0 for n in range(20, 41)]
    bounds = [rule.bound(trials[:n]) for n in range(20, 41)]
    assert all(bound >= regret - 1e-6 for bound, regret in zip(bounds, regrets, strict=True))
    assert bounds[-1] < 0.05
    assert rule(trials[:19]) is None  # before the warm-up, whatever the bound


@pytest.mark.slow
def test_stops_a_run_that_has_converged_and_not_one_that_has_not():
    b = Benchmark("forrester")
    done = run(b, "rs", n_trials=300, stop=criterion("regret-bound:0.5", b.space), seed=0)
    assert done.reason.startswith("regret-bound: the estimated bound on the regret is 0.")
    assert len(done.trials) < 100
    hard = Benchmark("hartmann6")
    going_on = run(hard, "rs", n_trials=60, stop=criterion("regret-bound:0.001", hard.space), seed=0)
    assert going_on.reason.startswith("n_trials")


@pytest.mark.parametrize("spec", ["regret-bound:0.1", "regret-bound:0.1,variant=paper", "ei:1e-3", "pi:1e-3"])
def test_a_function_of_the_trials_alone(spec):
    trials, others = grid_run(45, seed=1), grid_run(40, seed=2)
    used, fresh = criterion(spec, GRID), criterion(spec, GRID)
    for n in (20, 30, 41):
        used(trials[:n])
        used(others[:n])  # another run in between
    assert used.status(trials) == fresh.status(tuple(trials))
    assert used.status(trials[:25]) == fresh.status(trials[:25])


def test_a_worse_trial_outside_the_subset_does_not_change_the_bound():
    trials = grid_run(30)  # 20 of 30 are used, and of 31
    worst = max(trials, key=lambda t: t.loss)
    rule = criterion("regret-bound:0.1,variant=reference-code", GRID)
    assert rule.bound([*trials, worst]) == rule.bound(trials)


def test_share_beta_and_calibration_by_another_way():
    trials = grid_run(60)
    x = np.array([grid_features(t.config) for t in trials])
    losses = np.array([t.loss for t in trials])
    every = np.array([grid_features(c) for c in GRID.configs()])

    def bound(y, n, beta, back=lambda end: end):
        best = np.argsort(y, kind="stable")[:n]
        scaled, centre, std = standardise(y[best])
        gp = fit(x[best], scaled, groups=np.array([0, 1, 2, 2, 2]))
        (m, s), (me, se) = gp.predict(x[best]), gp.predict(every)
        ends = (m + beta**0.5 * s).min(), min((me - beta**0.5 * se).min(), (m - beta**0.5 * s).min())
        upper, lower = (back(centre + std * end) for end in ends)
        return upper - lower

    every_check = "variant=reference-code,candidates=all"
    make = lambda text: criterion(f"regret-bound:0.1,{every_check},{text}", GRID).bound(trials)  # noqa: E731
    assert make("share=1.0") == pytest.approx(bound(losses, 60, confidence_factor(3, 60)), rel=1e-6)
    assert make("beta=0.04") == pytest.approx(bound(losses, 30, 0.04), rel=1e-6)
    logs = bound(np.log(losses), 30, 5 * confidence_factor(3, 30), np.exp)
    assert make("calibrated=true") == pytest.approx(logs, rel=1e-6)
    assert make("calibrated=true") < losses.min() + 0.5  # a regret cannot exceed the loss by much, a raw bound can


def test_a_calibrated_bound_needs_losses_above_0():
    rule = criterion("regret-bound:1,calibrated=true", LINE)
    trials = trials_of([0.0, *np.linspace(0.1, 1.0, 24)], np.linspace(0.0, 1.0, 25))
    assert rule.bound(trials) == math.inf
    assert "losses above 0" in rule.status(trials)


@pytest.mark.parametrize("text", ["share=0", "share=1.5", "beta=0", "beta=-1"])
def test_options_out_of_range(text):
    with pytest.raises(ValueError, match=text.split("=")[0]):
        criterion(f"regret-bound:1,{text}", LINE)


def test_slice_sampling_gives_a_bound_of_the_same_size():
    trials = grid_run(30)
    most_probable = criterion("regret-bound:0.1", GRID).bound(trials)
    sampled = criterion("regret-bound:0.1,fit=slice", GRID).bound(trials)
    assert 0.2 < sampled / most_probable < 5.0


def test_a_collapsed_bound_is_not_the_last_word():
    b = Benchmark("hartmann6")  # 20 random points of six dimensions tell next to nothing
    trials = run(b, "rs", n_trials=20, seed=0).trials
    settings = BoundSettings()
    reader = UsableTrialsReader(b.space)
    usable = reader(trials)
    single = Fits(reader, "map", 0)(usable, np.arange(20), np.arange(20))
    ends = bound_ends(single, CandidateSet(reader, "random", 0), confidence_factor(6, 20))
    alone = ends.upper - ends.lower
    assert alone < 1e-3 and collapsed(single, alone)
    assert RegretBounds(b.space, settings)(trials).value > 100 * alone
    assert not collapsed(single, 0.2 * single.part.std)


@pytest.mark.parametrize(("near", "n_modes"), [(1e9, 6), (2.0, 5), (1e-12, 1)])
def test_modes_that_are_nearly_as_probable(near, n_modes, monkeypatch):
    heights = [10.0, 9.5, 9.0, 8.5, 8.1, 7.9]
    h = Hyperparameters(np.ones(3), 1.0, 0.1)
    monkeypatch.setattr("baselines.stopping.parts.fits.modes", lambda *_, **__: [Mode(h, v) for v in heights])
    monkeypatch.setattr("baselines.stopping.parts.fits.NEAR", near)
    reader = UsableTrialsReader(GRID)
    fits = Fits(reader, "map", 0)
    first = fits(reader(grid_run(20)), np.arange(20), np.arange(20))
    assert len(fits.other_modes(first)) == n_modes


def test_no_bound_where_trials_tell_nothing_about_each_other():
    unrelated = Bound(1e-6, " (on 3 of 4 trials)", 0.05)
    assert trusted(unrelated, 0.0) is unrelated
    assert trusted(unrelated, 0.1).value == math.inf
    assert trusted(unrelated, 0.1).note.endswith("no trial tells anything about another (on 3 of 4 trials)")
    rule = criterion("regret-bound", LINE, threshold=1.0, bounds=lambda trials: unrelated)
    assert rule(folded_run()) is None
    assert "no trial tells anything about another" in rule.status(folded_run())
    assert criterion("regret-bound:1,variant=paper", LINE, bounds=lambda trials: unrelated)(folded_run()) is not None


def test_neighbour_correlation_by_hand():
    x = np.array([[0.0], [0.0], [0.1], [0.9]])  # nearest different neighbours at .1, .1, .1 and .8
    process = condition(x, np.arange(4.0), Hyperparameters(np.array([0.1]), 2.0, 0.1), kernel="rbf")
    assert neighbour_correlation(process) == pytest.approx(math.exp(-0.5))
    same = condition(x[:2], np.arange(2.0), Hyperparameters(np.array([0.1]), 2.0, 0.1))
    assert neighbour_correlation(same) == 1.0


def test_estimation_error_by_hand():
    # two folds 1 and 3: s^2 = 1, 1/2 + 1/1 = 1.5
    assert estimation_error([1.0, 3.0]) == pytest.approx(math.sqrt(1.5))
    ten = [float(i) for i in range(10)]
    assert estimation_error(ten) == pytest.approx(math.sqrt(0.1 + 1 / 9) * np.std(ten))


def folded_run(n=40):
    """Losses that fall slowly; the folds of trial i scatter by i."""
    rng = np.random.default_rng(0)
    xs = rng.random(n).tolist()
    losses = [10.0 - 0.1 * i + math.sin(3 * x) for i, x in enumerate(xs)]
    folds = [[loss - (i + 1) * 0.01, loss + (i + 1) * 0.01] for i, loss in enumerate(losses)]
    return trials_of(losses, xs, folds)


def test_threshold_follows_the_incumbent_or_is_kept():
    trials = folded_run()
    losses = [t.loss for t in trials]
    for n in (20, 33, 40):
        incumbent = int(np.argmin(losses[:n]))
        follows = criterion("cv-regret-bound:2,variant=paper", LINE).threshold(trials[:n])
        assert follows == pytest.approx(2 * math.sqrt(1.5) * 0.01 * (incumbent + 1))
        kept = criterion("cv-regret-bound:2,variant=reference-code", LINE).threshold(trials[:n])
        assert kept == pytest.approx(2 * math.sqrt(1.5) * 0.01 * (int(np.argmin(losses[:20])) + 1))


def test_variants_and_our_default():
    made = {v: criterion(f"cv-regret-bound:variant={v}", LINE) for v in ("default", "paper", "reference-code")}
    assert {v: (c.scale, c.frozen, c.warm_up, c.checks) for v, c in made.items()} == {
        "default": (3.5, False, 28, 3),
        "paper": (1.0, False, 20, 1),
        "reference-code": (1.0, True, 20, 1),
    }
    assert criterion("regret-bound:0.1,variant=reference-code", LINE).warm_up == 5


def test_cv_criterion_stops_below_the_threshold_and_only_there():
    xs = np.random.default_rng(1).random(40).tolist()
    losses = [(x - 0.3) ** 2 for x in xs]
    noisy = trials_of(losses, xs, [[loss - 1.0, loss + 1.0] for loss in losses])
    exact = trials_of(losses, xs, [[loss - 1e-12, loss + 1e-12] for loss in losses])
    rule = criterion("cv-regret-bound", LINE)
    assert rule(noisy[:29]) is None
    assert rule(noisy[:30]).startswith("cv-regret-bound: the estimated bound on the regret is")
    assert rule(exact) is None


@pytest.mark.parametrize(("checks", "stop"), [(1, 23), (2, 27), (3, 32)])
def test_checks_in_a_row(checks, stop):
    low = {23, 26, 27, 30, 31, 32, 35}
    trials = folded_run()

    def bounds(seen):
        return Bound(0.0 if len(seen) in low else 9.0, "")

    for spec in ("regret-bound:1", "cv-regret-bound:variant=paper"):
        rule = criterion(spec, LINE, checks=checks, bounds=bounds)
        assert next(n for n in range(1, 41) if rule(trials[:n])) == stop


def test_expected_and_probable_improvement_fall_as_a_run_converges():
    xs = np.linspace(0.0, 1.0, 40).tolist()
    trials = trials_of([(x - 0.3) ** 2 for x in xs], xs)
    rule = criterion("ei:1e-3", LINE)
    few, many = rule.highest(trials[::6]).value, rule.highest(trials).value
    assert many < few
    assert rule(trials).startswith("ei: the highest estimate of the expected improvement is 1e-")
    assert criterion("ei:1e-300", LINE)(trials) is None


def test_settings_of_a_mixed_space_with_a_condition():
    from hpo_core import Condition

    space = Space([Categorical("kind", ["a", "b"]), Float("x", 0, 1)], [Condition("x", "kind", ("b",))])
    rng = np.random.default_rng(0)

    configs = space.sample(rng, 25)
    trials = [trial(rng.random() + c.get("x", 0.0), config=c, step=i) for i, c in enumerate(configs)]
    assert math.isfinite(criterion("regret-bound:0.1", space).bound(trials))
