"""Networks of any depth by plain gradient descent, against the same in numpy."""

import numpy as np
import pytest

pytest.importorskip("numba", reason="the FC-Net trainer needs the extra collect")

import reference_fcnet as reference

from fcnet_data.fcnet.restarts import SLOW, NetworkPlan, rows_of, training_path
from hpo_core.errors import InvalidOption

pytestmark = pytest.mark.slow  # the first one compiles the kernel
N_TRAIN, N_HELD_OUT, N_FRESH = 101, 37, 30


def draw():
    """Training, held-out and fresh rows with something to learn in them."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(N_TRAIN + N_HELD_OUT + N_FRESH, 5)).astype(np.float32).astype(float)
    y = (np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] > 0).astype(float)
    cuts = [N_TRAIN, N_TRAIN + N_HELD_OUT]
    return list(zip(np.split(x, cuts), np.split(y, cuts), strict=True))


def plain_path(plan, sets, seed, epochs):
    """(epochs, 4): training loss and error, errors on held-out and fresh rows; one restart, in float64."""
    (x, y), *_ = sets
    widths = [x.shape[1], *[plan.units] * plan.depth, 2]
    weights = [reference.initial_weights(seed, k, widths[k], widths[k + 1]) for k in range(plan.depth + 1)]

    def layers(rows):
        values = [rows]
        for k, w in enumerate(weights):
            z = values[-1] @ w[:-1] + w[-1]
            values.append(np.maximum(z, 0) if k < plan.depth else z)
        return values

    def measure(rows, labels):
        z = layers(rows)[-1]
        own = z[np.arange(len(z)), labels.astype(int)]
        return np.mean(np.log(np.exp(z).sum(axis=1)) - own), np.mean(z.argmax(axis=1) != labels)

    path = []
    for epoch in range(epochs):
        rate = plan.learning_rate / np.sqrt(1 + epoch / SLOW)
        order = reference.shuffled(range(len(x)), seed, epoch)
        for start in range(0, len(x), plan.batch_size):
            part = order[start : start + plan.batch_size]
            values = layers(x[part])
            shares = np.exp(values[-1])
            delta = (shares / shares.sum(axis=1, keepdims=True) - np.eye(2)[y[part].astype(int)]) / len(part)
            for k in range(plan.depth, -1, -1):
                step = np.vstack([values[k].T @ delta, delta.sum(axis=0)])
                delta = delta @ weights[k][:-1].T * (values[k] > 0)
                weights[k] = weights[k] - rate * step
        path.append([*measure(*sets[0]), *(measure(*rows)[1] for rows in sets[1:])])
    return np.array(path)


@pytest.mark.parametrize(
    "plan", [NetworkPlan(1, 10, 0.1, 8), NetworkPlan(2, 21, 0.05, 32), NetworkPlan(3, 16, 0.1, 128)], ids=str
)
def test_one_restart_equals_plain_gradient_descent(plan):
    sets = draw()
    rows = [rows_of(*part) for part in sets]
    found = training_path(plan, *rows, np.random.SeedSequence(7), restarts=1, epochs=4)
    np.testing.assert_allclose(found[:, 0], plain_path(plan, sets, 7, 4), rtol=2e-5, atol=1e-7)
    np.testing.assert_array_equal(found[:, 0], found[:, 1])  # one restart is the best by either rule


def test_the_best_restart_is_the_one_with_the_fewest_errors_or_the_lowest_loss():
    plan, rows, seed = NetworkPlan(2, 10, 0.1, 8), [rows_of(*part) for part in draw()], np.random.SeedSequence(1)
    both = training_path(plan, *rows, seed, restarts=5, epochs=12)
    first = training_path(plan, *rows, seed, restarts=1, epochs=12)
    assert (both[:, 0, 1] <= first[:, 0, 1]).all()
    assert (both[:, 1, 0] <= first[:, 0, 0]).all()
    assert (both[:, 1, 0] < first[:, 0, 0]).any()
    assert (both[:, 0, 1] <= both[:, 1, 1]).all()
    assert (both[:, 1, 0] <= both[:, 0, 0]).all()


def test_a_path_ends_with_its_first_perfect_restart():
    plan, rows = NetworkPlan(2, 40, 0.2, 8), [rows_of(*part) for part in draw()]
    path = training_path(plan, *rows, np.random.SeedSequence(1), restarts=2, epochs=100)
    assert len(path) < 100
    assert path[-1, 0, 1] == 0
    assert (path[:-1, 0, 1] > 0).all()
    longer = training_path(
        plan, *rows, np.random.SeedSequence(1), restarts=2, epochs=len(path) + 3, until_perfect=False
    )
    assert len(longer) == len(path) + 3
    np.testing.assert_array_equal(longer[: len(path)], path)


def test_no_held_out_rows_have_no_error():
    (x, y), _, fresh = draw()
    rows = rows_of(x, y), rows_of(x[:0], y[:0]), rows_of(*fresh)
    path = training_path(NetworkPlan(1, 8, 0.1, 32), *rows, np.random.SeedSequence(0), restarts=2, epochs=2)
    assert np.isnan(path[:, :, 2]).all()
    assert np.isfinite(path[:, :, [0, 1, 3]]).all()


@pytest.mark.parametrize("wrong", [{"depth": 0}, {"units": 0}, {"batch_size": 0}, {"learning_rate": -0.1}])
def test_plans_that_make_no_sense_are_refused(wrong):
    good = {"depth": 1, "units": 8, "learning_rate": 0.1, "batch_size": 8}
    with pytest.raises(InvalidOption, match=next(iter(wrong))):
        NetworkPlan(**{**good, **wrong})
