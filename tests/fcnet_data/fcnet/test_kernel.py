"""The compiled FC-Net kernel against the plain one in reference_fcnet.py."""

import numpy as np
import pytest

pytest.importorskip("numba", reason="the FC-Net trainer needs the extra collect")


import reference_fcnet as reference
from numba import njit

from fcnet_data.fcnet.inputs import chunks, seed_key
from fcnet_data.fcnet.kernel import activation, lanes
from fcnet_data.fcnet.kernel.training import run
from fcnet_data.fcnet.recipes import Recipe
from fcnet_data.fcnet.training import TrainingData, _settings

SIZES = (101, 37, 30)
CASES = {
    "the smallest of the table": (Recipe(16, 16, "relu", "relu", 0.0, 0.0, 8, 1e-3, "const"), 5, 0),
    "tanh, cosine": (Recipe(16, 32, "tanh", "tanh", 0.0, 0.0, 16, 1e-3, "cosine"), 5, 0),
    "dropout": (Recipe(32, 16, "relu", "tanh", 0.3, 0.6, 8, 1e-3, "cosine"), 5, 0),
    "large batch": (Recipe(16, 16, "tanh", "relu", 0.0, 0.6, 64, 5e-3, "const"), 9, 0),
    "batch above the data": (Recipe(16, 16, "tanh", "relu", 0.0, 0.0, 128, 5e-3, "const"), 9, 0),
    "no width a multiple of 8": (Recipe(21, 13, "tanh", "relu", 0.3, 0.0, 11, 1e-3, "const"), 3, 0),
    "two classes": (Recipe(16, 24, "relu", "relu", 0.0, 0.0, 8, 1e-3, "const"), 4, 2),
    "eleven classes, dropout": (Recipe(19, 30, "relu", "tanh", 0.2, 0.5, 13, 1e-3, "const"), 6, 11),
}


def draw(n_features, n_classes):
    """Train, validation and test set with something to learn in them."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(sum(SIZES), n_features)).astype(np.float32).astype(float)
    signal = np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=len(x))
    y = signal.astype(np.float32).astype(float)
    if n_classes:
        y = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal).astype(float)
    cuts = np.cumsum(SIZES)[:-1]
    return list(zip(np.split(x, cuts), np.split(y, cuts), strict=True))


def kernel_run(recipe, sets, n_classes, seed, epochs):
    """Number of finite epochs, the three layers' weights with biases, what fills them up, and the curves."""
    (x, y), valid, test = sets
    task = "classification" if n_classes else "regression"
    data = TrainingData(task, n_classes, x.astype(np.float32), y.astype(np.float32), chunks(*valid), chunks(*test))
    curves = np.zeros((epochs, 3, 2))
    arguments = data.features, data.target, data.valid, data.test, recipe.rates(epochs), seed_key(seed), curves
    finite, memory, network = run(_settings(recipe, data), *arguments)
    weights, fillings = [], []
    widths = [x.shape[1], recipe.n_units_1, recipe.n_units_2, max(1, n_classes)]
    for k, layer in enumerate(network[:3]):
        size = (layer.n_in + 1) * layer.n_out
        panels = memory[layer.weights : layer.weights + size].reshape(layer.n_out // 8, layer.n_in + 1, 8)
        full = panels.transpose(1, 0, 2).reshape(layer.n_in + 1, layer.n_out)
        weights.append(full[[*range(widths[k]), layer.n_in], : widths[k + 1]])
        fillings += [full[widths[k] : -1], full[:, widths[k + 1] :]]
    return finite, weights, np.concatenate([f.ravel() for f in fillings]), curves


@pytest.mark.parametrize("case", CASES)
def test_weights_and_curves_equal_the_reference(case):
    recipe, n_features, n_classes = CASES[case]
    sets = draw(n_features, n_classes)
    expected_weights, expected_curves = reference.train(recipe, sets, n_classes, seed=7, epochs=3)
    finite, weights, fillings, curves = kernel_run(recipe, sets, n_classes, seed=7, epochs=3)
    assert finite == 3
    for found, expected in zip(weights, expected_weights, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(curves, expected_curves, rtol=1e-4, atol=1e-12)
    assert not fillings.any()


@pytest.mark.parametrize("n_classes", [0, 3])
def test_the_reference_descends_along_the_true_gradient(n_classes):
    recipe = Recipe(6, 5, "tanh", "relu", 0.3, 0.3, 8, 1e-3, "const")
    (x, y), *_ = draw(4, n_classes)
    widths = [4, 6, 5, max(1, n_classes)]
    weights = [reference.initial_weights(0, k + 1, widths[k], widths[k + 1]) for k in range(3)]
    factors = [reference.dropout_factors(0, 0, k, len(x), widths[k + 1], 0.3) for k in range(2)]
    gradient = reference.gradients(weights, recipe, x, y, n_classes, factors)[2]
    for k, row, column in [(0, 0, 1), (0, 4, 2), (1, 3, 3), (1, 6, 0), (2, 2, 0), (2, 5, 0)]:
        sides = []
        for change in (1e-6, -1e-6):
            moved = [w.copy() for w in weights]
            moved[k][row, column] += change
            sides.append(reference.gradients(moved, recipe, x, y, n_classes, factors)[0])
        assert gradient[k][row, column] == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("rate", [0.3, 0.6, 0.99])
def test_dropout_keeps_the_right_share_and_draws_anew(rate):
    drawn = np.array([reference.dropout_factors(1, step, layer, 40, 40, rate) for step in range(4) for layer in (0, 1)])
    kept = drawn > 0
    assert np.all(drawn[kept] == 1 / (1 - rate))
    n = kept.size
    assert kept.mean() == pytest.approx(1 - rate, abs=4 * np.sqrt(rate * (1 - rate) / n))
    pairs = [(kept[:-1], kept[1:]), (kept[:, :-1], kept[:, 1:]), (kept[:, :, :-1], kept[:, :, 1:])]
    for first, second in pairs:  # steps and layers, samples, units
        assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 4 / np.sqrt(first.size)


def test_dropout_has_the_statistics_of_independent_draws():
    """Mean and std of the training loss over seeds, against numpy's own random numbers in the reference."""
    recipe = Recipe(16, 16, "relu", "relu", 0.6, 0.3, 8, 1e-3, "const")
    sets = draw(5, 0)
    (x, y), *_ = sets
    start = [reference.initial_weights(0, k + 1, n, m) for k, (n, m) in enumerate([(5, 16), (16, 16), (16, 1)])]
    rng = np.random.default_rng(0)
    expected = []
    for _ in range(400):
        factors = [(rng.random((8, 16)) >= rate) / (1 - rate) for rate in (0.6, 0.3)]
        rows = rng.choice(len(x), 8, replace=False)
        expected.append(reference.gradients(start, recipe, x[rows], y[rows], 0, factors)[0])
    fixed = Recipe(**{**vars(recipe), "learning_rate": 1e-30})  # the weights stay where they are
    found = [kernel_run(fixed, sets, 0, seed=0, epochs=30)[3][:, 0, 0]]
    error = np.std(expected) / np.sqrt(400) + np.std(found) / np.sqrt(30)
    assert np.mean(found) == pytest.approx(np.mean(expected), abs=4 * error)


def test_rows_are_shuffled_uniformly_in_every_epoch():
    orders = [reference.shuffled(range(10), seed, epoch) for seed in range(100) for epoch in range(5)]
    assert all(sorted(order) == list(range(10)) for order in orders)
    counts = np.array([np.bincount(values, minlength=10) for values in np.array(orders).T])
    assert counts.min() > 50 - 5 * np.sqrt(45) and counts.max() < 50 + 5 * np.sqrt(45)
    assert orders[0] != orders[1]


@njit
def tanh_of(x, result):
    for at in range(0, x.size, 8):
        lanes.store(result, at, activation.tanh(lanes.load(x, at)))


def test_tanh_has_a_relative_error_below_3e_7():
    x = np.concatenate([np.linspace(-20, 20, 80000), np.logspace(-30, 0, 8000), -np.logspace(-30, 0, 8000)])
    x = x.astype(np.float32)
    result = np.empty_like(x)
    tanh_of(x, result)
    np.testing.assert_allclose(result, np.tanh(x.astype(float)), rtol=3e-7, atol=0)


def test_tanh_keeps_nan_and_the_limits():
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-38, 9.0, -9.0], np.float32)
    result = np.empty_like(x)
    tanh_of(x, result)
    np.testing.assert_allclose(result, np.tanh(x), rtol=3e-7)
