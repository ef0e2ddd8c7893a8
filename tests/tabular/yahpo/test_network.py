"""The folded network against the plain one: layer by layer, in float64."""

import numpy as np
import pytest
from surrogate_networks import SCENARIO, onnx_outputs, small_surrogate

from hpo_core.errors import InvalidOption
from tabular.yahpo import network
from tabular.yahpo.measures import random_codes
from tabular.yahpo.problem import NetworkProblem
from tabular.yahpo.source import original_inputs


def plain(surrogate, inputs):
    """(n, n_targets) logits of the network as it is written down, in float64."""
    arrays = {name: array.astype(float) for name, array in surrogate.arrays.items()}
    columns = [number.transform.many(x) for number, x in zip(surrogate.numbers, inputs["x_cont"].T, strict=True)]
    tables = [arrays[f"embedding.{i}"][codes] for i, codes in enumerate(inputs["x_cat"].T)]
    h = np.column_stack([*tables, *columns]) @ arrays["first.weight"].T + arrays["first.bias"]
    for k in range(surrogate.n_blocks):
        z = _norm(h, arrays[f"{k}.norm"]) @ arrays[f"{k}.first.weight"].T + arrays[f"{k}.first.bias"]
        half = z.shape[1] // 2
        gated = z[:, :half] * np.where(z[:, half:] > 0, z[:, half:], 0.0)
        h = h + gated @ arrays[f"{k}.second.weight"].T + arrays[f"{k}.second.bias"]
    last = _norm(h, arrays["last.norm"])
    return np.where(last > 0, last, 0.0) @ arrays["head.weight"].T + arrays["head.bias"]


def _norm(h, moments):
    weight, bias, mean, variance = moments
    return weight * (h - mean) / np.sqrt(variance + 1e-5) + bias


def sampled(problem, n, seed=0):
    rng = np.random.default_rng(seed)
    codes, budgets = random_codes(problem, n, rng), rng.choice(problem.budgets, n)
    configs = problem.space.decode(codes)
    inputs = original_inputs(problem.surrogate, problem.scenario, problem.instance, configs, budgets.tolist())
    return codes, budgets, configs, inputs


@pytest.mark.parametrize("instance", SCENARIO.instances)
@pytest.mark.parametrize(("width", "units", "n_blocks"), [(6, 5, 3), (7, 4, 1), (3, 9, 2), (8, 8, 4)])
def test_folding_changes_nothing_but_rounding(instance, width, units, n_blocks):
    surrogate = small_surrogate(seed=width, width=width, units=units, n_blocks=n_blocks)
    problem = NetworkProblem(SCENARIO, surrogate, instance)
    codes, budgets, _, inputs = sampled(problem, 200)
    expected = plain(surrogate, inputs)
    np.testing.assert_allclose(problem.logits(codes, budgets), expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


def test_onnxruntime_agrees_on_a_small_network():
    pytest.importorskip("onnxruntime")
    surrogate = small_surrogate()
    problem = NetworkProblem(SCENARIO, surrogate, "3")
    codes, budgets, _, inputs = sampled(problem, 500)
    expected = onnx_outputs(surrogate, inputs)
    np.testing.assert_allclose(problem.predictions(codes, budgets)[:, :3], expected[:, :3], rtol=1e-5, atol=1e-5)
    assert (problem.predictions(codes, budgets)[:, 3] == expected[:, 3]).mean() > 0.99  # rounded


def test_one_and_many_agree():
    problem = NetworkProblem(SCENARIO, small_surrogate(), "12")
    codes, budgets, configs, _ = sampled(problem, 60)
    many = problem.predictions(codes, budgets)
    for config, budget, row in zip(configs, budgets.tolist(), many, strict=True):
        result = problem.evaluate(config, budget, None)
        assert [result.cost, result.loss, result.info["memory"]] == pytest.approx(row[:3], rel=1e-4, abs=1e-5)


def test_a_result_does_not_depend_on_the_number_of_cores(monkeypatch):
    problem = NetworkProblem(SCENARIO, small_surrogate(), "12")
    codes = random_codes(problem, 5 * network.ROWS + 7, np.random.default_rng(1))
    results = []
    for cores in (1, 2, 3, 16):
        monkeypatch.setattr(network, "usable_cores", lambda cores=cores: cores)
        results.append(problem.evaluate_batch(codes, 4, None))
    for losses, costs in results[1:]:
        assert np.array_equal(losses, results[0][0]) and np.array_equal(costs, results[0][1])


@pytest.mark.parametrize("n", [1, network.ROWS - 1, network.ROWS, network.ROWS + 1, network.MANY + 1])
def test_every_row_is_computed(n):
    problem = NetworkProblem(SCENARIO, small_surrogate(), "12")
    codes, budgets, _, inputs = sampled(problem, n)
    expected = plain(problem.surrogate, inputs)
    np.testing.assert_allclose(problem.logits(codes, budgets), expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


def test_no_configurations_give_no_results():
    problem = NetworkProblem(SCENARIO, small_surrogate(), "12")
    losses, costs = problem.evaluate_batch(np.empty((0, 4)), 4, None)
    assert losses.shape == costs.shape == (0,)


def test_a_negative_scale_before_the_head_is_refused():
    surrogate = small_surrogate()
    surrogate.arrays["last.norm"][0, 1] *= -1
    with pytest.raises(InvalidOption, match="above 0"):
        NetworkProblem(SCENARIO, surrogate, "12")
