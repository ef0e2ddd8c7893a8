"""Noise between repetitions."""

import numpy as np
import pandas as pd
import pytest
from recorded_rows import CONFIG, recorded

from tabular.frames.roles import roles_of
from tabular.surrogates.choice import ModelChoice
from tabular.surrogates.held_out import TrainingRows
from tabular.surrogates.noise import measure_noise, noise_words
from tabular.surrogates.rows.records import records_of
from tabular.surrogates.scales import fitted_scale
from tabular.surrogates.trees.scorer import Scorer


def measured(frame, scale="loss"):
    records = records_of(frame, roles_of(frame, loss="error", config=CONFIG))
    data = TrainingRows(records, 0)
    folds = ModelChoice(records, data.inputs, 0).folds
    noise = measure_noise(records, data.inputs, fitted_scale(scale, records.row_losses), folds, 0)
    if noise is None:
        return noise_words(records, None), None
    assert noise_words(records, noise) == noise.description
    return noise.description, Scorer(data.bins, [noise.log_variance]).many(records.codes)[0]


def test_without_repetitions_there_is_none():
    assert measured(recorded()) == ("none: no configuration was repeated", None)
    twice = pd.concat([recorded(), recorded()], ignore_index=True)
    assert measured(twice) == ("none: repetitions have equal losses", None)


def test_one_variance_is_pooled_over_the_repeated_configurations():
    rng = np.random.default_rng(0)
    base = recorded(60)
    extra = base.head(30).assign(error=base["error"].head(30) + rng.standard_normal(30))
    third = base.head(10).assign(error=base["error"].head(10) + rng.standard_normal(10))
    frame = pd.concat([base, extra, third], ignore_index=True)
    words, log_variance = measured(frame)
    grouped = frame.groupby(["lr", "depth"])["error"]
    counts, variances = grouped.count(), grouped.var()
    pooled = (variances.fillna(0) * (counts - 1)).sum() / (counts - 1).sum()
    np.testing.assert_allclose(np.exp(log_variance), pooled, rtol=1e-12)
    assert "the same std" in words and "30 configurations with 2 to 3 repetitions" in words


def test_on_another_scale_it_is_the_variance_there():
    rng = np.random.default_rng(1)
    base = recorded(60)
    frame = pd.concat([base, base.assign(error=base["error"] * np.exp(0.3 * rng.standard_normal(60)))])
    _, log_variance = measured(frame.reset_index(drop=True), scale="log")
    assert np.exp(log_variance[0] / 2) == pytest.approx(0.3 / np.sqrt(2), rel=0.25)


def test_a_variance_that_depends_on_the_configuration_is_modelled():
    rng = np.random.default_rng(0)
    base = recorded(400)
    std = np.where(base["solver"] == "sgd", 1.0, 0.05)
    frame = pd.concat([base.assign(error=5 + std * rng.standard_normal(400)) for _ in range(4)], ignore_index=True)
    words, log_variance = measured(frame)
    assert "depends on the configuration" in words
    records = records_of(frame, roles_of(frame, loss="error", config=CONFIG))
    sgd = records.codes[:, records.space.names.index("solver")] == 1
    found = np.exp(log_variance / 2)
    assert np.median(found[sgd]) == pytest.approx(1.0, rel=0.15)
    assert np.median(found[~sgd]) == pytest.approx(0.05, rel=0.15)


def test_a_variance_that_does_not_is_not():
    rng = np.random.default_rng(0)
    base = recorded(200)
    frame = pd.concat([base.assign(error=base["error"] + rng.standard_normal(200)) for _ in range(3)])
    assert "the same std" in measured(frame.reset_index(drop=True))[0]
