"""Training of FC-Nets: what a run depends on, what it records, what it refuses."""

import importlib.util
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from fcnet_data.datasets import Dataset, open_dataset, split
from fcnet_data.fcnet import (
    CLASSIFICATION_SPACE,
    DIVERGED_LOSS,
    REGRESSION_SPACE,
    Recipe,
    TrainingData,
    recipe,
    train,
    training_data,
)
from fcnet_data.fcnet.inputs import chunks, seed_key
from hpo_core.errors import InvalidBudget, InvalidConfig, InvalidOption, InvalidSeed, MissingExtra

needs_numba = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None, reason="the FC-Net trainer needs the extra collect"
)
RECIPE = Recipe(24, 16, "relu", "tanh", 0.3, 0.0, batch_size=16, learning_rate=1e-3, schedule="cosine")


def regression(n_rows=160, n_features=4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(3, 5, size=(n_rows, n_features))
    y = 100 + 20 * np.sin(x[:, 0] / 3) + x[:, 1]
    return Dataset("waves", "regression", x, y, tuple(f"x{k}" for k in range(n_features)), "y")


@pytest.fixture(scope="module")
def data():
    return training_data(regression())


def curves(training):
    return np.stack([training.train_loss, training.valid_loss, training.test_loss])


@needs_numba
def test_a_run_is_a_function_of_its_seed_alone(data):
    others = [Recipe(**{**vars(RECIPE), "n_units_1": n, "batch_size": b}) for n, b in [(16, 8), (64, 64), (33, 5)]]
    work = [(r, seed) for r in [RECIPE, *others] for seed in range(3)]
    alone = [curves(train(r, data, seed, epochs=5)) for r, seed in work]
    backwards = [curves(train(r, data, seed, epochs=5)) for r, seed in reversed(work)][::-1]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda job: curves(train(job[0], data, job[1], epochs=5)), work))
    np.testing.assert_array_equal(alone, backwards)
    np.testing.assert_array_equal(alone, together)
    assert len({a.tobytes() for a in alone}) == len(alone)


PROGRAM = """
from test_training import RECIPE, curves, regression
from fcnet_data.fcnet import train, training_data
print(curves(train(RECIPE, training_data(regression()), 5, epochs=4)).tobytes().hex())
"""


@pytest.mark.slow
@needs_numba
def test_another_process_finds_the_same_bits(data):
    folders = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[3])])
    environment = {**os.environ, "PYTHONPATH": folders, "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == curves(train(RECIPE, data, 5, epochs=4)).tobytes().hex()


PINNED = ["0x1.9d28db6f62337p-3", "0x1.bcfb844db4973p-5", "0x1.ab6abc34f0f3ap-5"]


@needs_numba
def test_the_bits_are_those_of_every_machine():
    """Measured on one processor with AVX2 and FMA, with AVX alone, and with neither; the data are exact in binary."""
    grid = np.arange(90)
    features = np.stack([(grid * k) % 16 for k in (1, 3, 5)], axis=1).astype(np.float32) / 8 - 1
    target = features[:, 0] * features[:, 1] - features[:, 2]
    valid, test = chunks(features[50:70], target[50:70]), chunks(features[70:], target[70:])
    data = TrainingData("regression", 0, features[:50], target[:50], valid, test)
    final = curves(train(RECIPE, data, 0, epochs=20))[:, -1]
    assert [value.hex() for value in final.tolist()] == PINNED


@needs_numba
def test_a_shorter_training_is_the_beginning_of_a_longer_one(data):
    np.testing.assert_array_equal(
        curves(train(RECIPE, data, 1, epochs=3)), curves(train(RECIPE, data, 1, epochs=9))[:, :3]
    )


@needs_numba
def test_losses_are_in_units_of_the_training_variance(data):
    """With a learning rate that moves nothing, the loss is that of the initial network on standardised rows."""
    flat = Recipe(**{**vars(RECIPE), "learning_rate": 1e-30, "dropout_1": 0.0})
    scaled = regression()
    scaled = Dataset(
        "scaled", "regression", scaled.features * 1000, scaled.target * 1e-3 - 7, scaled.feature_names, "y"
    )
    expected = curves(train(flat, data, 2, epochs=1))
    np.testing.assert_allclose(curves(train(flat, training_data(scaled), 2, epochs=1)), expected, rtol=1e-5)
    parts = split(regression())
    inputs = (parts.valid_features - parts.train_features.mean(0)) / parts.train_features.std(0)
    assert data.valid.inputs[::8][:4] == pytest.approx(inputs[0], rel=1e-6)
    target = (parts.train_target - parts.train_target.mean()) / parts.train_target.std()
    assert data.target == pytest.approx(target, rel=1e-5)


@needs_numba
def test_it_learns_a_function_and_digits(data):
    plain = Recipe(64, 64, "tanh", "tanh", 0.0, 0.0, batch_size=8, learning_rate=5e-3, schedule="cosine")
    assert train(plain, data, 0).valid_loss[-1] < 0.1
    digits = train(recipe(CLASSIFICATION, "classification"), training_data(open_dataset("digits")), 0, epochs=15)
    assert digits.valid_error[-1] < 0.06 and digits.test_error[-1] < 0.06
    assert digits.valid_loss[-1] < 0.3 < digits.valid_loss[0]


@needs_numba
@pytest.mark.parametrize("rate", [1e30, 1e38])
def test_a_run_that_diverges_is_recorded_as_such(data, rate):
    wild = Recipe(16, 16, "relu", "relu", 0.0, 0.0, 8, learning_rate=rate, schedule="const")
    training = train(wild, data, 0, epochs=4)
    assert training.diverged_after is not None
    np.testing.assert_array_equal(curves(training)[:, training.diverged_after :], DIVERGED_LOSS)
    assert np.isfinite(curves(training)).all() and training.runtime > 0
    assert training.train_error is None


@needs_numba
def test_a_classifier_that_diverges_is_wrong_everywhere():
    wild = Recipe(16, 16, "relu", "relu", 0.0, 0.0, 8, learning_rate=1e38, schedule="const")
    training = train(wild, training_data(open_dataset("wine")), 0, epochs=3)
    assert training.diverged_after == 0
    assert set(training.valid_error) == {1.0} and set(training.valid_loss) == {DIVERGED_LOSS}


@needs_numba
@pytest.mark.parametrize(("factor", "diverged_after"), [(1e9, None), (1e60, 0)])
def test_an_outlier_in_the_test_set_leaves_the_other_losses_alone(factor, diverged_after):
    rows = regression()
    order = split(Dataset("o", "regression", rows.features, np.arange(160.0), rows.feature_names, "y")).test_target
    features = rows.features.copy()
    features[int(order[0])] *= factor
    far = Dataset("far", "regression", features, rows.target, rows.feature_names, "y")
    unbounded = Recipe(**{**vars(RECIPE), "activation_2": "relu"})
    training, normal = (train(unbounded, training_data(d), 0, epochs=20) for d in (far, rows))
    assert training.diverged_after == diverged_after
    assert set(training.test_loss) == {DIVERGED_LOSS}
    np.testing.assert_array_equal(training.valid_loss, normal.valid_loss)


@needs_numba
def test_dead_units_do_not_slow_a_run_down():
    """Moments of units without gradient must not decay into denormal numbers."""
    rng = np.random.default_rng(0)
    target = np.where(rng.random(400) < 0.5, 0.0, 1.0)
    noise = Dataset("noise", "regression", rng.normal(size=(400, 3)), target, ("a", "b", "c"), "y")
    dead = Recipe(64, 64, "relu", "relu", 0.0, 0.0, 8, learning_rate=0.1, schedule="const")
    from fcnet_data.fcnet.kernel.training import run
    from fcnet_data.fcnet.training import _settings

    data = training_data(noise)
    arguments = data.features, data.target, data.valid, data.test
    _, memory, network = run(_settings(dead, data), *arguments, dead.rates(100), seed_key(0), np.zeros((100, 3, 2)))
    middle = network.layer_2
    moments = np.abs(memory[middle.moment_1 : middle.inputs])
    assert (moments == 0).any()  # there are dead units
    assert not ((moments > 0) & (moments < np.finfo(np.float32).tiny)).any()


@pytest.mark.slow
@needs_numba
def test_runtime_leaves_out_compiling(data):
    folders = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[3])])
    program = (
        "from test_training import RECIPE, regression\n"
        "from fcnet_data.fcnet import train, training_data\n"
        "print(train(RECIPE, training_data(regression()), 5, epochs=1).runtime)\n"
    )
    environment = {**os.environ, "PYTHONPATH": folders}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert 0 < float(done.stdout) < 0.1


def test_number_of_parameters():
    assert RECIPE.n_params(20, 1) == 21 * 24 + 25 * 16 + 17
    assert recipe(REGRESSION, "regression").n_params(20, 1) == 625  # as recorded in the real table


def test_cosine_ends_above_zero_and_starts_at_the_initial_rate():
    rates = RECIPE.rates(100)
    assert rates[0] == 1e-3 and rates[50] == pytest.approx(5e-4) and rates[99] == pytest.approx(2.467e-7, rel=1e-3)
    assert set(Recipe(**{**vars(RECIPE), "schedule": "const"}).rates(3)) == {1e-3}


REGRESSION = {
    "activation_fn_1": "relu",
    "activation_fn_2": "relu",
    "batch_size": 8,
    "dropout_1": 0.0,
    "dropout_2": 0.0,
    "init_lr": 5e-4,
    "lr_schedule": "cosine",
    "n_units_1": 16,
    "n_units_2": 16,
}
CLASSIFICATION = {
    "learning_rate": 2e-3,
    "batch_size": 20,
    "n_units_1": 100,
    "n_units_2": 50,
    "dropout_1": 0.1,
    "dropout_2": 0.0,
}


def test_spaces_are_those_of_the_thesis():
    assert REGRESSION_SPACE.grid.size == 62_208
    printed = {
        "learning_rate": (1e-6, 1e-1, True),
        "batch_size": (8, 128, True),
        "n_units_1": (16, 512, True),
        "n_units_2": (16, 512, True),
        "dropout_1": (0, 0.99, False),
        "dropout_2": (0, 0.99, False),
    }
    found = {h.name: (h.low, h.high, h.log) for h in CLASSIFICATION_SPACE.hyperparameters}
    assert found == printed


def test_a_configuration_becomes_a_recipe():
    assert recipe(REGRESSION, "regression") == Recipe(16, 16, "relu", "relu", 0.0, 0.0, 8, 5e-4, "cosine")
    assert recipe(CLASSIFICATION, "classification") == Recipe(100, 50, "relu", "relu", 0.1, 0.0, 20, 2e-3, "const")
    with pytest.raises(InvalidConfig):
        recipe({**REGRESSION, "batch_size": 7}, "regression")
    with pytest.raises(InvalidConfig):
        recipe(REGRESSION, "classification")


@pytest.mark.parametrize(
    "change",
    [
        {"n_units_1": 0},
        {"n_units_2": 2.5},
        {"batch_size": True},
        {"dropout_1": 1.0},
        {"dropout_2": float("nan")},
        {"learning_rate": 0.0},
        {"learning_rate": float("inf")},
        {"activation_1": "sigmoid"},
        {"schedule": "fix"},
    ],
)
def test_an_impossible_recipe_is_refused(change):
    with pytest.raises(InvalidOption, match=next(iter(change))):
        Recipe(**{**vars(RECIPE), **change})


@pytest.mark.parametrize("seed", [-1, 1.5, True, None])
def test_a_bad_seed_is_refused(data, seed):
    with pytest.raises(InvalidSeed, match="seed must be"):
        train(RECIPE, data, seed)


@pytest.mark.parametrize("epochs", [0, 101, 2.0])
def test_a_bad_number_of_epochs_is_refused(data, epochs):
    with pytest.raises(InvalidBudget, match=r"1\.\.100"):
        train(RECIPE, data, 0, epochs=epochs)


def test_without_numba_the_extra_is_named(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(MissingExtra, match=r"hpo-foundry\[collect\]"):
        train(RECIPE, data, 0, epochs=1)


@needs_numba
@pytest.mark.skipif(
    not Path(os.environ.get("HPO_FOUNDRY_DATA", "-"), "parkinsons.csv.gz").is_file(),
    reason="the folder HPO_FOUNDRY_DATA with parkinsons.csv.gz is not there",
)
def test_parkinsons_ranks_as_in_the_real_table():
    from scipy.stats import spearmanr

    from hpo_core import Benchmark

    real, data = Benchmark("parkinsons"), training_data(open_dataset("parkinsons"))
    drawn = (c for c in real.space.sample(np.random.default_rng(2), 200) if max(c["n_units_1"], c["n_units_2"]) <= 64)
    configs = [next(drawn) for _ in range(16)]
    trained = [train(recipe(c, "regression"), data, seed) for seed, c in enumerate(configs)]
    recorded = [real.objective(c) for c in configs]
    assert [t.n_params for t in trained] == [r.info["n_params"] for r in recorded]
    assert spearmanr([t.valid_loss[-1] for t in trained], [r.loss for r in recorded])[0] > 0.93
