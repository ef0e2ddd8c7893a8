"""Choice of a model: what is held out stays held out."""

import dataclasses

import numpy as np
import pytest
from recorded_rows import CONFIG, recorded

from tabular.frames.roles import roles_of
from tabular.surrogates import choice
from tabular.surrogates.choice import N_FOLDS, Candidate, ModelChoice
from tabular.surrogates.held_out import TrainingRows
from tabular.surrogates.rows.records import records_of
from tabular.surrogates.trees.fitting import Boosting, RandomForest


def records(**options):
    frame = recorded(**options)
    return records_of(frame, roles_of(frame, loss="error", budget="epoch", config=CONFIG))


def test_budgets_and_repetitions_of_a_configuration_are_in_one_fold():
    found = records(budgets=(1, 3, 9), n_repetitions=2)
    folds = ModelChoice(found, TrainingRows(found, 0).inputs, seed=0).folds
    assert len(folds) == 360
    for config in range(found.n_configs):
        assert len(set(folds[found.configs == config])) == 1
    assert np.bincount(folds[found.full]).tolist() == [24] * N_FOLDS
    again = ModelChoice(found, TrainingRows(found, 0).inputs, seed=0).folds
    assert np.array_equal(folds, again)
    assert not np.array_equal(folds, ModelChoice(found, TrainingRows(found, 0).inputs, seed=1).folds)


@pytest.fixture
def few_settings(monkeypatch):
    settings = [Boosting(leaves=4, n_trees=40), Boosting(leaves=32, n_trees=40), RandomForest(n_trees=10)]
    monkeypatch.setattr(choice, "settings_for", lambda records: settings)


def test_losses_of_a_held_out_fold_do_not_change_what_is_chosen_without_it(few_settings):
    found = records()
    first = ModelChoice(found, TrainingRows(found, 0).inputs, seed=0)
    held_out = first.folds == 2
    losses = np.where(held_out, np.random.default_rng(0).permutation(found.losses), found.losses)
    other = dataclasses.replace(found, losses=losses, row_losses=losses[found.cell_of_row])
    second = ModelChoice(other, TrainingRows(found, 0).inputs, seed=0)
    assert first.best([2]) == second.best([2])
    key = next(key for key in first.scores if key[0] == 2)
    assert first.scores[key] == second.scores[key]


def test_the_choosing_fold_and_the_held_out_one_train_nothing(few_settings, monkeypatch):
    found = records()
    trained = []

    def spying(candidate, records, inputs, train, seed):
        trained.append(train)
        return original(candidate, records, inputs, train, seed)

    original = choice.fit_candidate
    monkeypatch.setattr(choice, "fit_candidate", spying)
    chosen = ModelChoice(found, TrainingRows(found, 0).inputs, seed=0)
    chosen.best([3])
    for train in trained:
        assert set(chosen.folds[train]) == {0, 1, 2}


def test_the_best_on_average_is_chosen():
    found = records()
    chosen = ModelChoice(found, TrainingRows(found, 0).inputs, seed=0)
    scales = ("loss", "log", "scores")
    settings = choice.settings_for(found)
    for k in range(N_FOLDS):
        for scale in scales:
            for setting in settings:
                better = scale == "log" and setting == settings[1]
                stages = (40, 80, 120) if isinstance(setting, Boosting) else (100,)
                scores = {s: 0.5 + 0.1 * (scale == "log") + 0.1 * better + 0.01 * (s == 80) for s in stages}
                chosen.scores[k, Candidate(scale, setting)] = scores
    assert chosen.best() == Candidate("log", dataclasses.replace(settings[1], n_trees=80))


def test_leaves_hold_several_configurations_whatever_the_number_of_budgets():
    one, many = records(), records(budgets=range(1, 21))
    assert [s.min_rows for s in choice.settings_for(one)] == [5, 5, 5, 2]
    assert [s.min_rows for s in choice.settings_for(many)] == [60, 60, 60, 40]


def test_many_cells_are_thinned_out():
    chosen = np.ones(40_000, dtype=bool)
    chosen[:5000] = False
    kept = choice.thinned(chosen, 0)
    assert kept.sum() == choice.CHOICE_CELLS and not kept[:5000].any()
    assert choice.thinned(chosen[:10_000], 0) is not None and choice.thinned(chosen[:10_000], 0).sum() == 5000
