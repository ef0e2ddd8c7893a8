"""Check of the packed surrogates against onnxruntime and the published extrema, and what they are like as benchmarks.

    python scripts/check_yahpo.py SOURCE_DIR [--scenarios lcbench] [--n 10000] [--search] [--record FILE.npz]

SOURCE_DIR holds the files of github slds-lmu/yahpo_data (see `scripts/pack_yahpo.py`); needs the package onnxruntime.

difference     largest difference to onnxruntime on random configurations at random budgets, of all instances in turn,
               as a share of the target's published range in the scenario; and that of onnxruntime to float64, which is
               what rounding alone may do
order          on how many instances predictions leave the published minimum and maximum of a target: as it is, with
               two targets swapped, and with two neighbouring inputs swapped
correlation    Spearman's, of the losses at a budget with those at the full one, over 2,000 random configurations
--search       a second search of each optimum with another seed: by how much it gets below the recorded one
--record       writes inputs and outputs of onnxruntime for the tests
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy loads

import numpy as np
from tqdm import tqdm

from tabular import open_table
from tabular.yahpo.measures import (
    LARGE_LOGIT,
    beyond_training_rows,
    outside_published,
    random_budgets,
    random_codes,
    rank_correlations,
)
from tabular.yahpo.optimum_search import search_optimum
from tabular.yahpo.problem import NetworkProblem, open_problem
from tabular.yahpo.scenarios import SCENARIOS, Scenario
from tabular.yahpo.source import original_inputs
from tabular.yahpo.surrogate import open_surrogate

CORRELATED = {"lcbench": (1, 2, 6, 17)}
N_CORRELATED, N_ORDER = 2_000, 1_000
SAME = 1e-5
N_RECORDED = 240  # rows of a scenario


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="folder with the files of yahpo_data")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS), help="names, separated by commas (all)")
    parser.add_argument("--n", type=int, default=10_000, help="configurations to compare (10,000)")
    parser.add_argument("--search", action="store_true", help="search the optima again")
    parser.add_argument("--record", type=Path, help="write rows of onnxruntime to a file")
    options = parser.parse_args()
    scenarios = [SCENARIOS[name] for name in options.scenarios.split(",")]
    if options.record is not None:
        np.savez_compressed(options.record, **{k: v for s in scenarios for k, v in recorded(s, options.source).items()})
        return
    for scenario in scenarios:
        print(f"\n{scenario.name}")
        print_differences(scenario, options.source, options.n)
        print_order(scenario)
        print_correlations(scenario)
        print_records(scenario)
        if options.search:
            print_search(scenario)
    print_recorded_curves()


def instances(scenario: Scenario, what: str) -> Any:
    return tqdm(scenario.instances, desc=what, disable=None, leave=False)


# --- onnxruntime -----------------------------------------------------------------------------------------------------


def session(scenario: Scenario, source: Path) -> Any:
    import onnxruntime

    path = str(source / scenario.source_name / "model.onnx")
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def sampled(
    problem: NetworkProblem, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Codes, budgets and the original network's inputs of random configurations."""
    codes = random_codes(problem, n, rng)
    budgets = random_budgets(problem.scenario, n, rng)
    configs = problem.space.decode(codes)
    inputs = original_inputs(problem.surrogate, problem.scenario, problem.instance, configs, budgets.tolist())
    return codes, budgets, inputs


def in_float64(problem: NetworkProblem, inputs: dict[str, np.ndarray]) -> np.ndarray:
    """(n, n_targets) the unfolded network in float64."""
    arrays = {name: array.astype(float) for name, array in problem.surrogate.arrays.items()}

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ arrays[f"{name}.weight"].T + arrays[f"{name}.bias"]

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        weight, bias, mean, variance = arrays[f"{name}.norm"]
        return (x - mean) / np.sqrt(variance + 1e-5) * weight + bias

    embedded = [arrays[f"embedding.{i}"][codes] for i, codes in enumerate(inputs["x_cat"].T)]
    numbers = zip(problem.surrogate.numbers, inputs["x_cont"].astype(float).T, strict=True)
    h = linear(np.column_stack([*embedded, *(number.transform.many(x) for number, x in numbers)]), "first")
    for k in range(problem.surrogate.n_blocks):
        values, gates = np.split(linear(norm(h, str(k)), f"{k}.first"), 2, axis=1)
        h = h + linear(values * np.maximum(gates, 0.0), f"{k}.second")
    logits = linear(np.maximum(norm(h, "last"), 0.0), "head")
    sigmoids = 1.0 / (1.0 + np.exp(-np.maximum(logits, -700.0)))
    targets = zip(problem.surrogate.targets, sigmoids.T, strict=True)
    return np.column_stack([target.transform.many(x) for target, x in targets])


def print_differences(scenario: Scenario, source: Path, n: int) -> None:
    original, rng = session(scenario, source), np.random.default_rng(1)
    batch, single, rounding, extrapolated = [], [], [], 0
    for instance in instances(scenario, "difference"):
        problem = open_problem(scenario.name, instance)
        codes, budgets, inputs = sampled(problem, -(-n // len(scenario.instances)), rng)
        expected = original.run(None, inputs)[0].astype(float)
        given = zip(problem.space.decode(codes), budgets.tolist(), strict=True)
        one = [one_prediction(problem, config, budget) for config, budget in given]
        batch.append(np.abs(problem.predictions(codes, budgets) - expected))
        single.append(np.abs(np.array(one) - np.maximum(expected, 0.0)))
        rounding.append(np.abs(expected - in_float64(problem, inputs)))
        extrapolated += int((np.abs(problem.logits(codes, budgets)) > LARGE_LOGIT).any(axis=1).sum())
    published = np.array([problem.surrogate.published[instance] for instance in scenario.instances])
    scale = published[:, :, 1].max(axis=0) - published[:, :, 0].min(axis=0)
    shares = [np.concatenate(each) / scale for each in (batch, single, rounding)]
    print(f"  {len(shares[0])} configurations, {extrapolated} of them extrapolated (a logit beyond {LARGE_LOGIT:g})")
    print("  target".ljust(26) + "batch       one by one  rows beyond 1e-5  onnxruntime to float64")
    for i, target in enumerate(problem.surrogate.targets):
        largest = [f"{share[:, i].max():.1e}" for share in shares]
        beyond = int((shares[0][:, i] > SAME).sum())
        print(f"    {target.name:<22}{largest[0]:<12}{largest[1]:<12}{beyond:<18}{largest[2]}")


def one_prediction(problem: NetworkProblem, config: Any, budget: float) -> list[float]:
    """Targets of one evaluation, in their order; the loss target is recovered from the loss."""
    scenario, result = problem.scenario, problem.evaluate(config, budget, None)
    known = {**result.info, scenario.cost: result.cost}
    known[scenario.loss] = (result.loss - scenario.loss_shift) / scenario.loss_scale
    return [known[target.name] for target in problem.surrogate.targets]


def recorded(scenario: Scenario, source: Path) -> dict[str, np.ndarray]:
    """Rows for the tests: names and numbers of the inputs, words of the categories, outputs of onnxruntime."""
    original, rng = session(scenario, source), np.random.default_rng(2)
    chosen = rng.choice(scenario.instances, N_RECORDED)
    words, numbers, outputs = [], [], []
    for instance in chosen.tolist():
        problem = open_problem(scenario.name, instance)
        _, _, inputs = sampled(problem, 1, rng)
        names = [{code: value for value, code in c.codes.items()} for c in problem.surrogate.categories]
        words.append([names[i][code] for i, code in enumerate(inputs["x_cat"][0].tolist())])
        numbers.append(inputs["x_cont"][0])
        outputs.append(original.run(None, inputs)[0][0])
    parts = {
        "categories": np.array([c.name for c in problem.surrogate.categories]),
        "numbers": np.array([n.name for n in problem.surrogate.numbers]),
        "targets": np.array([t.name for t in problem.surrogate.targets]),
        **{"words": np.array(words), "x": np.array(numbers), "y": np.array(outputs)},
    }
    return {f"{scenario.name}.{name}": array for name, array in parts.items()}


# --- what the surrogates are like ------------------------------------------------------------------------------------


def print_order(scenario: Scenario) -> None:
    surrogate = open_surrogate(scenario.name)
    outside = outside_published(scenario, surrogate, N_ORDER, seed=3)
    swapped = outside + outside.T
    least = swapped[~np.eye(len(swapped), dtype=bool)].min()
    inputs = []
    for i in range(len(surrogate.numbers) - 1):
        numbers = list(surrogate.numbers)
        numbers[i], numbers[i + 1] = (replace(numbers[j], name=numbers[k].name) for j, k in ((i, i + 1), (i + 1, i)))
        other = replace(surrogate, numbers=tuple(numbers))
        inputs.append(int(np.trace(outside_published(scenario, other, N_ORDER, seed=3))))
    print(
        f"  cases (instance, target) outside of the published minimum and maximum: {np.trace(outside)} of "
        f"{len(outside) * len(scenario.instances)}; with two targets swapped at least {least}, with two neighbouring "
        f"inputs swapped {inputs}"
    )


def print_correlations(scenario: Scenario) -> None:
    budgets = CORRELATED.get(scenario.name, scenario.budgets[:-1])
    table = np.array(
        [
            rank_correlations(open_problem(scenario.name, instance), budgets, N_CORRELATED, seed=4)
            for instance in instances(scenario, "correlation")
        ]
    )
    print(f"  rank correlation with budget {scenario.budgets[-1]:g} over the instances: lowest, median, highest")
    for budget, column in zip(budgets, table.T, strict=True):
        print(f"    {budget:<8.3g}{column.min():6.2f}{np.median(column):6.2f}{column.max():6.2f}")


def print_recorded_curves() -> None:
    from scipy.stats import spearmanr

    found = {}
    for name in ("mini-airfoil", "mini-concrete", "mini-parkinsons", "mini-wine"):
        table = open_table(name)
        found[name] = float(spearmanr(table.mean("loss", 1), table.mean("loss", 100)).statistic)
    shown = ", ".join(f"{name} {value:.2f}" for name, value in found.items())
    print(f"\nfor comparison, rank correlation of epoch 1 with epoch 100 in recorded curves: {shown}")


def print_records(scenario: Scenario) -> None:
    records = open_surrogate(scenario.name).records
    agreeing = np.array([record.agreeing for record in records.values()])
    extrapolated = np.array([record.extrapolated for record in records.values()])
    beyond = [beyond_training(scenario, instance) for instance in scenario.instances]
    falling = [falling_costs(scenario, instance) for instance in instances(scenario, "costs")]
    below = [below_published(scenario, instance) for instance in scenario.instances]
    print(
        f"  search: {record_counts(agreeing)}; the lowest loss is below the published one by {np.median(below):.3f} "
        f"(median), at most {max(below):.3f}\n"
        f"  beyond the range of the training data: {np.mean([share for share, _ in beyond]):.0%} of random "
        f"configurations, {sum(best for _, best in beyond)} of {len(records)} optima\n"
        f"  extrapolated: any on {(extrapolated > 0).sum()} instances, over 1 % of random configurations on "
        f"{(extrapolated > 0.01).sum()}, at most {extrapolated.max():.1%}; "
        f"{sum(record.optimum_extrapolated for record in records.values())} optima\n"
        f"  loss 0 found on {sum(record.optimum < 1e-6 for record in records.values())} instances; clipped: at most "
        f"{max(record.clipped for record in records.values()):.2%} of random configurations\n"
        f"  cost falls with a larger budget of the ladder: {np.mean(falling):.1%} of steps, {max(falling):.1%} on one"
    )


def beyond_training(scenario: Scenario, instance: str) -> tuple[float, bool]:
    """Share of random configurations beyond the range of the training data, and whether the best one is."""
    problem = open_problem(scenario.name, instance)
    codes = random_codes(problem, 1000, np.random.default_rng(6))
    best = problem.space.encode(problem.surrogate.records[instance].config)
    rows = beyond_training_rows(problem, np.vstack([codes, best]), problem.budgets[-1])
    return float(rows[:-1].mean()), bool(rows[-1])


def below_published(scenario: Scenario, instance: str) -> float:
    """By how much the recorded optimum lies below the loss of the best published value."""
    surrogate = open_surrogate(scenario.name)
    ends = surrogate.published[instance][[target.name for target in surrogate.targets].index(scenario.loss)]
    published = min(scenario.loss_scale * end + scenario.loss_shift for end in ends)
    return published - surrogate.records[instance].optimum


def record_counts(agreeing: np.ndarray) -> str:
    return f"several restarts agree on {(agreeing > 1).sum()} instances, all 8 on {(agreeing == 8).sum()}"


def falling_costs(scenario: Scenario, instance: str) -> float:
    """Share of steps between budgets at which the predicted cost of a random configuration falls."""
    problem = open_problem(scenario.name, instance)
    codes = random_codes(problem, 500, np.random.default_rng(5))
    budgets = (1, 2, 6, 17, 52) if scenario.name == "lcbench" else scenario.budgets
    costs = [problem.evaluate_batch(codes, budget, None)[1] for budget in budgets]
    return float((np.diff(costs, axis=0) < 0.0).mean())


def print_search(scenario: Scenario) -> None:
    gains = {}
    for instance in instances(scenario, "search"):
        problem = open_problem(scenario.name, instance)
        gains[instance] = problem.surrogate.records[instance].optimum - search_optimum(problem, seed=1).loss
    better = {name: gain for name, gain in gains.items() if gain > 1e-5}
    print(f"  a second search gets lower by more than 1e-5 on {len(better)} of {len(gains)} instances: {better}")


if __name__ == "__main__":
    main()
