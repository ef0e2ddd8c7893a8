"""The shipped networks against onnxruntime: recorded outputs of the original files, and the packed weights as ONNX.

Differences are shares of a target's published range in its scenario. On `rbv2-*`, whose networks amplify rounding most,
one row in a thousand differs by more than 1e-5 in some target; so does onnxruntime from a computation in float64.
"""

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from surrogate_networks import onnx_outputs

from hpo_core import Benchmark
from hpo_core.space.hyperparameters import Float, Int
from tabular.yahpo.measures import outside_published, random_budgets, random_codes
from tabular.yahpo.problem import open_problem
from tabular.yahpo.scenarios import SCENARIOS
from tabular.yahpo.source import original_inputs
from tabular.yahpo.surrogate import open_surrogate

RECORDED = np.load(Path(__file__).parent / "onnxruntime_outputs.npz")
SAME = 1e-5
AMPLIFIED = dict.fromkeys(("rbv2-xgboost", "rbv2-rpart"), (2e-3, 1e-3))  # share of rows beyond, and their difference
N = 10_000
scenarios = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)


@functools.cache
def ranges(name):
    """(n_targets,) published range of each target over all instances."""
    published = np.array(list(open_surrogate(name).published.values()))
    return published[:, :, 1].max(axis=0) - published[:, :, 0].min(axis=0)


def assert_same(surrogate, predictions, expected):
    """Equal but for rounding; a target that is rounded to whole numbers may come out one off where it is at a half."""
    share = np.abs(predictions - expected) / ranges(surrogate.name)
    rounds = np.array([target.transform.rounds for target in surrogate.targets])
    assert (share[:, rounds] > SAME).sum() <= 2
    largest = share[:, ~rounds].max(axis=1)
    n_beyond, most = AMPLIFIED.get(surrogate.name, (0.0, SAME))
    assert (largest > SAME).mean() <= n_beyond
    assert largest.max() <= most


@scenarios
def test_recorded_outputs_of_the_original_files(scenario):
    """By names and words, in an order of their own: nothing of the packed file but its numbers takes part."""
    part = {key: RECORDED[f"{scenario.name}.{key}"] for key in ("categories", "numbers", "targets", "words", "x", "y")}
    scale = dict(zip(part["targets"].tolist(), ranges(scenario.name).tolist(), strict=True))
    for words, numbers, outputs in zip(part["words"], part["x"].tolist(), part["y"].tolist(), strict=True):
        config = dict(zip(part["categories"].tolist(), words.tolist(), strict=True))
        config |= dict(zip(part["numbers"].tolist(), numbers, strict=True))
        expected = dict(zip(part["targets"].tolist(), outputs, strict=True))
        benchmark = Benchmark(f"{scenario.name}/{config.pop(scenario.instance_name)}")
        budget = config.pop(scenario.fidelity)
        assert config.pop("repl", 10) == 10
        active = {name: value for name, value in config.items() if benchmark.space.is_active(name, config)}
        result = benchmark.objective(active, budget)
        loss = {"val_accuracy": lambda y: 1 - y / 100, "acc": lambda y: 1 - y, "mmce": lambda y: y}[scenario.loss]
        assert result.loss == pytest.approx(min(max(loss(expected.pop(scenario.loss)), 0), 1), abs=SAME)
        assert result.cost == pytest.approx(expected.pop(scenario.cost), abs=SAME * scale[scenario.cost])
        assert result.info == {name: pytest.approx(max(y, 0), abs=SAME * scale[name]) for name, y in expected.items()}


@pytest.mark.slow
@scenarios
def test_onnxruntime_agrees_on_ten_thousand_configurations(scenario):
    pytest.importorskip("onnxruntime")
    rng = np.random.default_rng(6)
    inputs, predictions = [], []
    for instance in scenario.instances:
        problem = open_problem(scenario.name, instance)
        n = -(-N // len(scenario.instances))
        codes, budgets = random_codes(problem, n, rng), random_budgets(scenario, n, rng)
        configs = problem.space.decode(codes)
        inputs.append(original_inputs(problem.surrogate, scenario, instance, configs, budgets.tolist()))
        predictions.append(problem.predictions(codes, budgets))
    joined = {key: np.concatenate([part[key] for part in inputs]) for key in inputs[0]}
    assert len(joined["x_cat"]) >= N
    assert_same(problem.surrogate, np.concatenate(predictions), onnx_outputs(problem.surrogate, joined))


@pytest.mark.slow
@scenarios
def test_the_targets_are_in_the_published_order(scenario):
    """Predictions stay within the published minimum and maximum of their target; with two swapped they do not."""
    n = 1000 if scenario.name == "lcbench" else 200  # balanced accuracies of validation and test are much alike
    outside = outside_published(scenario, open_surrogate(scenario.name), n, seed=3)
    assert np.trace(outside) <= 0.005 * len(outside) * len(scenario.instances)
    swapped = (outside + outside.T)[~np.eye(len(outside), dtype=bool)]
    assert swapped.min() >= 2


def test_inputs_in_another_order_leave_the_published_ranges():
    surrogate = open_surrogate("lcbench")
    scenario = replace(SCENARIOS["lcbench"], instances=SCENARIOS["lcbench"].instances[::4])
    assert np.trace(outside_published(scenario, surrogate, 300, seed=8)) == 0
    for i in range(len(surrogate.numbers) - 1):
        numbers = list(surrogate.numbers)
        first, second = numbers[i : i + 2]
        numbers[i : i + 2] = replace(first, name=second.name), replace(second, name=first.name)
        assert np.trace(outside_published(scenario, replace(surrogate, numbers=tuple(numbers)), 300, seed=8)) > 5, i


@scenarios
def test_bounds_are_within_what_the_transforms_were_made_for(scenario):
    """Inputs were scaled to 0..1 over the training data; the space goes a little beyond."""
    surrogate = open_surrogate(scenario.name)
    for number in surrogate.numbers:
        if number.name in surrogate.space.names:
            h = surrogate.space[number.name]
            assert isinstance(h, (Float, Int))
            low, high = sorted([number.transform.one(h.low), number.transform.one(h.high)])
            assert -0.22 < low < high < 1.34, number.name
    budgets = {number.name: number.transform for number in surrogate.numbers}[scenario.fidelity]
    assert abs(budgets.one(scenario.budgets[-1]) - 1.0) < 0.01
