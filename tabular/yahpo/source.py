"""YAHPO Gym's own files of a scenario as a `SurrogateNetwork`, to be packed."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.errors import InvalidSpace
from hpo_core.space import Condition, Config, Space
from hpo_core.space.hyperparameters import Categorical, Float, Hyperparameter, Int
from tabular.yahpo.onnx_graph import read_graph
from tabular.yahpo.scenarios import Scenario
from tabular.yahpo.surrogate import CategoricalInput, NetworkTarget, NumericInput, SurrogateNetwork

PROVENANCE = {
    "source": "networks of YAHPO Gym 1.0.2, github slds-lmu/yahpo_data, commit efdab90",
    "licence": "Apache-2.0",
    "paper": "Pfisterer et al. (2022), YAHPO Gym: An Efficient Multi-Objective Multi-Fidelity Benchmark for HPO",
}
DATA = {
    "lcbench": "trained on the learning curves of LCBench, Zimmer et al. (2021)",
    "rbv2-xgboost": "trained on the random evaluations of Binder et al. (2020)",
    "rbv2-rpart": "trained on the random evaluations of Binder et al. (2020)",
    "iaml-glmnet": "trained on evaluations of Pfisterer et al. (2022)",
}
SHORT = 6  # significant digits of a bound that was meant to be round


def read_source(directory: Path, scenario: Scenario) -> SurrogateNetwork:
    """The surrogate of a scenario, without records, from the folder that holds YAHPO Gym's files."""
    folder = directory / scenario.source_name
    order = json.loads((directory / "input_order.json").read_text())[scenario.source_name]
    encoding = json.loads((folder / "encoding.json").read_text())
    space = json.loads((folder / "config_space.json").read_text())
    graph = read_graph(folder / "model.onnx")
    names = order["cont_names"], order["y_names"]
    return SurrogateNetwork(
        name=scenario.name,
        space=read_space(space, without={scenario.instance_name, scenario.fidelity, *scenario.fixed}),
        numbers=tuple(NumericInput(name, transform) for name, transform in zip(names[0], graph.inputs, strict=True)),
        categories=tuple(CategoricalInput(name, encoding[name]) for name in order["cat_names"]),
        targets=tuple(NetworkTarget(name, transform) for name, transform in zip(names[1], graph.outputs, strict=True)),
        arrays=graph.arrays,
        provenance={**PROVENANCE, "data": DATA[scenario.name]},
        published=read_published(directory, scenario, names[1]),
    )


def read_published(directory: Path, scenario: Scenario, targets: Sequence[str]) -> dict[str, list[list[float]]]:
    """By instance, the published minimum and maximum of each target."""
    with (directory / "global_statistics" / "instance_target_statistics.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["scenario"] == scenario.source_name]
    values = {(row["instance"], row["metric"], row["statistic"]): float(row["value"]) for row in rows}
    return {
        instance: [[values[instance, target, end] for end in ("min", "max")] for target in targets]
        for instance in scenario.instances
    }


def read_space(described: dict[str, Any], without: set[str]) -> Space:
    """The space of a `config_space.json`, in its order, without some names."""
    if described["forbiddens"]:
        raise InvalidSpace("forbidden clauses cannot be held")
    kept = [h for h in described["hyperparameters"] if h["name"] not in without]
    conditions = [
        Condition(c["child"], c["parent"], tuple(c["values"] if c["type"] == "IN" else [c["value"]]))
        for c in described["conditions"]
    ]
    return Space([_hyperparameter(h) for h in kept], conditions)


def _hyperparameter(h: dict[str, Any]) -> Hyperparameter:
    if h["type"] == "categorical":
        return Categorical(h["name"], h["choices"], default=h["default"])
    if h["type"] == "uniform_int":
        return Int(h["name"], h["lower"], h["upper"], log=h["log"], default=h["default"])
    if h["type"] == "uniform_float":
        return Float(h["name"], _bound(h["lower"]), _bound(h["upper"]), log=h["log"], default=h["default"])
    raise InvalidSpace(f"hyperparameter {h['name']!r} has the unknown type {h['type']!r}")


def _bound(value: float) -> float:
    """A bound without the rounding error of exp(log(x)): 0.00010000000000000009 is meant to be 0.0001."""
    short = float(f"{value:.{SHORT}g}")
    return short if abs(short - value) <= 1e-14 * abs(value) else value


def original_inputs(
    surrogate: SurrogateNetwork, scenario: Scenario, instance: str, configs: Sequence[Config], budgets: Sequence[float]
) -> dict[str, np.ndarray]:
    """Inputs x_cat and x_cont of the original network for configurations, each at its own budget."""
    given = zip(configs, budgets, strict=True)
    rows: list[dict[str, Any]] = [
        {**config, **scenario.fixed, scenario.fidelity: budget, scenario.instance_name: instance}
        for config, budget in given
    ]
    return {
        "x_cat": np.array([[c.codes[row[c.name]] for c in surrogate.categories] for row in rows], dtype=np.int32),
        "x_cont": np.array([[row.get(n.name, n.absent) for n in surrogate.numbers] for row in rows], dtype=np.float32),
    }
