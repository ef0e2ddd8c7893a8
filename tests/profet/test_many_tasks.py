"""Many tasks at many points in one call: the numbers of the tasks themselves, whatever the parts and the threads."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import profet
from hpo_core import Benchmark
from hpo_core.errors import HpoError, InvalidBudget, InvalidConfig, InvalidOption, UnknownName
from hpo_models.networks.tanh_network import TanhNetwork
from profet import batch, many_tasks, sample, sample_task
from profet.meta_model import Emulator

FAMILIES = ("svm", "fcnet", "xgboost", "curves")
NUMBERS = (17, 3, 250, 17)
CLOSE = 5e-6  # of the range of the values, and relative: networks are float32


def points(model, n, seed=0):
    return model.space.from_unit(np.random.default_rng(seed).random((n, len(model.space))))


def assert_close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=CLOSE, atol=CLOSE * np.ptp(wanted))


def one_by_one(tasks, codes, budget=None):
    """(T, n) losses and costs, a task at a time."""
    found = [Benchmark(task).objective_batch(x, budget) for task, x in zip(tasks, codes, strict=True)]
    return tuple(np.array(values) for values in zip(*found, strict=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_equals_the_tasks_one_by_one(family):
    model = profet.open_model(family)
    codes = points(model, 700)
    wanted = one_by_one([f"profet-{family}/{k}" for k in NUMBERS], [codes] * 4)
    for found, values in zip(batch(family, NUMBERS, codes), wanted, strict=True):
        assert found.shape == (4, 700) and found.dtype == np.float64
        assert_close(found, values)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_task_may_have_its_own_points(family):
    model = profet.open_model(family)
    codes = points(model, 60).reshape(4, 15, -1)
    tasks = [sample_task(model, k) for k in NUMBERS]
    for found, values in zip(batch(model, tasks, codes), one_by_one(tasks, codes), strict=True):
        assert_close(found, values)


@pytest.mark.parametrize("budget", [1, 11, 100, None])
def test_budgets_of_learning_curves(budget):
    model = profet.open_model("curves")
    codes = points(model, 40)
    tasks = sample(model, 3)
    found = batch(model, tasks, codes, budget)
    for values, wanted in zip(found, one_by_one(tasks, [codes] * 3, budget), strict=True):
        assert_close(values, wanted)
    with pytest.raises(InvalidBudget, match="101"):
        batch(model, tasks, codes, 101)


def test_tasks_are_numbers_and_tasks_in_any_order(model):
    """Also tasks of other seeds and between the originals; a noisy one without its noise."""
    codes = points(model, 20)
    others = [sample_task(model, 4, seed=9), sample_task(model, 2, latent="between"), sample_task(model, 5, noise=True)]
    losses, costs = batch(model, [7, *others, np.int64(3), 7], codes)
    tasks = [sample_task(model, 7), *others, sample_task(model, 3), sample_task(model, 7)]
    for found, wanted in zip((losses, costs), one_by_one(tasks, [codes] * 6), strict=True):
        assert_close(found, wanted)
    assert np.array_equal(losses[0], losses[-1])


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 40), st.integers(1, 30), st.integers(1, 50), st.integers(1, 20), st.booleans())
def test_parts_do_not_show(model, n_tasks, n_points, part, columns, own):
    codes = points(model, n_points * (n_tasks if own else 1))
    codes = codes.reshape(n_tasks, n_points, -1) if own else codes
    whole = batch(model, range(n_tasks), codes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(many_tasks, "PART", part)
        patch.setattr(many_tasks, "COLUMNS", columns)
        cut = batch(model, range(n_tasks), codes)
    for a, b in zip(whole, cut, strict=True):
        assert_close(a, b)


def test_the_number_of_threads_does_not_change_a_bit(model, monkeypatch):
    codes = points(model, 300)
    found = []
    for n_cores in (1, 2, 5):
        monkeypatch.setattr(many_tasks, "usable_cores", lambda n=n_cores: n)
        found.append(batch(model, range(100), codes))
    for losses, costs in found[1:]:
        assert np.array_equal(losses, found[0][0]) and np.array_equal(costs, found[0][1])


def test_without_costs_an_evaluation_takes_a_nominal_second(model):
    free = replace(model, cost=None)
    assert (batch(free, range(3), points(model, 4))[1] == 1.0).all()
    curves = replace(profet.open_model("curves"), cost=None)
    assert batch(curves, [0], points(curves, 2), 10)[1] == pytest.approx(0.1)


@pytest.mark.parametrize(("units", "size"), [((), 30.0), ((3,), 30.0), ((40, 7, 20), 30.0), ((300, 300), 0.3)])
def test_networks_of_any_depth(model, units, size):
    """Against a plain forward pass in float64, with units that saturate."""
    network = TanhNetwork((model.loss.network.sizes[0], *units, 1))
    theta = np.random.default_rng(0).standard_normal((2, network.n_parameters + 1)).astype(np.float32)
    theta *= size
    other = replace(model, loss=Emulator(network, theta, model.loss.target._replace(low=-np.inf, high=np.inf)))
    codes, tasks = points(model, 50), sample(other, 6)
    for task, found in zip(tasks, batch(other, tasks, codes)[0], strict=True):
        x = model.inputs(codes.astype(float))
        x = np.concatenate([x, np.tile(task.latent * model.encoding.weights, (50, 1))], axis=1)
        output = network.output(theta[[task.draw], :-1].astype(float), x)[0]
        wanted = other.loss.target.restore(output)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-4 * np.abs(wanted).max())


def test_a_model_of_a_file_takes_tasks_of_the_same_file_alone(model, tmp_path):
    path, codes = tmp_path / "bowl.h5", points(model, 3)
    profet.write_model(model, path)
    first, again = profet.read_model(path), profet.read_model(path)
    assert np.array_equal(batch(first, sample(again, 2), codes), batch(first, range(2), codes))
    with pytest.raises(UnknownName, match="another model"):
        batch(first, sample(model, 2), codes)


@pytest.mark.parametrize(
    ("tasks", "change", "error", "said"),
    [
        ([], lambda x: x, InvalidOption, "at least one task"),
        ([0, -1], lambda x: x, UnknownName, "number >= 0.*got -1"),
        ([True], lambda x: x, UnknownName, "got True"),
        (["profet-bowl/3"], lambda x: x, UnknownName, "got 'profet-bowl/3'"),
        ("17", lambda x: x, UnknownName, "got '1'"),
        ([0], lambda x: x[:, :1], InvalidConfig, r"\(n, 2\).*\(5, 1\)"),
        ([0], lambda x: x[0], InvalidConfig, r"got float64 \(2,\)"),
        ([0], lambda x: x.astype(str), InvalidConfig, "must be numbers"),
        ([0, 1], lambda x: x[None], InvalidConfig, r"\(2 tasks, n, 2\).*\(1, 5, 2\)"),
        ([0], lambda x: x[:0], InvalidConfig, "at least one point"),
        ([0], lambda x: np.where(x == x[3, 0], np.nan, x), InvalidConfig, "'rate'.*got nan in row 3"),
        ([0], lambda x: x + 1.0, InvalidConfig, "'rate' must be in"),
    ],
)
def test_bad_requests_are_refused(model, tasks, change, error, said):
    with pytest.raises(error, match=said) as raised:
        batch(model, tasks, change(points(model, 5)))
    assert isinstance(raised.value, HpoError)


def test_what_is_no_model_or_no_sequence_is_refused(model):
    codes = points(model, 2)
    with pytest.raises(UnknownName, match="svm"):
        batch("svn", [0], codes)
    with pytest.raises(InvalidOption, match="got 17"):
        batch(model, 17, codes)
    with pytest.raises(InvalidOption, match="needs a model"):
        batch(sample_task(model, 1), [0], codes)
