"""Stops on arrays of runs: those of the criterion `cv-regret-bound:variant=paper-2021` on trials."""

import numpy as np
import pytest

from baselines import criterion
from hpo_core import Proposal, Result, Trial
from hpo_papers.makarova2021.stops.bounds import log_thresholds, recorded_bounds
from hpo_papers.makarova2021.stops.studies import Checks, at_checks, scores
from hpo_papers.makarova2021.stops.violins import score_row
from hpo_papers.makarova2022.bounds.spaces import reader_of
from hpo_papers.makarova2022.record.contents import Runs, record


def recorded_trials(name, dataset, run, n):
    space, runs = reader_of("cv", name).space, record().runs["cv", name]
    trials = []
    for i in range(n):
        raw = {h.name: runs[f"hp.{h.name}"][dataset, run, i] for h in space}
        config = {key: int(v) if space[key].kind == "int" else float(v) for key, v in raw.items()}
        info = {"folds": runs["folds"][dataset, run, i].tolist()}
        trials.append(Trial(Proposal(config, 1), Result(float(runs["loss"][dataset, run, i]), 1.0, 1, info), i))
    return space, trials


def test_bounds_and_thresholds_are_those_of_the_criterion():
    space, trials = recorded_trials("RF", 2, 1, 24)
    rule = criterion("cv-regret-bound:variant=paper-2021", space)
    assert recorded_bounds("RF", 2, 1, [21, 24]) == pytest.approx([rule.bound(trials[:21]), rule.bound(trials)])
    runs = record().runs["cv", "RF"]
    thresholds = log_thresholds(runs["loss"][2, 1, :40], runs["folds"][2, 1, :40])
    assert thresholds[[21, 24]] == pytest.approx([rule.threshold(trials[:21]), rule.threshold(trials)])


def made_study(bounds):
    """One dataset, one run of 40 evaluations that fall by 1 % each; test losses rise from evaluation 25 on."""
    losses = 0.99 ** np.arange(40.0)
    tests = np.where(np.arange(40) < 25, losses, 2 * losses[25] - losses)
    folds = losses[:, None] * np.linspace(0.9, 1.1, 10)
    arrays = {"loss": losses, "test": tests, "folds": folds}
    size = Checks(40, [20, 30], 1, ("made",), 1)
    grid = at_checks(np.array([[bounds]]), size)
    return Runs("cv", "made", ("made",), {**{k: v[None, None] for k, v in arrays.items()}, "log_bound": grid})


def test_a_run_stops_at_the_first_check_below_the_threshold():
    threshold = np.sqrt(np.log1p((np.sqrt(1 / 10 + 1 / 9) * np.std(np.linspace(0.9, 1.1, 10))) ** 2))
    saved, changed = scores(made_study([1.01 * threshold, 0.99 * threshold]), "Ours")
    assert saved[0, 0] == pytest.approx((39 - 30) / 39)
    at_end, at_stop = (2 * 0.99**25 - 0.99**i for i in (38, 29))
    assert changed[0, 0] == pytest.approx((at_end - at_stop) / at_end)
    assert scores(made_study([1.01 * threshold] * 2), "Ours")[0][0, 0] == 0.0
    assert scores(made_study([0.0, 0.0]), "Ours", 25)[0][0, 0] == pytest.approx((24 - 20) / 24)


def test_a_row_has_all_values_and_their_mean_over_datasets():
    row = score_row("g", "m", np.array([[0.0, 0.5], [1.0, 0.5]]), np.array([[0.0, -0.1], [np.nan, 0.1]]))
    assert row["rtc"] == 0.5 and row["ryc"] == pytest.approx(0.025)
    assert row["ryc_values"] == [0.0, -0.1, 0.1]
    assert row["rtc_low"] <= 0.5 <= row["rtc_high"]
