"""Instances as problems: loss, cost, info, clipping, and what their provenance says."""

from dataclasses import replace

import numpy as np
import pytest
from surrogate_networks import SCENARIO, small_surrogate

from hpo_core import Benchmark
from tabular.yahpo.measures import (
    beyond_training_rows,
    clipped_rows,
    extrapolated_rows,
    random_codes,
    rank_correlations,
    record_of,
)
from tabular.yahpo.optimum_search import SearchSettings, search_optimum
from tabular.yahpo.problem import LEAST_COST, NetworkProblem
from tabular.yahpo.surrogate import NetworkTarget
from tabular.yahpo.transform import EXP, Transform

CONFIG = {"x": 0.5, "kind": "c", "n": 4, "z": 1.0}


def problem_with(**transforms):
    """The small problem with other transforms of some targets."""
    surrogate = small_surrogate()
    targets = [NetworkTarget(t.name, transforms.get(t.name, t.transform)) for t in surrogate.targets]
    return NetworkProblem(SCENARIO, replace(surrogate, targets=tuple(targets)), "12")


def test_info_has_the_other_targets():
    result = Benchmark("lcbench/3945").objective(Benchmark("lcbench/3945").space.sample(np.random.default_rng(0)))
    assert list(result.info) == [
        *("val_cross_entropy", "val_balanced_accuracy", "test_cross_entropy", "test_balanced_accuracy")
    ]
    assert all(type(value) is float for value in result.info.values())


def test_losses_and_costs_are_clipped_and_counted():
    problem = problem_with(error=Transform(inner_scale=99.0, inner_shift=-1.0), time=Transform(inner_shift=-30.0))
    codes = random_codes(problem, 400, np.random.default_rng(0))
    raw = problem.predictions(codes, 4)
    losses, costs = problem.evaluate_batch(codes, 4, None)
    assert (raw[:, 1] < 0).any() and (raw[:, 1] > 1).any() and (raw[:, 0] < 0).all()
    assert np.array_equal(losses, np.clip(raw[:, 1], 0, 1)) and (costs == LEAST_COST).all()
    for config, loss in zip(problem.space.decode(codes[:50]), losses, strict=False):
        result = problem.evaluate(config, 4, None)
        assert result.loss == pytest.approx(loss, abs=1e-5) and result.cost == LEAST_COST
    assert clipped_rows(problem, codes, 4).all()
    usual = problem_with()
    assert not clipped_rows(usual, codes, 4).any()
    errors = problem_with(error=Transform(inner_scale=99.0, inner_shift=-1.0))
    assert np.array_equal(clipped_rows(errors, codes, 4), (raw[:, 1] < 0) | (raw[:, 1] > 1))


def test_a_negative_target_is_zero_in_info():
    result = problem_with(memory=Transform(EXP, 1.0, -60.0, 1.0, -1e-12)).evaluate(CONFIG, 4, None)
    assert result.info["memory"] == 0.0


def test_extrapolation_is_a_large_logit():
    surrogate = small_surrogate()
    surrogate.arrays["head.bias"][2] = -60.0
    codes = random_codes(NetworkProblem(SCENARIO, surrogate, "12"), 50, np.random.default_rng(0))
    assert extrapolated_rows(NetworkProblem(SCENARIO, surrogate, "12"), codes, 4).all()
    assert not extrapolated_rows(problem_with(), codes, 4).any()


def test_five_layers_are_beyond_the_training_data():
    """The network's input was scaled by 1 to 4 layers."""
    problem = Benchmark("lcbench/3945").problem
    config = {**problem.surrogate.records["3945"].config, "momentum": 0.5, "weight_decay": 0.01}
    codes = problem.space.encode([{**config, "num_layers": layers} for layers in (1, 4, 5)])
    assert beyond_training_rows(problem, codes, 52).tolist() == [False, False, True]


def test_the_seed_is_ignored_and_budgets_differ():
    problem = problem_with()
    assert problem.evaluate(CONFIG, 4, None) == problem.evaluate(CONFIG, 4, 7)
    assert problem.evaluate(CONFIG, 4, None).loss != problem.evaluate(CONFIG, 1, None).loss
    assert "ignored" in problem.provenance["seed"]


def test_rank_correlation_with_the_full_budget():
    problem = problem_with()
    low, full = rank_correlations(problem, (1, 4), 500, seed=0)
    assert full == pytest.approx(1.0) and -1 <= low < 1


def test_a_record_becomes_the_optimum_and_says_how_it_was_found():
    problem, settings = problem_with(), SearchSettings(2, 500, 5, 50, 20)
    assert problem.optimum is None and "optimum" not in problem.provenance
    record = record_of(problem, search_optimum(problem, 0, settings), settings, 0)
    searched = NetworkProblem(SCENARIO, replace(problem.surrogate, records={"12": record}), "12")
    said = searched.provenance["optimum"]
    assert searched.optimum == record.optimum <= searched.evaluate(said["config"], 4, None).loss
    assert said["basis"].startswith("lowest loss found by a search of 1,500 evaluations; ")
    assert said["basis"].endswith("of 2 restarts ended there")


@pytest.mark.parametrize("name", ["lcbench/167168", "rbv2-rpart/14", "rbv2-xgboost/1480", "iaml-glmnet/1489"])
def test_a_recorded_optimum_is_the_loss_of_its_configuration(name):
    b = Benchmark(name)
    loss = b.objective(b.provenance["optimum"]["config"]).loss
    assert b.optimum <= loss < b.optimum + 1e-5
    assert "600,000 evaluations" in b.provenance["optimum"]["basis"]
